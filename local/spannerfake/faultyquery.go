package spannerfake

import (
	"context"
	"errors"

	"google.golang.org/protobuf/types/known/structpb"
)

// faulty is a partition query with what is to go wrong with it.
type faulty struct {
	Fault
	server *Server
	ctx    context.Context
	n      int // rows the query came to
	sent   int // rows that went out
}

func newFaulty(s *Server, ctx context.Context, f Fault) *faulty {
	return &faulty{Fault: f, server: s, ctx: ctx}
}

// errStopped ends a query from within; what the caller is told is the fault's.
var errStopped = errors.New("stopped by a fault")

// send puts rows into a message with the place after them.
type send func(rows []*structpb.Value, at resume) error

// before does what comes before the query itself.
func (f *faulty) before() error {
	if f.Delay > 0 {
		if err := pauseFor(f.ctx, f.Delay); err != nil {
			return err
		}
	}
	if f.stops() && f.After <= 0 && !f.End {
		return f.server.stopped(f.ctx, f.Fault)
	}
	return nil
}

// start does what comes before the first row: made-up rows, or the end.
func (f *faulty) start(at resume, send send) error {
	if err := f.out(f.Rows, at, send); err != nil {
		return err
	}
	if f.Only {
		return errStopped
	}
	return nil
}

// rows sends rows as the fault changes them; at is the place after the last of them. Only change records come together,
// so that the place after each is known.
func (f *faulty) rows(rows []*structpb.Value, at resume, send send) error {
	if !f.changes() {
		f.n += len(rows)
		return send(rows, at)
	}
	for i, row := range rows {
		place := at
		if len(rows) > 1 {
			place.Number = at.Number - int64(len(rows)-1-i)
		}
		times := 1
		if isChildren(row) {
			times += f.Repeat
			if f.NoChildren {
				times = 0
			}
		}
		if f.Edit != nil {
			row = f.Edit(f.n, row)
		}
		f.n++
		for range times {
			if row == nil {
				continue
			}
			if err := f.out([]*structpb.Value{row}, place, send); err != nil {
				return err
			}
		}
	}
	return nil
}

// changes tells whether rows have to be looked at one by one.
func (f *faulty) changes() bool {
	return f.stops() || f.NoChildren || f.Repeat > 0 || f.Edit != nil
}

// out sends rows until the fault's number of them has gone out.
func (f *faulty) out(rows []*structpb.Value, at resume, send send) error {
	for _, row := range rows {
		if f.stops() && f.sent >= f.After {
			return errStopped
		}
		if err := send([]*structpb.Value{row}, at); err != nil {
			return err
		}
		f.sent++
	}
	if f.stops() && f.sent >= f.After {
		return errStopped
	}
	return nil
}

// after is what the caller is told in the end.
func (f *faulty) after(err error) error {
	if !errors.Is(err, errStopped) {
		return err
	}
	if f.stops() {
		return f.server.stopped(f.ctx, f.Fault)
	}
	return nil // Only
}

// isChildren tells whether a row is a children record.
func isChildren(row *structpb.Value) bool {
	one := row.GetListValue().GetValues()
	if len(one) != 1 {
		return false
	}
	parts := one[0].GetListValue().GetValues()
	return len(parts) == 3 && len(parts[2].GetListValue().GetValues()) > 0
}
