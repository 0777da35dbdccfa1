package record

import "math"

// Value is one datum: a tagged union that needs no allocation for scalars. The zero Value is null. A Value does not
// carry its schema; the schema stands beside it (Record.ValueSchema and so on).
//
// How the kinds are kept: integers, booleans and floats in bits; String and Bytes in text (bytes are held as a string,
// so that a Value is immutable); Array and Struct in list, a struct's in the order of its schema's fields; Map in list as
// key, value, key, value.
type Value struct {
	kind Type
	bits uint64
	text string
	list []Value
}

// Null is the absent value; it is also the zero Value.
var Null Value

// Kind is the value's own type; NoType for null.
func (v Value) Kind() Type { return v.kind }

// IsNull tells whether the value is null.
func (v Value) IsNull() bool { return v.kind == NoType }

// Int makes an integer of the given type (Int8 to Int64).
func Int(t Type, n int64) Value { return Value{kind: t, bits: uint64(n)} }

// Int64Of makes an Int64.
func Int64Of(n int64) Value { return Int(Int64, n) }

// Int32Of makes an Int32.
func Int32Of(n int32) Value { return Int(Int32, int64(n)) }

// BoolOf makes a Boolean.
func BoolOf(b bool) Value {
	if b {
		return Value{kind: Boolean, bits: 1}
	}
	return Value{kind: Boolean}
}

// Float64Of makes a Float64.
func Float64Of(f float64) Value { return Value{kind: Float64, bits: math.Float64bits(f)} }

// Float32Of makes a Float32.
func Float32Of(f float32) Value { return Value{kind: Float32, bits: math.Float64bits(float64(f))} }

// StringOf makes a String.
func StringOf(s string) Value { return Value{kind: String, text: s} }

// BytesOf makes Bytes from the bytes of s.
func BytesOf(s string) Value { return Value{kind: Bytes, text: s} }

// ArrayOf makes an Array; the slice is kept, not copied.
func ArrayOf(elems []Value) Value { return Value{kind: Array, list: elems} }

// StructOf makes a Struct from its fields' values in the schema's order; the slice is kept, not copied.
func StructOf(fields []Value) Value { return Value{kind: Struct, list: fields} }

// MapOf makes a Map from key, value, key, value; the slice is kept, not copied.
func MapOf(entries []Value) Value { return Value{kind: Map, list: entries} }

// Int is the value of an integer kind.
func (v Value) Int() int64 { return int64(v.bits) }

// Bool is the value of a Boolean.
func (v Value) Bool() bool { return v.bits != 0 }

// Float is the value of a Float32 or Float64.
func (v Value) Float() float64 { return math.Float64frombits(v.bits) }

// Text is the value of a String, or the bytes of Bytes.
func (v Value) Text() string { return v.text }

// List is the elements of an Array, the fields of a Struct, or the entries of a Map (key, value, …). Do not change it.
func (v Value) List() []Value { return v.list }
