package firestorefake

import (
	"context"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Commit applies writes, all or nothing. With a transaction, which is read-only, there are none, and it ends.
func (s *service) Commit(_ context.Context, r *pb.CommitRequest) (*pb.CommitResponse, error) {
	if len(r.Transaction) == 0 {
		return s.commit(r.Database, r.Writes)
	}
	if len(r.Writes) > 0 {
		return nil, status.Error(codes.InvalidArgument, "cannot write in a read-only transaction")
	}
	at, err := s.end(r.Transaction)
	if err != nil {
		return nil, err
	}
	return &pb.CommitResponse{CommitTime: at}, nil
}

// BatchWrite applies each write by itself and tells the outcome of each.
func (s *service) BatchWrite(_ context.Context, r *pb.BatchWriteRequest) (*pb.BatchWriteResponse, error) {
	seen := map[string]bool{}
	for _, w := range r.Writes {
		if seen[target(w)] {
			return nil, status.Errorf(codes.InvalidArgument, "document %s is written twice in one batch", target(w))
		}
		seen[target(w)] = true
	}
	out := &pb.BatchWriteResponse{}
	for _, w := range r.Writes {
		result := &pb.WriteResult{}
		done, err := s.commit(r.Database, []*pb.Write{w})
		if err == nil {
			result = done.WriteResults[0]
		}
		st := status.Convert(err)
		out.WriteResults = append(out.WriteResults, result)
		out.Status = append(out.Status, &rpcstatus.Status{Code: int32(st.Code()), Message: st.Message()})
	}
	return out, nil
}

func (s *store) commit(database string, writes []*pb.Write) (*pb.CommitResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	micros := s.tick()
	changed := map[string]*pb.Document{}
	response := &pb.CommitResponse{CommitTime: stamp(micros)}
	for _, w := range writes {
		name := target(w)
		if err := checkName(database, name); err != nil {
			return nil, err
		}
		old, again := changed[name]
		if !again {
			old = s.now.document(name)
		}
		if err := checkPrecondition(w, old); err != nil {
			return nil, err
		}
		d, result, err := s.outcome(w, old, micros)
		if err != nil {
			return nil, err
		}
		changed[name] = d
		response.WriteResults = append(response.WriteResults, result)
	}
	if s.file != nil {
		if err := s.file.save(micros, changed); err != nil {
			return nil, status.Errorf(codes.Internal, "keep the commit: %v", err)
		}
	}
	for name, d := range changed {
		if d == nil {
			s.drop(name)
		} else {
			s.put(d)
		}
	}
	return response, nil
}

// outcome is the document after a write, nil when it is removed, and what the caller is told about it.
func (s *store) outcome(w *pb.Write, old *pb.Document, micros int64) (*pb.Document, *pb.WriteResult, error) {
	if w.GetDelete() != "" {
		return nil, &pb.WriteResult{}, nil
	}
	fields, transformed, err := apply(w, old, micros)
	if err != nil {
		return nil, nil, err
	}
	d := &pb.Document{Name: target(w), Fields: fields, CreateTime: stamp(micros), UpdateTime: stamp(micros)}
	if err := checkLimits(d, s.indexes); err != nil {
		return nil, nil, err
	}
	if old != nil {
		d.CreateTime = old.CreateTime
		// A write that changes nothing keeps the update time; the API says so.
		if proto.Equal(&pb.MapValue{Fields: old.Fields}, &pb.MapValue{Fields: d.Fields}) {
			d.UpdateTime = old.UpdateTime
		}
	}
	return d, &pb.WriteResult{UpdateTime: d.UpdateTime, TransformResults: transformed}, nil
}

func checkPrecondition(w *pb.Write, old *pb.Document) error {
	switch c := w.GetCurrentDocument().GetConditionType().(type) {
	case *pb.Precondition_Exists:
		if c.Exists && old == nil {
			return status.Errorf(codes.NotFound, "no document to update: %s", target(w))
		}
		if !c.Exists && old != nil {
			return status.Errorf(codes.AlreadyExists, "document already exists: %s", target(w))
		}
	case *pb.Precondition_UpdateTime:
		if old == nil { // FailedPrecondition too, measured
			return status.Errorf(codes.FailedPrecondition, "document %s does not exist, nor was it updated at %s", target(w), c.UpdateTime.AsTime())
		}
		if !old.UpdateTime.AsTime().Equal(c.UpdateTime.AsTime()) {
			return status.Errorf(codes.FailedPrecondition, "document %s was updated at %s, not at %s",
				target(w), old.UpdateTime.AsTime(), c.UpdateTime.AsTime())
		}
	}
	return nil
}
