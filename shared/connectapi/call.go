package connectapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// bodyLimit is the longest body that is read. What is stored has to fit a document of 1 MiB with room for the rest.
const bodyLimit = 900_000

// call is a request as handlers see it.
type call struct {
	params  []string
	query   url.Values
	body    []byte
	request *http.Request
}

func (c *call) name() string { return c.params[0] }

// flag is a boolean of the query: only true, in any case, is true.
func (c *call) flag(name string) bool { return strings.EqualFold(c.query.Get(name), "true") }

// expands tells whether the query has expand=what among its values. A list in one value is one unknown value (RE-07 is
// about adapters that fold them so).
func (c *call) expands(what string) bool { return slices.Contains(c.query["expand"], what) }

// base is the address that the client called, for Location.
func (c *call) base() string {
	scheme := "http"
	if c.request.TLS != nil || c.request.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + c.request.Host
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, failf(http.StatusRequestEntityTooLarge, "The body is larger than %d bytes", bodyLimit)
	case err != nil:
		return nil, failf(http.StatusBadRequest, "The body cannot be read")
	default:
		return body, nil
	}
}

// object reads the body as a JSON object, member by member, so that names are compared exactly and literals stay as
// written. Its messages never repeat the body: it may hold secrets (SE-01).
func (c *call) object() (map[string]json.RawMessage, error) { return object(c.body, "The body") }

func object(text []byte, what string) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if !utf8.Valid(text) || json.Unmarshal(text, &members) != nil || members == nil {
		return nil, failf(http.StatusBadRequest, "%s must be a JSON object", what)
	}
	return members, nil
}

// configMap reads a configuration. Numbers and booleans become text as they were written; null is not a value and is
// returned by key, for each caller treats it differently.
func configMap(text []byte, what string) (cfg map[string]string, nulls []string, err error) {
	members, err := object(text, what)
	if err != nil {
		return nil, nil, err
	}
	cfg = make(map[string]string, len(members))
	for key, raw := range members {
		value, null, ok := scalar(raw)
		switch {
		case key == "":
			return nil, nil, failf(http.StatusBadRequest, "A configuration key is empty")
		case !ok:
			return nil, nil, failf(http.StatusBadRequest, "The value of configuration %s must be a string, a number or a boolean", key)
		case null:
			nulls = append(nulls, key)
		default:
			cfg[key] = value
		}
	}
	slices.Sort(nulls)
	return cfg, nulls, nil
}

// fullConfig is configMap for places where null has no meaning (RE-13).
func fullConfig(text []byte, what string) (map[string]string, error) {
	cfg, nulls, err := configMap(text, what)
	if err == nil && len(nulls) > 0 {
		return nil, failf(http.StatusBadRequest, "%s (configuration %s)", nullValue, strings.Join(nulls, ", "))
	}
	return cfg, err
}

const nullValue = "Null value can not be supplied as the configuration value."

func scalar(raw json.RawMessage) (value string, null, ok bool) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || raw[0] == '{' || raw[0] == '[':
		return "", false, false
	case raw[0] == '"':
		err := json.Unmarshal(raw, &value)
		return value, false, err == nil
	case string(raw) == "null":
		return "", true, true
	default:
		return string(raw), false, true
	}
}
