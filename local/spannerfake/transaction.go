package spannerfake

import (
	"context"
	"strconv"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// open transactions that a database remembers; older ones are taken for abandoned, and their commits aborted.
const openTransactions = 4096

// attempt is a read-write transaction. It holds no locks: what it read must not have changed when it commits, judged by
// table, else it is aborted and the client tries again.
type attempt struct {
	id       string
	excluded bool
	tag      string
	reads    map[*table]int64 // the table's last change when it was read first
	done     time.Time        // when it was committed, so that a repeated commit gets the same answer
}

// begin opens a transaction; for one that only reads there is nothing to keep.
func (s *service) begin(on *session, o *sppb.TransactionOptions, tag string) (*sppb.Transaction, error) {
	d := on.db
	out := &sppb.Transaction{Id: []byte(strconv.FormatUint(s.named.Add(1), 10))}
	switch o.GetMode().(type) {
	case *sppb.TransactionOptions_ReadOnly_:
		d.mu.Lock()
		defer d.mu.Unlock()
		now := s.Now()
		d.settle(now)
		out.ReadTimestamp = timestamppb.New(now)
		return out, nil
	case *sppb.TransactionOptions_PartitionedDml_:
		return nil, status.Error(codes.Unimplemented, "the fake has no DML")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	a := &attempt{id: string(out.Id), excluded: o.GetExcludeTxnFromChangeStreams(), tag: tag, reads: make(map[*table]int64)}
	d.attempts[a.id] = a
	d.begun = append(d.begun, a.id)
	if len(d.begun) > openTransactions {
		delete(d.attempts, d.begun[0])
		d.begun = d.begun[1:]
	}
	if on.multiplexed {
		out.PrecommitToken = precommit(a)
	}
	return out, nil
}

// precommit is what a multiplexed session's client must show when it commits.
func precommit(a *attempt) *sppb.MultiplexedSessionPrecommitToken {
	return &sppb.MultiplexedSessionPrecommitToken{PrecommitToken: []byte(a.id), SeqNum: 1}
}

func (s *service) BeginTransaction(_ context.Context, r *sppb.BeginTransactionRequest) (*sppb.Transaction, error) {
	on, err := s.session(r.Session)
	if err != nil {
		return nil, err
	}
	return s.begin(on, r.Options, r.RequestOptions.GetTransactionTag())
}

func (s *service) Commit(_ context.Context, r *sppb.CommitRequest) (*sppb.CommitResponse, error) {
	on, err := s.session(r.Session)
	if err != nil {
		return nil, err
	}
	txn := Txn{Tag: r.RequestOptions.GetTransactionTag(), Mutations: r.Mutations}
	var a *attempt
	if id := r.GetTransactionId(); id != nil {
		on.db.mu.Lock()
		a = on.db.attempts[string(id)]
		on.db.mu.Unlock()
		if a == nil {
			return nil, status.Errorf(codes.Aborted, "Transaction %s is not known any more", id)
		}
		txn.Excluded = a.excluded
		if txn.Tag == "" {
			txn.Tag = a.tag
		}
	} else {
		txn.Excluded = r.GetSingleUseTransaction().GetExcludeTxnFromChangeStreams()
	}
	at, err := on.db.commit(txn, a)
	if err != nil {
		return nil, err
	}
	out := &sppb.CommitResponse{CommitTimestamp: timestamppb.New(at)}
	if r.ReturnCommitStats {
		out.CommitStats = &sppb.CommitResponse_CommitStats{MutationCount: int64(len(r.Mutations))}
	}
	return out, nil
}

func (s *service) Rollback(_ context.Context, r *sppb.RollbackRequest) (*emptypb.Empty, error) {
	on, err := s.session(r.Session)
	if err != nil {
		return nil, err
	}
	on.db.mu.Lock()
	defer on.db.mu.Unlock()
	delete(on.db.attempts, string(r.TransactionId))
	return &emptypb.Empty{}, nil
}

// within finds the transaction that a read belongs to, beginning it when the request says so. It returns what the answer's
// metadata has to say about it, nil for nothing, and the attempt, nil when it only reads.
func (s *service) within(on *session, sel *sppb.TransactionSelector, tag string) (*sppb.Transaction, *attempt, error) {
	switch t := sel.GetSelector().(type) {
	case *sppb.TransactionSelector_Begin:
		begun, err := s.begin(on, t.Begin, tag)
		if err != nil {
			return nil, nil, err
		}
		on.db.mu.Lock()
		defer on.db.mu.Unlock()
		return begun, on.db.attempts[string(begun.Id)], nil
	case *sppb.TransactionSelector_Id:
		on.db.mu.Lock()
		defer on.db.mu.Unlock()
		return nil, on.db.attempts[string(t.Id)], nil
	case *sppb.TransactionSelector_SingleUse:
		if t.SingleUse.GetReadOnly().GetReturnReadTimestamp() {
			return &sppb.Transaction{ReadTimestamp: timestamppb.New(s.Now())}, nil, nil
		}
	}
	return nil, nil, nil
}

// saw notes what a transaction read; the database's lock is held.
func (a *attempt) saw(t *table) {
	if a == nil {
		return
	}
	if _, ok := a.reads[t]; !ok {
		a.reads[t] = t.changed
	}
}

// stale tells whether something that was read has changed since; the database's lock is held.
func (a *attempt) stale() bool {
	for t, at := range a.reads {
		if t.changed != at {
			return true
		}
	}
	return false
}
