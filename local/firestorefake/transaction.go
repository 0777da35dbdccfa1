package firestorefake

import (
	"context"
	"encoding/binary"
	"maps"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// maxTransaction is how long Firestore lets a transaction live.
const maxTransaction = 270 * time.Second

// transaction is a read-only one: the documents as they were when it began.
type transaction struct {
	seen moment
	at   *timestamppb.Timestamp
}

// BeginTransaction keeps the present moment for reading.
func (s *service) BeginTransaction(_ context.Context, r *pb.BeginTransactionRequest) (*pb.BeginTransactionResponse, error) {
	ro := r.GetOptions().GetReadOnly()
	if ro == nil || ro.GetReadTime() != nil {
		return nil, status.Error(codes.Unimplemented, "read-write transactions and those of the past are not part of this fake")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	s.begun++
	id := binary.BigEndian.AppendUint64(nil, s.begun)
	s.transactions[string(id)] = transaction{seen: s.snapshot(), at: s.glance()}
	return &pb.BeginTransactionResponse{Transaction: id}, nil
}

// Rollback ends a transaction; one that is not known has ended.
func (s *service) Rollback(_ context.Context, r *pb.RollbackRequest) (*emptypb.Empty, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.transactions, string(r.Transaction))
	return &emptypb.Empty{}, nil
}

func (s *store) end(id []byte) (*timestamppb.Timestamp, error) {
	t, err := s.transaction(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.transactions, string(id))
	return t.at, nil
}

func (s *store) transaction(id []byte) (transaction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	t, ok := s.transactions[string(id)]
	if !ok {
		return transaction{}, status.Error(codes.InvalidArgument, "transaction is invalid or closed")
	}
	return t, nil
}

// expire drops what clients that died have left. The caller holds mu for writing.
func (s *store) expire() {
	oldest := s.micros() - maxTransaction.Microseconds()
	maps.DeleteFunc(s.transactions, func(_ string, t transaction) bool { return t.at.AsTime().UnixMicro() < oldest })
}
