package converter

import (
	"context"

	"sluice.example/shared/record"
)

// byteArray is org.apache.kafka.connect.converters.ByteArrayConverter: bytes go through as they are, and nothing else
// does.
type byteArray struct{}

func newByteArray(string, Config) (Converter, error) { return byteArray{}, nil }

// Append copies bytes; null is null.
func (byteArray) Append(_ context.Context, dst []byte, _ string, schema *record.Schema, v record.Value) ([]byte, bool, error) {
	switch {
	case schema != nil && schema.Type != record.Bytes:
		return dst, false, &Invalid{Reason: "invalid schema type for ByteArrayConverter: " + schema.Type.String()}
	case v.IsNull():
		return dst, true, nil
	case v.Kind() != record.Bytes:
		return dst, false, &Invalid{Reason: "ByteArrayConverter is not compatible with values of type " + v.Kind().String()}
	}
	return append(dst, v.Text()...), false, nil
}
