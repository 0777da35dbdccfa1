package converter

import (
	"context"
	"fmt"

	"sluice.example/shared/record"
)

// Converter turns values into bytes. It is safe for concurrent use.
type Converter interface {
	// Append appends the bytes of v, described by schema (nil: no schema), to dst and returns the longer slice. null
	// says that the value is no bytes at all, which is not the same as zero bytes; dst then comes back as it was.
	//
	// ctx bounds a call to a schema registry; converters without one ignore it. It fails when the value does not fit its
	// schema, naming the field, or when the converter cannot carry such values; dst is then returned at its old length.
	Append(ctx context.Context, dst []byte, topic string, schema *record.Schema, v record.Value) (out []byte, null bool, err error)
}

// Invalid is a value that a converter cannot turn into bytes. It never contains the value.
type Invalid struct {
	Path   string // field, from the root: after.Tags[2]
	Reason string
}

func (e *Invalid) Error() string {
	if e.Path == "" {
		return "value cannot be converted: " + e.Reason
	}
	return fmt.Sprintf("value cannot be converted: field %s: %s", e.Path, e.Reason)
}

// at puts an outer step in front of the path of an error.
func at(step string, err error) error {
	e, ok := err.(*Invalid)
	switch {
	case !ok || step == "":
		return err
	case e.Path == "" || e.Path[0] == '[':
		return &Invalid{Path: step + e.Path, Reason: e.Reason}
	}
	return &Invalid{Path: step + "." + e.Path, Reason: e.Reason}
}
