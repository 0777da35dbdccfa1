package converter

import (
	"strconv"

	"sluice.example/shared/record"
)

// appendBare writes a value that has no schema: what a transform made. A map is an object when all its keys are strings.
func appendBare(dst []byte, v record.Value) ([]byte, error) {
	switch v.Kind() {
	case record.NoType:
		return append(dst, "null"...), nil
	case record.Array:
		dst = append(dst, '[')
		for i, e := range v.List() {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendBare(dst, e); err != nil {
				return dst, at("["+strconv.Itoa(i)+"]", err)
			}
		}
		return append(dst, ']'), nil
	case record.Map:
		asObject := true
		for i := 0; i < len(v.List()); i += 2 {
			asObject = asObject && v.List()[i].Kind() == record.String
		}
		return appendMap(dst, v.List(), asObject, appendBare, appendBare)
	case record.Struct:
		return dst, &Invalid{Reason: "a struct without a schema"}
	}
	return appendScalar(dst, v), nil
}

// appendMap writes the entries of a map, as an object or as an array of pairs.
func appendMap(dst []byte, entries []record.Value, asObject bool, key, value func([]byte, record.Value) ([]byte, error)) ([]byte, error) {
	before, between, after, closer := "{", ":", "", "}"
	if asObject && len(entries) == 0 {
		return append(dst, "{}"...), nil
	}
	if !asObject {
		before, between, after, closer = "[[", ",", "]", "]"
		if len(entries) == 0 {
			return append(dst, "[]"...), nil
		}
	}
	for i := 0; i+1 < len(entries); i += 2 {
		var err error
		if dst, err = key(append(dst, before...), entries[i]); err != nil {
			return dst, at("key", err)
		}
		if dst, err = value(append(dst, between...), entries[i+1]); err != nil {
			return dst, at("value", err)
		}
		dst = append(dst, after...)
		if before = ","; !asObject {
			before = ",["
		}
	}
	return append(dst, closer...), nil
}
