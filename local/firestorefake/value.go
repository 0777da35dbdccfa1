package firestorefake

import (
	"bytes"
	"cmp"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// rank is the place of a value's type in Firestore's order of types
// (https://firebase.google.com/docs/firestore/manage-data/data-types#value_type_ordering). It is negative for types that
// this fake does not compare.
func rank(v *pb.Value) int {
	switch v.GetValueType().(type) {
	case *pb.Value_NullValue:
		return 0
	case *pb.Value_BooleanValue:
		return 1
	case *pb.Value_IntegerValue, *pb.Value_DoubleValue:
		return 2
	case *pb.Value_TimestampValue:
		return 3
	case *pb.Value_StringValue:
		return 4
	case *pb.Value_BytesValue:
		return 5
	case *pb.Value_ReferenceValue:
		return 6
	}
	return -1
}

// compare orders two values as Firestore sorts them.
func compare(a, b *pb.Value) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch x := a.GetValueType().(type) {
	case *pb.Value_BooleanValue:
		return cmp.Compare(number(x.BooleanValue), number(b.GetBooleanValue()))
	case *pb.Value_IntegerValue:
		if y, ok := b.GetValueType().(*pb.Value_IntegerValue); ok {
			return cmp.Compare(x.IntegerValue, y.IntegerValue)
		}
		return cmp.Compare(float64(x.IntegerValue), b.GetDoubleValue())
	case *pb.Value_DoubleValue:
		if y, ok := b.GetValueType().(*pb.Value_IntegerValue); ok {
			return cmp.Compare(x.DoubleValue, float64(y.IntegerValue))
		}
		return cmp.Compare(x.DoubleValue, b.GetDoubleValue())
	case *pb.Value_TimestampValue:
		return compareTimes(x.TimestampValue, b.GetTimestampValue())
	case *pb.Value_StringValue:
		return cmp.Compare(x.StringValue, b.GetStringValue())
	case *pb.Value_BytesValue:
		return bytes.Compare(x.BytesValue, b.GetBytesValue())
	case *pb.Value_ReferenceValue:
		return compareNames(x.ReferenceValue, b.GetReferenceValue())
	}
	return 0
}

func compareTimes(a, b *timestamppb.Timestamp) int {
	return cmp.Or(cmp.Compare(a.GetSeconds(), b.GetSeconds()), cmp.Compare(a.GetNanos(), b.GetNanos()))
}

// compareNames orders names by their ids, one after the other; a slash is not a character of theirs.
func compareNames(a, b string) int {
	for {
		x, restA, moreA := strings.Cut(a, "/")
		y, restB, moreB := strings.Cut(b, "/")
		if c := cmp.Compare(x, y); c != 0 || !moreA || !moreB {
			return cmp.Or(c, cmp.Compare(number(moreA), number(moreB)))
		}
		a, b = restA, restB
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
