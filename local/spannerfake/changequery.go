package spannerfake

import (
	"math"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// readChanges answers a partition query.
func (s *service) readChanges(on *session, q *Query, r *sppb.ExecuteSqlRequest, out sppb.Spanner_ExecuteStreamingSqlServer) error {
	ctx := out.Context()
	q.At, q.Resumed = s.Now(), len(r.ResumeToken) > 0
	attempt := s.log.add(*q)
	f := newFaulty(s.Server, ctx, s.decide(Call{
		Method: "ExecuteStreamingSql", Database: on.db.name, SQL: r.Sql, Query: q, Attempt: attempt,
	}))
	if err := f.before(); err != nil {
		return err
	}
	if _, single := r.Transaction.GetSelector().(*sppb.TransactionSelector_SingleUse); !single && r.Transaction != nil {
		return status.Error(codes.InvalidArgument, "Change stream queries must be single use, read only and strong")
	}
	from, err := parseResume(r.ResumeToken)
	if err != nil {
		return err
	}
	d := on.db
	d.mu.Lock()
	stream, p, err := d.admit(q)
	if err != nil {
		d.mu.Unlock()
		return err
	}
	read := &reading{q: q, d: d, s: stream, p: p, number: from.Number, last: from.Last, said: from.Said}
	if p != nil && !q.Resumed {
		read.number = p.history.since(q.Start)
		read.last = later(s.Now(), q.Start)
	}
	d.mu.Unlock()

	meta := &sppb.ResultSetMetadata{RowType: recordShape}
	if r.Transaction.GetSingleUse().GetReadOnly().GetReturnReadTimestamp() {
		// As production answers it: a time that means nothing.
		meta.Transaction = &sppb.Transaction{ReadTimestamp: timestamppb.New(time.Unix(0, math.MaxInt64-1))}
	}
	sent := from.Sent
	send := func(rows []*structpb.Value, at resume) error {
		sent++
		at.Sent = sent
		token, err := at.token()
		if err != nil {
			return err
		}
		err = out.Send(&sppb.PartialResultSet{Metadata: meta, Values: rows, ResumeToken: token})
		meta = nil
		return err
	}
	read.put = func(rows []*structpb.Value, at resume) error { return f.rows(rows, at, send) }
	switch err = f.start(read.mark(), send); {
	case err != nil:
	case p == nil:
		err = read.roots(ctx)
	default:
		err = read.run(ctx)
	}
	if err = f.after(err); err == nil && meta != nil {
		err = out.Send(&sppb.PartialResultSet{Metadata: meta}) // an answer without rows is described all the same
	}
	return err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
