// Package record is Kafka Connect's data model: schemas, values, records with headers. It knows nothing of Spanner and
// nothing of bytes; package converter turns a record into bytes, package envelope makes records from changes.
//
// Source of the facts: org.apache.kafka.connect.data (Connect's API documentation) and seed 004.
package record

// Type is the type of a schema. The zero value is no type: the schema of a value that has none.
type Type uint8

// Connect's types. Their names on the wire are those of String.
const (
	NoType Type = iota
	Int8
	Int16
	Int32
	Int64
	Float32
	Float64
	Boolean
	String
	Bytes
	Array
	Map
	Struct
)

var typeNames = [...]string{"", "int8", "int16", "int32", "int64", "float", "double", "boolean", "string", "bytes", "array", "map", "struct"}

// String is the type's name as JsonConverter prints it ("float" for 32 bits, "double" for 64).
func (t Type) String() string { return typeNames[t] }

// Schema describes a value. Schemas are built once and then only read: share them freely between goroutines, and
// compare them by pointer where identity is meant (a converter caches by pointer).
type Schema struct {
	Type       Type
	Optional   bool
	Name       string // empty: none
	Version    int    // zero: none
	Doc        string
	Parameters []Parameter // in the order they are printed
	Default    *Value      // nil: none
	Fields     []Field     // of a Struct
	Key        *Schema     // of a Map
	Elem       *Schema     // of an Array or a Map
}

// Parameter is one entry of a schema's parameters.
type Parameter struct{ Name, Value string }

// Field is one field of a Struct schema; its index is its place in Schema.Fields and in the value's List.
type Field struct {
	Name   string
	Schema *Schema
}

// Field finds a field by name; -1 when the schema has none of that name.
func (s *Schema) Field(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// Of makes a required schema of a scalar type.
func Of(t Type) *Schema { return &Schema{Type: t} }

// OptionalOf makes an optional schema of a scalar type.
func OptionalOf(t Type) *Schema { return &Schema{Type: t, Optional: true} }
