package changestream

// Value is a datum of a row as a client library holds it. Adapters implement it with a pointer-shaped type, so that
// decoding a row allocates nothing but the records. A method asked for what the value is not answers ok false.
type Value interface {
	Null() bool
	Text() (string, bool) // of STRING, INT64, TIMESTAMP, JSON, JSONB
	Bool() (bool, bool)
	Len() (int, bool) // of ARRAY and STRUCT
	At(i int) Value   // 0 <= i < Len
}

// Shape is the type of a column as far as decoding needs it: the fields of a struct. An array has the shape of its
// elements; a scalar has no fields.
type Shape struct {
	Fields []Field
}

// Field is a member of a struct.
type Field struct {
	Name  string
	Shape Shape
}

// index finds a field; -1 when the shape has none of that name.
func (s Shape) index(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// under is the shape of a field that index has found; no fields for -1.
func (s Shape) under(at int) Shape {
	if at < 0 {
		return Shape{}
	}
	return s.Fields[at].Shape
}
