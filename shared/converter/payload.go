package converter

import (
	"encoding/base64"
	"math"
	"strconv"

	"sluice.example/shared/record"
)

// append writes a value that has a schema.
func (s style) append(dst []byte, l *layout, v record.Value) ([]byte, error) {
	if v.IsNull() {
		return s.null(dst, l)
	}
	if v.Kind() != l.schema.Type {
		return dst, &Invalid{Reason: "a value of type " + v.Kind().String() + " where the schema says " + l.schema.Type.String()}
	}
	switch v.Kind() {
	case record.Struct:
		return s.object(dst, l, v.List())
	case record.Array:
		dst = append(dst, '[')
		for i, e := range v.List() {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = s.append(dst, l.elem, e); err != nil {
				return dst, at("["+strconv.Itoa(i)+"]", err)
			}
		}
		return append(dst, ']'), nil
	case record.Map:
		return s.entries(dst, l, v.List())
	case record.Bytes:
		if l.decimal && s.plainDecimal {
			return appendDecimal(dst, v.Text(), l.scale), nil
		}
	}
	return appendScalar(dst, v), nil
}

// null writes a null, or the default that stands in for it.
func (s style) null(dst []byte, l *layout) ([]byte, error) {
	switch {
	case l.schema.Default != nil && !l.schema.Default.IsNull() && s.useDefaults:
		return s.append(dst, l, *l.schema.Default)
	case l.schema.Optional:
		return append(dst, "null"...), nil
	}
	return dst, &Invalid{Reason: "null value for field that is required and has no default value"}
}

func (s style) object(dst []byte, l *layout, values []record.Value) ([]byte, error) {
	if len(values) != len(l.fields) {
		return dst, &Invalid{Reason: "a struct of " + strconv.Itoa(len(values)) + " values where the schema has " + strconv.Itoa(len(l.fields)) + " fields"}
	}
	if len(values) == 0 {
		return append(dst, "{}"...), nil
	}
	for i := range l.fields {
		f := &l.fields[i]
		dst = append(dst, f.prefix...)
		var err error
		if dst, err = s.append(dst, f.layout, values[i]); err != nil {
			return dst, at(f.name, err)
		}
	}
	return append(dst, '}'), nil
}

// entries writes a map: an object when the schema makes its keys strings, otherwise pairs.
func (s style) entries(dst []byte, l *layout, entries []record.Value) ([]byte, error) {
	asObject := l.key.schema.Type == record.String && !l.key.schema.Optional
	return appendMap(dst, entries, asObject,
		func(dst []byte, v record.Value) ([]byte, error) { return s.append(dst, l.key, v) },
		func(dst []byte, v record.Value) ([]byte, error) { return s.append(dst, l.elem, v) })
}

// appendScalar writes a value that has no parts.
func appendScalar(dst []byte, v record.Value) []byte {
	switch v.Kind() {
	case record.String:
		return appendText(dst, v.Text())
	case record.Boolean:
		return strconv.AppendBool(dst, v.Bool())
	case record.Float64:
		return appendQuotedFloat(dst, v.Float(), 64)
	case record.Float32:
		return appendQuotedFloat(dst, v.Float(), 32)
	case record.Bytes:
		return append(appendBase64(append(dst, '"'), v.Text()), '"')
	}
	return strconv.AppendInt(dst, v.Int(), 10)
}

// appendQuotedFloat quotes what is no JSON number.
func appendQuotedFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(appendFloat(append(dst, '"'), f, bits), '"')
	}
	return appendFloat(dst, f, bits)
}

// appendBase64 encodes three bytes at a time: the library's encoder takes a slice, and making one of a string copies it.
func appendBase64(dst []byte, s string) []byte {
	var room [48]byte
	for len(s) > 0 {
		n := copy(room[:], s)
		dst = base64.StdEncoding.AppendEncode(dst, room[:n])
		s = s[n:]
	}
	return dst
}
