package firestorefake

import (
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

type fields = map[string]*pb.Value

// apply is the fields of a document after an update: those of the write, or with a mask the old ones with those named in
// it replaced or, where the write has none of that name, removed.
func apply(w *pb.Write, old *pb.Document, micros int64) (fields, []*pb.Value, error) {
	update := w.GetUpdate()
	if update == nil {
		return nil, nil, status.Errorf(codes.Unimplemented, "write of kind %T is not part of this fake", w.GetOperation())
	}
	update = proto.CloneOf(update)
	for _, v := range update.Fields {
		truncate(v)
	}
	after := fields{}
	switch {
	case w.UpdateMask == nil:
		after = update.Fields
	case old != nil:
		after = proto.CloneOf(old).Fields
	}
	if after == nil {
		after = fields{}
	}
	for _, p := range w.GetUpdateMask().GetFieldPaths() {
		path := splitPath(p)
		if path == nil {
			return nil, nil, status.Errorf(codes.InvalidArgument, "field path %q is not well formed", p)
		}
		set(after, path, get(update.Fields, path))
	}
	var transformed []*pb.Value
	for _, t := range w.UpdateTransforms {
		path := splitPath(t.FieldPath)
		if path == nil || t.GetSetToServerValue() != pb.DocumentTransform_FieldTransform_REQUEST_TIME {
			return nil, nil, status.Errorf(codes.Unimplemented, "transform of field %q of kind %T is not part of this fake", t.FieldPath, t.TransformType)
		}
		// Firestore keeps milliseconds of the time of the request, measured.
		v := &pb.Value{ValueType: &pb.Value_TimestampValue{TimestampValue: timestamppb.New(time.UnixMicro(micros).Truncate(time.Millisecond))}}
		set(after, path, v)
		transformed = append(transformed, v)
	}
	return after, transformed, nil
}

// get follows a path through maps; nil: nothing is there.
func get(f fields, path []string) *pb.Value {
	v := f[path[0]]
	if len(path) == 1 || v == nil {
		return v
	}
	return get(v.GetMapValue().GetFields(), path[1:])
}

// set puts a value, or removes it when nil, making the maps on its way.
func set(f fields, path []string, v *pb.Value) {
	if len(path) == 1 {
		if v == nil {
			delete(f, path[0])
		} else {
			f[path[0]] = v
		}
		return
	}
	m := f[path[0]].GetMapValue()
	if m == nil {
		if v == nil {
			return
		}
		m = &pb.MapValue{}
		f[path[0]] = &pb.Value{ValueType: &pb.Value_MapValue{MapValue: m}}
	}
	if m.Fields == nil {
		m.Fields = fields{}
	}
	set(m.Fields, path[1:], v)
}

// truncate cuts timestamps to the microseconds that Firestore keeps, everywhere in a value.
func truncate(v *pb.Value) {
	switch x := v.GetValueType().(type) {
	case *pb.Value_TimestampValue:
		x.TimestampValue.Nanos -= x.TimestampValue.Nanos % 1000
	case *pb.Value_MapValue:
		for _, e := range x.MapValue.GetFields() {
			truncate(e)
		}
	case *pb.Value_ArrayValue:
		for _, e := range x.ArrayValue.GetValues() {
			truncate(e)
		}
	}
}
