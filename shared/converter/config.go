package converter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Config is a converter's own configuration: keys without their prefix.
type Config map[string]string

// maker makes a converter from its configuration; side is key, value or header.
type maker func(side string, c Config) (Converter, error)

// class is a Java class that a configuration may name.
type class struct {
	name    string
	headers bool // may be a header.converter
	make    maker
}

// classes are the converters there are. One entry for each, here and nowhere else.
var classes = []class{
	{"org.apache.kafka.connect.json.JsonConverter", true, newJSON},
	{"org.apache.kafka.connect.storage.StringConverter", true, newString},
	{"org.apache.kafka.connect.converters.ByteArrayConverter", true, newByteArray},
	{"org.apache.kafka.connect.storage.SimpleHeaderConverter", true, newSimpleHeader},
}

// What Connect takes when a worker's configuration does not say.
const (
	defaultData   = "org.apache.kafka.connect.json.JsonConverter"
	defaultHeader = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
)

// UnknownClass says that no converter of that name exists here.
type UnknownClass struct{ Key, Class string }

func (e *UnknownClass) Error() string {
	var names []string
	for _, c := range classes {
		names = append(names, c.name)
	}
	return fmt.Sprintf("invalid value %s for configuration %s: no such converter; available: %s", e.Class, e.Key, strings.Join(names, ", "))
}

// Classes is the full names of the converters there are, sorted, for plugin listings.
func Classes() (data, header []string) {
	for _, c := range classes {
		if c.name != defaultHeader {
			data = append(data, c.name)
		}
		if c.headers {
			header = append(header, c.name)
		}
	}
	slices.Sort(data)
	slices.Sort(header)
	return data, header
}

// build makes the converter of one side. As in Connect, whoever names the class configures it: the connector's prefixed
// keys count only beside the connector's own class, otherwise the worker's count.
func build(side string, connector, worker map[string]string) (Converter, error) {
	key := side + ".converter"
	from := connector
	if connector[key] == "" {
		from = worker
	}
	name := from[key]
	if name == "" {
		if name = defaultData; side == "header" {
			name = defaultHeader
		}
	}
	own := Config{}
	for k, v := range from {
		if rest, ok := strings.CutPrefix(k, key+"."); ok {
			own[rest] = v
		}
	}
	for _, c := range classes {
		if c.answers(name) && (side != "header" || c.headers) {
			made, err := c.make(side, own)
			if err != nil {
				return nil, fmt.Errorf("configure %s %s: %w", key, c.name, err)
			}
			return made, nil
		}
	}
	return nil, &UnknownClass{Key: key, Class: name}
}

// answers tells whether a name means the class: Connect takes the full name, the simple name, and that without its kind
// (JsonConverter, Json).
func (c class) answers(name string) bool {
	simple := c.name[strings.LastIndexByte(c.name, '.')+1:]
	return name == c.name || name == simple || name == strings.TrimSuffix(strings.TrimSuffix(simple, "Converter"), "Header")
}

// Bool reads a boolean as Kafka does: true or false in any case, blanks around it. Absent: byDefault.
func (c Config) Bool(key string, byDefault bool) (bool, error) {
	text, ok := c[key]
	if !ok {
		return byDefault, nil
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("invalid value %s for configuration %s: expected value to be either true or false", text, key)
}

// Int reads an integer. Absent: byDefault.
func (c Config) Int(key string, byDefault int) (int, error) {
	text, ok := c[key]
	if !ok {
		return byDefault, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("invalid value %s for configuration %s: not a number of type INT", text, key)
	}
	return int(n), nil
}
