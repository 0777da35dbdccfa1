package converter

import (
	"context"
	"strconv"
	"strings"
	"time"

	"sluice.example/shared/record"
)

// simpleHeader is org.apache.kafka.connect.storage.SimpleHeaderConverter: a string as it is, anything else as text that
// can be parsed again.
type simpleHeader struct{}

func newSimpleHeader(string, Config) (Converter, error) { return simpleHeader{}, nil }

// Append writes a header's value; null is null.
func (simpleHeader) Append(_ context.Context, dst []byte, _ string, schema *record.Schema, v record.Value) ([]byte, bool, error) {
	if v.IsNull() {
		return dst, true, nil
	}
	if v.Kind() == record.String {
		return append(dst, v.Text()...), false, nil
	}
	return appendSimple(dst, schema, v), false, nil
}

// appendSimple writes a value that may stand inside another: there strings are quoted.
func appendSimple(dst []byte, s *record.Schema, v record.Value) []byte {
	switch v.Kind() {
	case record.String:
		dst = append(dst, '"')
		dst = append(dst, simpleEscapes.Replace(v.Text())...)
		return append(dst, '"')
	case record.Array:
		dst = append(dst, '[')
		for i, e := range v.List() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendSimple(dst, elem(s), e)
		}
		return append(dst, ']')
	case record.Map:
		dst = append(dst, '{')
		for i := 0; i+1 < len(v.List()); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendSimple(dst, key(s), v.List()[i]), ':')
			dst = appendSimple(dst, elem(s), v.List()[i+1])
		}
		return append(dst, '}')
	case record.Struct:
		dst = append(dst, '{')
		for i, f := range v.List() {
			if s == nil || i >= len(s.Fields) {
				break
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendSimple(dst, nil, record.StringOf(s.Fields[i].Name)), ':')
			dst = appendSimple(dst, s.Fields[i].Schema, f)
		}
		return append(dst, '}')
	}
	if s != nil {
		switch s.Name {
		case "org.apache.kafka.connect.data.Date":
			return time.Unix(v.Int()*86400, 0).UTC().AppendFormat(dst, "2006-01-02")
		case "org.apache.kafka.connect.data.Time":
			return time.UnixMilli(v.Int()).UTC().AppendFormat(dst, "15:04:05.000Z")
		case "org.apache.kafka.connect.data.Timestamp":
			return time.UnixMilli(v.Int()).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
		case decimalName:
			if scale := scaleOf(s); v.Kind() == record.Bytes && scale != "" {
				n, _ := strconv.Atoi(scale)
				return appendDecimal(dst, v.Text(), n)
			}
		}
	}
	return appendJava(dst, s, v)
}

var simpleEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func scaleOf(s *record.Schema) string {
	for _, p := range s.Parameters {
		if p.Name == "scale" {
			return p.Value
		}
	}
	return ""
}
