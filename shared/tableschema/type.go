package tableschema

import (
	"fmt"
	"strings"
)

// Kind is a scalar type of Spanner, whatever the dialect calls it.
type Kind uint8

// The kinds. The zero Kind is no type.
const (
	NoKind Kind = iota
	Bool
	Int64
	Float64
	Float32
	Numeric
	String
	Bytes
	Date
	Timestamp
	JSON
	TokenList
	UUID
)

var kindNames = [...]string{"", "BOOL", "INT64", "FLOAT64", "FLOAT32", "NUMERIC", "STRING", "BYTES", "DATE", "TIMESTAMP", "JSON", "TOKENLIST", "UUID"}

// String is GoogleSQL's name of the kind.
func (k Kind) String() string { return kindNames[k] }

// Type is the type of a column: a scalar, or an array of one. Lengths and precisions are not part of it: they change
// nothing in a record.
type Type struct {
	Kind  Kind
	Array bool
}

// String is the type in GoogleSQL's words.
func (t Type) String() string {
	if t.Array {
		return "ARRAY<" + t.Kind.String() + ">"
	}
	return t.Kind.String()
}

// UnknownType is a type that the product cannot turn into a Connect schema.
type UnknownType struct{ Text string }

func (e *UnknownType) Error() string { return "unknown spanner type " + e.Text }

// Unsupported says which column makes the changes of a table undeliverable. Changes of other tables are not concerned.
type Unsupported struct {
	Table, Column, Type string
}

func (e *Unsupported) Error() string {
	return fmt.Sprintf("table %s cannot be captured: column %s has the type %s, which is not supported; exclude the table (table.exclude.list) or leave the column out of the change stream", e.Table, e.Column, e.Type)
}

// ParseType understands a type as information_schema's spanner_type writes it, in either dialect and any case, or as a
// change record does (a JSON object). Anything else is an *UnknownType carrying the text as it came.
//
// Source: Debezium reference 3; cloud.google.com/spanner/docs/reference/rest/v1/Type.
func ParseType(text string) (Type, error) {
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "{") {
		return parseJSON(t)
	}
	if t, ok := parseText(text); ok {
		return t, nil
	}
	return Type{}, &UnknownType{Text: text}
}
