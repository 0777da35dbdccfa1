package firestorefake

import (
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

type operator = pb.StructuredQuery_FieldFilter_Operator

// condition is one comparison of a query.
type condition struct {
	name  string   // of the field, as the query writes it
	path  []string // nil: the document's name
	op    operator
	value *pb.Value
}

// maxIn is the most values that "in" may list.
const maxIn = 30

// conditions are those of a filter, all of which must hold.
func conditions(f *pb.StructuredQuery_Filter) ([]condition, error) {
	switch x := f.GetFilterType().(type) {
	case nil:
		return nil, nil
	case *pb.StructuredQuery_Filter_CompositeFilter:
		if x.CompositeFilter.Op != pb.StructuredQuery_CompositeFilter_AND {
			return nil, unknown("a filter joined by anything but AND")
		}
		var all []condition
		for _, part := range x.CompositeFilter.Filters {
			c, err := conditions(part)
			if err != nil {
				return nil, err
			}
			all = append(all, c...)
		}
		return all, nil
	case *pb.StructuredQuery_Filter_FieldFilter:
		c, err := newCondition(x.FieldFilter)
		return []condition{c}, err
	}
	return nil, unknown("a filter for null or NaN")
}

func newCondition(f *pb.StructuredQuery_FieldFilter) (condition, error) {
	c := condition{name: f.GetField().GetFieldPath(), op: f.Op, value: proto.CloneOf(f.Value)}
	truncate(c.value)
	if c.name != nameField {
		if c.path = splitPath(c.name); c.path == nil {
			return c, status.Errorf(codes.InvalidArgument, "field path %q is not well formed", c.name)
		}
	}
	operands := []*pb.Value{c.value}
	switch c.op {
	case pb.StructuredQuery_FieldFilter_EQUAL, pb.StructuredQuery_FieldFilter_LESS_THAN, pb.StructuredQuery_FieldFilter_LESS_THAN_OR_EQUAL,
		pb.StructuredQuery_FieldFilter_GREATER_THAN, pb.StructuredQuery_FieldFilter_GREATER_THAN_OR_EQUAL:
	case pb.StructuredQuery_FieldFilter_IN:
		operands = c.value.GetArrayValue().GetValues()
		if len(operands) == 0 || len(operands) > maxIn {
			return c, status.Errorf(codes.InvalidArgument, "in lists %d values; 1 to %d are allowed", len(operands), maxIn)
		}
	default:
		return c, unknown("the operator " + c.op.String())
	}
	for _, v := range operands {
		if rank(v) <= 0 {
			return c, unknown("a comparison with null, an array, a map or a place")
		}
	}
	return c, nil
}

// equality tells whether the condition is served by the prefix of an index.
func (c condition) equality() bool {
	return c.op == pb.StructuredQuery_FieldFilter_EQUAL || c.op == pb.StructuredQuery_FieldFilter_IN
}

// holds tells whether a document satisfies it. A value of another type never does.
func (c condition) holds(d *pb.Document) bool {
	var v *pb.Value
	if c.path == nil {
		v = &pb.Value{ValueType: &pb.Value_ReferenceValue{ReferenceValue: d.Name}}
	} else if v = get(d.Fields, c.path); v == nil {
		return false
	}
	if c.op == pb.StructuredQuery_FieldFilter_IN {
		return slices.ContainsFunc(c.value.GetArrayValue().GetValues(), func(e *pb.Value) bool { return compare(v, e) == 0 })
	}
	if rank(v) != rank(c.value) {
		return false
	}
	n := compare(v, c.value)
	switch c.op {
	case pb.StructuredQuery_FieldFilter_EQUAL:
		return n == 0
	case pb.StructuredQuery_FieldFilter_LESS_THAN:
		return n < 0
	case pb.StructuredQuery_FieldFilter_LESS_THAN_OR_EQUAL:
		return n <= 0
	case pb.StructuredQuery_FieldFilter_GREATER_THAN:
		return n > 0
	}
	return n >= 0
}
