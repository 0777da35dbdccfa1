package spannerdb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"cloud.google.com/go/spanner"
	"google.golang.org/api/iterator"

	"sluice.example/shared/changestream"
)

// reader reads one change stream. It is safe for concurrent use.
type reader struct {
	d      *Database
	stream string

	mu      sync.Mutex
	dialect *dialect // nil: not asked yet
}

// Reader is a reader of the stream. The database's dialect is asked for once, at the first query.
func (d *Database) Reader(stream string) changestream.Reader { return &reader{d: d, stream: stream} }

// Exact implements changestream.Reader.
func (r *reader) Exact() bool { return r.d.exact }

// Read implements changestream.Reader.
func (r *reader) Read(ctx context.Context, q changestream.Query) iter.Seq2[changestream.Record, error] {
	return func(yield func(changestream.Record, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		dialect, err := r.speak(ctx)
		if err != nil {
			yield(changestream.Record{}, err)
			return
		}
		rows := r.d.client.Single().QueryWithOptions(ctx, dialect.statement(r.stream, q), r.d.query)
		defer rows.Stop()
		var decode decode
		var records []changestream.Record
		for {
			row, err := rows.Next()
			if errors.Is(err, iterator.Done) {
				return
			}
			if err != nil {
				yield(changestream.Record{}, r.explain(ctx, q, err))
				return
			}
			if decode == nil {
				if decode, err = dialect.decoder(row); err != nil {
					yield(changestream.Record{}, err)
					return
				}
			}
			if records, err = decode(records[:0], row); err != nil {
				yield(changestream.Record{}, err)
				return
			}
			now := time.Now()
			for _, rec := range records {
				if rec.Data != nil {
					rec.Data.PartitionToken, rec.Data.ReadAt = q.Token, now
				}
				if !yield(rec, nil) {
					return
				}
			}
		}
	}
}

// explain is the error that a failed query gives its caller.
func (r *reader) explain(ctx context.Context, q changestream.Query, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if out := refused(q, err); out != nil {
		return out
	}
	return r.d.name.fault("query change stream "+r.stream, err)
}

// speak finds the database's dialect. A failure is not kept: the next query asks again.
func (r *reader) speak(ctx context.Context) (*dialect, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dialect == nil {
		d, err := r.d.dialect(ctx)
		if err != nil {
			return nil, err
		}
		r.dialect = d
	}
	return r.dialect, nil
}

// dialect asks the database which dialect it speaks.
func (d *Database) dialect(ctx context.Context) (*dialect, error) {
	// Both dialects answer this; only GoogleSQL's default schema has the empty name.
	rows, err := d.read(ctx, "SELECT option_value FROM information_schema.database_options WHERE option_name = 'database_dialect'", nil)
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		if s, ok := (value{rows[0].ColumnValue(0)}).Text(); ok && s == "POSTGRESQL" {
			return &postgreSQL, nil
		}
	}
	return &googleSQL, nil
}

// read runs a query of information_schema to its end.
func (d *Database) read(ctx context.Context, sql string, params map[string]any) ([]*spanner.Row, error) {
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rows := d.client.Single().QueryWithOptions(bounded, spanner.Statement{SQL: sql, Params: params}, d.query)
	defer rows.Stop()
	var out []*spanner.Row
	for {
		row, err := rows.Next()
		if errors.Is(err, iterator.Done) {
			return out, nil
		}
		if err != nil {
			if bounded.Err() != nil && ctx.Err() == nil {
				return nil, fmt.Errorf("read information_schema: Spanner at %s did not answer in %v: %w", d.name.where(), patience, changestream.ErrTransient)
			}
			return nil, d.name.fault("read information_schema", err)
		}
		out = append(out, row)
	}
}
