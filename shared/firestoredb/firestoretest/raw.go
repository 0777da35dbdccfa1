package firestoretest

import (
	"context"
	"io"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// raw speaks the API without a client between, on a database of its own.
type raw struct {
	t        *testing.T
	api      pb.FirestoreClient
	database string
}

func newRaw(t *testing.T, dial Dial) *raw {
	conn := dial(t)
	t.Cleanup(func() { _ = conn.Close() })
	return &raw{t: t, api: pb.NewFirestoreClient(conn), database: "projects/" + project() + "/databases/(default)"}
}

type fields = map[string]*pb.Value

func text(s string) *pb.Value { return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: s}} }

func integer(n int64) *pb.Value { return &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: n}} }

func timestamp(t time.Time) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_TimestampValue{TimestampValue: timestamppb.New(t)}}
}

func list(v ...*pb.Value) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: v}}}
}

// name is a document's full name; all are in collection c unless a path is given.
func (r *raw) name(path string) string { return r.database + "/documents/" + path }

func (r *raw) set(path string, f fields) *pb.Write {
	return &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: r.name(path), Fields: f}}}
}

func (r *raw) remove(path string) *pb.Write {
	return &pb.Write{Operation: &pb.Write_Delete{Delete: r.name(path)}}
}

func exists(w *pb.Write, b bool) *pb.Write {
	w.CurrentDocument = &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: b}}
	return w
}

func updatedAt(w *pb.Write, at *timestamppb.Timestamp) *pb.Write {
	w.CurrentDocument = &pb.Precondition{ConditionType: &pb.Precondition_UpdateTime{UpdateTime: at}}
	return w
}

func masked(w *pb.Write, paths ...string) *pb.Write {
	w.UpdateMask = &pb.DocumentMask{FieldPaths: paths}
	return w
}

func (r *raw) tryCommit(writes ...*pb.Write) (*pb.CommitResponse, error) {
	return r.api.Commit(r.t.Context(), &pb.CommitRequest{Database: r.database, Writes: writes})
}

// commit must succeed.
func (r *raw) commit(writes ...*pb.Write) *pb.CommitResponse {
	r.t.Helper()
	answer, err := r.tryCommit(writes...)
	if err != nil {
		r.t.Fatalf("commit: %v", err)
	}
	return answer
}

// refused must fail with a code.
func (r *raw) refused(want codes.Code, what string, writes ...*pb.Write) {
	r.t.Helper()
	if _, err := r.tryCommit(writes...); status.Code(err) != want {
		r.t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

// get reads documents, nil where there is none, and the read times.
func (r *raw) get(tx []byte, paths ...string) (map[string]*pb.Document, *timestamppb.Timestamp, error) {
	request := &pb.BatchGetDocumentsRequest{Database: r.database}
	for _, p := range paths {
		request.Documents = append(request.Documents, r.name(p))
	}
	if tx != nil {
		request.ConsistencySelector = &pb.BatchGetDocumentsRequest_Transaction{Transaction: tx}
	}
	stream, err := r.api.BatchGetDocuments(r.t.Context(), request)
	if err != nil {
		return nil, nil, err
	}
	found, at := map[string]*pb.Document{}, (*timestamppb.Timestamp)(nil)
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			return found, at, nil
		}
		if err != nil {
			return nil, nil, err
		}
		at = answer.ReadTime
		if d := answer.GetFound(); d != nil {
			found[d.Name] = d
		}
	}
}

// one reads a document that must be there.
func (r *raw) one(path string) *pb.Document {
	r.t.Helper()
	found, _, err := r.get(nil, path)
	if err != nil || found[r.name(path)] == nil {
		r.t.Fatalf("read %s: found %v, error %v", path, found, err)
	}
	return found[r.name(path)]
}

// query runs over collection c and returns the ids in order, and the read time.
func (r *raw) query(ctx context.Context, tx []byte, q *pb.StructuredQuery) ([]string, *timestamppb.Timestamp, error) {
	q.From = []*pb.StructuredQuery_CollectionSelector{{CollectionId: "c"}}
	request := &pb.RunQueryRequest{Parent: r.database + "/documents", QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: q}}
	if tx != nil {
		request.ConsistencySelector = &pb.RunQueryRequest_Transaction{Transaction: tx}
	}
	stream, err := r.api.RunQuery(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	var ids []string
	var at *timestamppb.Timestamp
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			return ids, at, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if answer.ReadTime != nil {
			at = answer.ReadTime
		}
		if d := answer.Document; d != nil {
			ids = append(ids, d.Name[len(r.name("c/")):])
		}
	}
}

func by(path string, d pb.StructuredQuery_Direction) []*pb.StructuredQuery_Order {
	return []*pb.StructuredQuery_Order{{Field: &pb.StructuredQuery_FieldReference{FieldPath: path}, Direction: d}}
}

func where(path string, op pb.StructuredQuery_FieldFilter_Operator, v *pb.Value) *pb.StructuredQuery_Filter {
	return &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{FieldFilter: &pb.StructuredQuery_FieldFilter{
		Field: &pb.StructuredQuery_FieldReference{FieldPath: path}, Op: op, Value: v,
	}}}
}
