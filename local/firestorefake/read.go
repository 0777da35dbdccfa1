package firestorefake

import (
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// BatchGetDocuments reads documents of one moment. A missing one is told with the time at which it was missing.
func (s *service) BatchGetDocuments(r *pb.BatchGetDocumentsRequest, out pb.Firestore_BatchGetDocumentsServer) error {
	if r.GetReadTime() != nil || r.GetNewTransaction() != nil || r.Mask != nil {
		return status.Error(codes.Unimplemented, "reading at a time, in a new transaction or with a mask is not part of this fake")
	}
	for _, name := range r.Documents {
		if err := checkName(r.Database, name); err != nil {
			return err
		}
	}
	found := make([]*pb.Document, len(r.Documents))
	at, err := s.view(r.GetTransaction(), func(m moment) {
		for i, name := range r.Documents {
			found[i] = m.document(name)
		}
	})
	if err != nil {
		return err
	}
	for i, name := range r.Documents {
		answer := &pb.BatchGetDocumentsResponse{ReadTime: at}
		if found[i] != nil {
			answer.Result = &pb.BatchGetDocumentsResponse_Found{Found: found[i]}
		} else {
			answer.Result = &pb.BatchGetDocumentsResponse_Missing{Missing: name}
		}
		if err := out.Send(answer); err != nil {
			return err
		}
	}
	return nil
}

// view lets f look at the documents, those of the transaction's moment when there is one, and returns the read time.
func (s *store) view(tx []byte, f func(moment)) (*timestamppb.Timestamp, error) {
	if len(tx) > 0 {
		t, err := s.transaction(tx)
		if err != nil {
			return nil, err
		}
		f(t.seen)
		return t.at, nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	f(s.now)
	return s.glance(), nil
}
