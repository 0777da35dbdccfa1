package spannerdb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"cloud.google.com/go/spanner"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"

	"sluice.example/shared/changestream"
)

// reader reads one change stream. It is safe for concurrent use.
type reader struct {
	d    *Database
	name string
}

// Reader is a reader of the stream. What the stream is, is asked for once, at the first query.
func (d *Database) Reader(stream string) changestream.Reader { return &reader{d: d, name: stream} }

// Exact implements changestream.Reader.
func (r *reader) Exact() bool { return r.d.exact }

// silence is how long a query may say nothing beyond the two heartbeats in which it has to.
const silence = 20 * time.Second

// errSilent ends a query that says nothing.
var errSilent = errors.New("silent")

// Read implements changestream.Reader.
func (r *reader) Read(ctx context.Context, q changestream.Query) iter.Seq2[changestream.Record, error] {
	return func(yield func(changestream.Record, error) bool) {
		if err := r.read(ctx, q, yield); err != nil {
			yield(changestream.Record{}, err)
		}
	}
}

// read gives the records to yield; nil after it said no, and after the last.
func (r *reader) read(ctx context.Context, q changestream.Query, yield func(changestream.Record, error) bool) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s, err := r.d.speak(ctx, r.name)
	if err != nil {
		return err
	}
	st, err := s.dialect.Statement(s.Name, q)
	if err != nil {
		return &Problem{Key: streamKey, Text: err.Error(), Err: err}
	}
	client, err := r.d.conn(ctx)
	if err != nil {
		return err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := silence + 2*q.Heartbeat
	alarm := time.AfterFunc(limit, func() { cancel(errSilent) })
	defer alarm.Stop()
	rows := client.Single().QueryWithOptions(inner, spanner.Statement{SQL: st.SQL, Params: st.Params}, r.d.query)
	defer rows.Stop()
	var decoder changestream.Decoder
	var records []changestream.Record
	for {
		row, err := rows.Next()
		switch {
		case errors.Is(err, iterator.Done):
			return nil
		case err != nil && errors.Is(context.Cause(inner), errSilent) && ctx.Err() == nil:
			return fmt.Errorf("query change stream %s: Spanner at %s said nothing for %v: %w", r.name, r.d.name.where(), limit, changestream.ErrTransient)
		case err != nil:
			return r.explain(ctx, client, q, err)
		}
		// The consumer's time does not count.
		alarm.Stop()
		if decoder == nil {
			if decoder, err = s.dialect.Decoder(shape(row.ColumnType(0))); err != nil {
				return err
			}
		}
		if records, err = decoder.Decode(records[:0], value{row.ColumnValue(0)}); err != nil {
			return err
		}
		now := time.Now()
		for _, rec := range records {
			if rec.Data != nil {
				rec.Data.PartitionToken, rec.Data.ReadAt = q.Token, now
			}
			if !yield(rec, nil) {
				return nil
			}
		}
		clear(records)
		alarm.Reset(limit)
	}
}

// explain is the error that a failed query gives its caller.
func (r *reader) explain(ctx context.Context, client *spanner.Client, q changestream.Query, err error) error {
	if ended := endOf(ctx, err); ended != nil {
		return ended
	}
	if out := refused(q, err); out != nil {
		return out
	}
	if sessionLost(err) {
		r.d.lost(client)
	}
	return r.d.failure("query change stream "+r.name, err)
}

// endOf is the context's error when the context is why the query failed. The deadline travels with the request, and the
// server may be the first to see that it has passed.
func endOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if end, ok := ctx.Deadline(); ok && codeOf(err) == codes.DeadlineExceeded && time.Until(end) < time.Second {
		return context.DeadlineExceeded
	}
	return nil
}
