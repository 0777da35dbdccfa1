package spannerdb

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/spanner"
	"google.golang.org/api/iterator"
)

// patience is how long a question to information_schema may take when its caller sets no limit below.
const patience = 12 * time.Second

// rows runs a query of information_schema to its end. The context's own end comes back as the context's error.
func (d *Database) rows(ctx context.Context, doing string, st spanner.Statement) ([]row, error) {
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client, err := d.conn(ctx)
	if err != nil {
		return nil, err
	}
	it := client.Single().QueryWithOptions(bounded, st, d.query)
	defer it.Stop()
	var out []row
	for {
		r, err := it.Next()
		switch {
		case err == nil:
			out = append(out, row{r})
			continue
		case errors.Is(err, iterator.Done):
			return out, nil
		case endOf(ctx, err) != nil:
			return nil, endOf(ctx, err)
		case sessionLost(err):
			d.lost(client)
		}
		return nil, d.failure(doing, err)
	}
}

// row is a row of information_schema.
type row struct{ *spanner.Row }

// text is a column as text, "" for NULL. INT64 is text, too.
func (r row) text(i int) string {
	s, _ := value{r.ColumnValue(i)}.Text()
	return s
}

// truth is a column that one dialect has as a boolean and the other as YES or NO.
func (r row) truth(i int) bool {
	if b, ok := (value{r.ColumnValue(i)}).Bool(); ok {
		return b
	}
	return r.text(i) == "YES"
}
