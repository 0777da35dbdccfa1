package converter

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sluice.example/shared/record"
)

// stringConverter is org.apache.kafka.connect.storage.StringConverter: what Java's toString prints.
type stringConverter struct{}

func newString(_ string, c Config) (Converter, error) {
	const key = "converter.encoding"
	if e := strings.ReplaceAll(strings.ToUpper(c[key]), "-", ""); e != "" && e != "UTF8" {
		return nil, fmt.Errorf("invalid value %s for configuration %s: only UTF-8 is available", c[key], key)
	}
	return stringConverter{}, nil
}

// Append writes text; null is null.
func (stringConverter) Append(_ context.Context, dst []byte, _ string, schema *record.Schema, v record.Value) ([]byte, bool, error) {
	if v.IsNull() {
		return dst, true, nil
	}
	return appendJava(dst, schema, v), false, nil
}

// appendJava writes a value as Java's toString does: Struct{a=1,b=x} (null fields left out), {k=v, l=w}, [1, null].
// Bytes inside of which Java would print the address of an object are base64.
func appendJava(dst []byte, s *record.Schema, v record.Value) []byte {
	switch v.Kind() {
	case record.NoType:
		return append(dst, "null"...)
	case record.String:
		return append(dst, v.Text()...)
	case record.Boolean:
		return strconv.AppendBool(dst, v.Bool())
	case record.Float64:
		return appendFloat(dst, v.Float(), 64)
	case record.Float32:
		return appendFloat(dst, v.Float(), 32)
	case record.Bytes:
		return appendBase64(dst, v.Text())
	case record.Struct:
		dst = append(dst, "Struct{"...)
		for i, between := 0, ""; i < len(v.List()); i++ {
			if f := v.List()[i]; !f.IsNull() && s != nil && i < len(s.Fields) {
				dst = append(append(append(dst, between...), s.Fields[i].Name...), '=')
				dst = appendJava(dst, s.Fields[i].Schema, f)
				between = ","
			}
		}
		return append(dst, '}')
	case record.Array:
		dst = append(dst, '[')
		for i, e := range v.List() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendJava(dst, elem(s), e)
		}
		return append(dst, ']')
	case record.Map:
		dst = append(dst, '{')
		for i := 0; i+1 < len(v.List()); i += 2 {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendJava(dst, key(s), v.List()[i]), '=')
			dst = appendJava(dst, elem(s), v.List()[i+1])
		}
		return append(dst, '}')
	}
	return strconv.AppendInt(dst, v.Int(), 10)
}

func elem(s *record.Schema) *record.Schema {
	if s == nil {
		return nil
	}
	return s.Elem
}

func key(s *record.Schema) *record.Schema {
	if s == nil {
		return nil
	}
	return s.Key
}
