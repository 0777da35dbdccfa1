package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/sasl/oauth"

	"sluice.example/shared/clock"
)

// bearer is the source of OAUTHBEARER tokens that the settings describe: Google's, a file, or an OAuth 2 token endpoint
// with client credentials (KIP-768, KIP-1139).
func (k *Kafka) bearer(values map[string]string, login jaas) (func(context.Context) (oauth.Auth, error), error) {
	handler := values["sasl.login.callback.handler.class"]
	extensions := make(map[string]string)
	for name, v := range login.options {
		if rest, ok := strings.CutPrefix(name, "extension_"); ok {
			extensions[rest] = v
		}
	}
	switch short := handler[strings.LastIndexByte(handler, '.')+1:]; short {
	case "GcpLoginCallbackHandler":
		return cached(func(ctx context.Context) (string, time.Time, error) { return googleBearer(ctx, k.opt.GoogleToken) }, nil), nil
	case "", "OAuthBearerLoginCallbackHandler":
	case "IAMOAuthBearerLoginCallbackHandler":
		return nil, fmt.Errorf("%s: set sasl.mechanism=AWS_MSK_IAM instead, which logs in with the same credentials", written(values, "sasl.login.callback.handler.class"))
	default:
		return nil, fmt.Errorf("%s is %q: GcpLoginCallbackHandler or OAuthBearerLoginCallbackHandler", written(values, "sasl.login.callback.handler.class"), handler)
	}
	endpoint := values["sasl.oauthbearer.token.endpoint.url"]
	u, err := url.Parse(endpoint)
	switch {
	case endpoint == "":
		return nil, errors.New("sasl.mechanism OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url, or Google's GcpLoginCallbackHandler as sasl.login.callback.handler.class")
	case err == nil && u.Scheme == "file":
		return func(context.Context) (oauth.Auth, error) {
			text, err := os.ReadFile(u.Path)
			if err != nil {
				return oauth.Auth{}, fmt.Errorf("read OAUTHBEARER token: %w", err)
			}
			return oauth.Auth{Token: strings.TrimSpace(string(text)), Extensions: extensions}, nil
		}, nil
	case err != nil || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%s is %q: a URL that begins with https:, http: or file: is expected", written(values, "sasl.oauthbearer.token.endpoint.url"), endpoint)
	}
	c := credentials{
		client: k.opt.HTTP, endpoint: endpoint,
		id:     first(login.options["clientId"], values["sasl.oauthbearer.client.credentials.client.id"]),
		secret: first(login.options["clientSecret"], values["sasl.oauthbearer.client.credentials.client.secret"]),
		scope:  first(login.options["scope"], values["sasl.oauthbearer.scope"]),
	}
	if c.id == "" || c.secret == "" {
		return nil, fmt.Errorf("%s: OAUTHBEARER needs clientId and clientSecret", written(values, "sasl.jaas.config"))
	}
	return cached(c.token, extensions), nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// cached keeps a token until a minute before it ends: each new connection needs one. Whoever waits for a token that is
// being fetched waits for that one.
func cached(fetch func(context.Context) (string, time.Time, error), extensions map[string]string) func(context.Context) (oauth.Auth, error) {
	var (
		mu    sync.Mutex
		token string
		end   time.Time
	)
	return func(ctx context.Context) (oauth.Auth, error) {
		mu.Lock()
		defer mu.Unlock()
		now := clock.System.Now()
		if token == "" || now.Add(time.Minute).After(end) {
			t, e, err := fetch(ctx)
			if err != nil {
				return oauth.Auth{}, err
			}
			token, end = t, e
		}
		return oauth.Auth{Token: token, Extensions: extensions}, nil
	}
}

// credentials is the client credentials grant of RFC 6749, section 4.4.
type credentials struct {
	client                      *http.Client
	endpoint, id, secret, scope string
}

func (c credentials) token(ctx context.Context) (string, time.Time, error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	if c.scope != "" {
		form.Set("scope", c.scope)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return "", time.Time{}, fmt.Errorf("ask for an OAUTHBEARER token: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(url.QueryEscape(c.id), url.QueryEscape(c.secret))
	return askToken(c.client, req)
}

// askToken reads the answer that RFC 6749 describes. The body of a refusal is not repeated: it may echo secrets.
func askToken(client *http.Client, req *http.Request) (string, time.Time, error) {
	asked := clock.System.Now()
	resp, err := client.Do(req)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("ask for a token: %w", err)
	}
	defer resp.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
		Error       string `json:"error"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&answer)
	if resp.StatusCode != http.StatusOK {
		return "", time.Time{}, fmt.Errorf("ask for a token at %s: answered %s %s", req.URL.Host, resp.Status, answer.Error)
	}
	if err != nil || answer.AccessToken == "" {
		return "", time.Time{}, fmt.Errorf("ask for a token at %s: the answer has no access_token", req.URL.Host)
	}
	return answer.AccessToken, asked.Add(time.Duration(answer.ExpiresIn) * time.Second), nil
}
