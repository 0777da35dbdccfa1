package firestorefake

import (
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Firestore's limits (https://firebase.google.com/docs/firestore/quotas).
const (
	maxRequest  = 10 << 20 // of a message; gRPC answers ResourceExhausted, as the emulator does
	maxDocument = 1 << 20
	maxValue    = maxDocument - 89
	maxIndexed  = 1500
	maxDepth    = 20
)

// checkLimits refuses a document that Firestore would refuse for its size or its field names. An indexed value above
// 1500 bytes Firestore cuts instead, and answers queries for it inconsistently: here it is refused, so that it is noticed.
func checkLimits(d *pb.Document, indexes Indexes) error {
	size := 32 + 16
	for id := range strings.SplitSeq(below(d.Name), "/") {
		size += len(id) + 1
	}
	n, err := fieldsSize(d.Fields, 1)
	if err != nil {
		return err
	}
	if size += n; size > maxDocument {
		return status.Errorf(codes.InvalidArgument, "document %s has %d bytes, more than the %d allowed", below(d.Name), size, maxDocument)
	}
	group := parent(d.Name)
	group = group[strings.LastIndexByte(group, '/')+1:]
	for name, v := range d.Fields {
		if indexes.any(group, name) {
			if err := checkIndexed(name, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkIndexed(name string, v *pb.Value) error {
	for _, e := range v.GetArrayValue().GetValues() {
		if err := checkIndexed(name, e); err != nil {
			return err
		}
	}
	for _, e := range v.GetMapValue().GetFields() {
		if err := checkIndexed(name, e); err != nil {
			return err
		}
	}
	if n := max(len(v.GetStringValue()), len(v.GetBytesValue())); n > maxIndexed {
		return status.Errorf(codes.InvalidArgument, "indexed field %s holds %d bytes, more than the %d that an index keeps", name, n, maxIndexed)
	}
	return nil
}

// fieldsSize counts as https://firebase.google.com/docs/firestore/storage-size says.
func fieldsSize(f fields, depth int) (int, error) {
	if depth > maxDepth {
		return 0, status.Errorf(codes.InvalidArgument, "maps are nested deeper than %d levels", maxDepth)
	}
	size := 0
	for name, v := range f {
		if name == "" || len(name) > maxID || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") && len(name) >= 4 {
			return 0, status.Errorf(codes.InvalidArgument, "field name %q is empty, reserved or too long", name)
		}
		n, err := valueSize(name, v, depth)
		if err != nil {
			return 0, err
		}
		size += len(name) + 1 + n
	}
	return size, nil
}

func valueSize(name string, v *pb.Value, depth int) (int, error) {
	switch x := v.GetValueType().(type) {
	case *pb.Value_MapValue:
		return fieldsSize(x.MapValue.GetFields(), depth+1)
	case *pb.Value_ArrayValue:
		size := 0
		for _, e := range x.ArrayValue.GetValues() {
			n, err := valueSize(name, e, depth)
			if err != nil {
				return 0, err
			}
			size += n
		}
		return size, nil
	case *pb.Value_StringValue, *pb.Value_BytesValue, *pb.Value_ReferenceValue:
		n := len(v.GetStringValue()) + len(v.GetBytesValue()) + len(v.GetReferenceValue())
		if n > maxValue {
			return 0, status.Errorf(codes.InvalidArgument, "field %s holds %d bytes, more than the %d allowed", name, n, maxValue)
		}
		return n + 1, nil
	case *pb.Value_NullValue, *pb.Value_BooleanValue:
		return 1, nil
	}
	return 8, nil
}
