package app

import (
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/magiconair/properties"
)

// Properties are worker properties with where each came from, as `sluice config explain` shows them.
type Properties struct {
	Values map[string]string
	Origin map[string]string // file name, environment variable, or "default"
}

// defaults are what a worker needs and Sluice does not insist on being told. Connect has no defaults for the first five.
var defaults = map[string]string{
	"group.id":                    "sluice",
	"key.converter":               "org.apache.kafka.connect.json.JsonConverter",
	"value.converter":             "org.apache.kafka.connect.json.JsonConverter",
	"offset.storage.topic":        "sluice-offsets",
	"exactly.once.source.support": "enabled",
	"listeners":                   "http://:8083",
}

// LoadProperties reads a worker properties file (path "" for none) in Java's form and the CONNECT_* variables of environ,
// which win over it, as in the Connect images: CONNECT_BOOTSTRAP_SERVERS is bootstrap.servers; a double underscore is an
// underscore, a triple one a dash. Unknown keys are kept: clients of Kafka may know them.
func LoadProperties(path string, environ []string) (Properties, error) {
	p := Properties{Values: make(map[string]string), Origin: make(map[string]string)}
	for k, v := range defaults {
		p.set(k, v, "default")
	}
	if path != "" {
		values, err := ReadFile(path)
		if err != nil {
			return p, err
		}
		for k, v := range values {
			p.set(k, v, path)
		}
	}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if rest, ok := strings.CutPrefix(name, "CONNECT_"); ok && rest != "" {
			p.set(fromVariable(rest), value, name)
		}
	}
	return p, nil
}

// ReadFile reads a properties file as java.util.Properties does, without expanding ${…}: those are references that the
// worker resolves, not the file.
func ReadFile(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read properties: %w", err)
	}
	loader := properties.Loader{Encoding: properties.ISO_8859_1, DisableExpansion: true}
	parsed, err := loader.LoadBytes(text)
	if err != nil {
		return nil, fmt.Errorf("read properties from %s: %w", path, err)
	}
	return parsed.Map(), nil
}

func (p Properties) set(key, value, origin string) {
	p.Values[key] = value
	p.Origin[key] = origin
}

// Default sets a value that nobody has set.
func (p Properties) Default(key, value, origin string) {
	if o, ok := p.Origin[key]; !ok || o == "default" {
		p.set(key, value, origin)
	}
}

// Get is a value, "" when it is not set.
func (p Properties) Get(key string) string { return strings.TrimSpace(p.Values[key]) }

// Keys are the names of all values, sorted.
func (p Properties) Keys() []string {
	keys := make([]string, 0, len(p.Values))
	for k := range p.Values {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// fromVariable is the key that the rest of a variable's name stands for.
func fromVariable(name string) string {
	name = strings.ToLower(name)
	name = strings.ReplaceAll(name, "___", "\x00")
	name = strings.ReplaceAll(name, "__", "\x01")
	name = strings.ReplaceAll(name, "_", ".")
	name = strings.ReplaceAll(name, "\x00", "-")
	return strings.ReplaceAll(name, "\x01", "_")
}
