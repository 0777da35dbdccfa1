package spannerdb

import (
	"cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/protobuf/types/known/structpb"

	"sluice.example/shared/changestream"
)

// value lets changestream read a wire value as it is. It is a pointer in an interface: no allocation.
type value struct{ *structpb.Value }

func (v value) Null() bool {
	if v.Value == nil {
		return true
	}
	_, null := v.Kind.(*structpb.Value_NullValue)
	return null
}

func (v value) Text() (string, bool) {
	s, ok := v.Kind.(*structpb.Value_StringValue)
	if !ok {
		return "", false
	}
	return s.StringValue, true
}

func (v value) Bool() (bool, bool) {
	b, ok := v.Kind.(*structpb.Value_BoolValue)
	if !ok {
		return false, false
	}
	return b.BoolValue, true
}

func (v value) Len() (int, bool) {
	if v.Value == nil {
		return 0, false
	}
	l, ok := v.Kind.(*structpb.Value_ListValue)
	if !ok {
		return 0, false
	}
	return len(l.ListValue.Values), true
}

func (v value) At(i int) changestream.Value {
	return value{v.Kind.(*structpb.Value_ListValue).ListValue.Values[i]}
}

// shape is a column's type as changestream wants it.
func shape(t *spannerpb.Type) changestream.Shape {
	for t.GetCode() == spannerpb.TypeCode_ARRAY {
		t = t.GetArrayElementType()
	}
	var s changestream.Shape
	for _, f := range t.GetStructType().GetFields() {
		s.Fields = append(s.Fields, changestream.Field{Name: f.GetName(), Shape: shape(f.GetType())})
	}
	return s
}
