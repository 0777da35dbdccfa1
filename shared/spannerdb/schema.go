package spannerdb

import (
	"context"
	"fmt"
	"sort"
	"strconv"

	"cloud.google.com/go/spanner"

	"sluice.example/shared/tableschema"
)

// Tables describes the tables that the stream watches, as information_schema has them now: key columns always, others
// when the stream watches them. Views, and tables without a primary key, have no changes and are left out.
func (d *Database) Tables(ctx context.Context, stream string) ([]tableschema.Table, error) {
	dialect, err := d.dialect(ctx)
	if err != nil {
		return nil, err
	}
	watch, err := d.watched(ctx, stream)
	if err != nil {
		return nil, err
	}
	keys, err := d.keys(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := d.read(ctx, "SELECT table_schema, table_name, column_name, ordinal_position, spanner_type, is_nullable FROM information_schema.columns", nil)
	if err != nil {
		return nil, err
	}
	tables := make(map[table]*tableschema.Table)
	for _, row := range rows {
		t := table{text(row, 0), text(row, 1)}
		column := text(row, 2)
		key := keys[t]
		position, isKey := key[column]
		if len(key) == 0 || system(t.schema) || !watch.table(t) || !isKey && !watch.column(t, column) {
			continue
		}
		ordinal, err := strconv.ParseInt(text(row, 3), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read information_schema: ordinal of %s.%s: %w", t.name, column, err)
		}
		if tables[t] == nil {
			tables[t] = &tableschema.Table{Schema: t.schema, Name: t.spelled(dialect)}
		}
		tables[t].Columns = append(tables[t].Columns, tableschema.Column{
			Name: column, Type: text(row, 4), Ordinal: ordinal, Nullable: text(row, 5) == "YES", KeyPosition: position,
		})
	}
	out := make([]tableschema.Table, 0, len(tables))
	for _, t := range tables {
		sort.Slice(t.Columns, func(i, j int) bool { return t.Columns[i].Ordinal < t.Columns[j].Ordinal })
		out = append(out, *t)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

// table names a table as information_schema does.
type table struct{ schema, name string }

// spelled is the name as change records have it: with a named schema in front.
func (t table) spelled(d *dialect) string {
	if t.schema == d.schema {
		return t.name
	}
	return t.schema + "." + t.name
}

func system(schema string) bool {
	switch schema {
	case "INFORMATION_SCHEMA", "SPANNER_SYS", "information_schema", "spanner_sys", "pg_catalog":
		return true
	}
	return false
}

// watch is what a stream watches.
type watch struct {
	all     bool
	tables  map[table]bool // whole tables are true; those with listed columns, or none, false
	columns map[table]map[string]bool
}

func (w *watch) table(t table) bool {
	_, ok := w.tables[t]
	return w.all || ok
}

func (w *watch) column(t table, name string) bool {
	return w.all || w.tables[t] || w.columns[t][name]
}

// watched reads what the stream watches. A stream that does not exist is a Problem of gcp.spanner.change.stream, as is one
// whose partitions the product cannot read.
func (d *Database) watched(ctx context.Context, stream string) (*watch, error) {
	named := map[string]any{"p1": stream}
	dialect, err := d.dialect(ctx)
	if err != nil {
		return nil, err
	}
	param := "@p1"
	if dialect == &postgreSQL {
		param = "$1"
	}
	rows, err := d.read(ctx, `SELECT "all" FROM information_schema.change_streams WHERE change_stream_name = `+param, named)
	if dialect == &googleSQL {
		rows, err = d.read(ctx, "SELECT `all` FROM information_schema.change_streams WHERE change_stream_name = "+param, named)
	}
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, &Problem{Key: streamKey, Text: fmt.Sprintf("ChangeStream '%s' doesn't exist or you don't have sufficient permissions", stream)}
	}
	w := &watch{all: yes(rows[0]), tables: make(map[table]bool), columns: make(map[table]map[string]bool)}
	if err := d.readable(ctx, stream, param, named); err != nil || w.all {
		return w, err
	}
	rows, err = d.read(ctx, "SELECT table_schema, table_name, all_columns FROM information_schema.change_stream_tables WHERE change_stream_name = "+param, named)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		w.tables[table{text(row, 0), text(row, 1)}] = truth(row, 2)
	}
	rows, err = d.read(ctx, "SELECT table_schema, table_name, column_name FROM information_schema.change_stream_columns WHERE change_stream_name = "+param, named)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		t := table{text(row, 0), text(row, 1)}
		if w.columns[t] == nil {
			w.columns[t] = make(map[string]bool)
		}
		w.columns[t][text(row, 2)] = true
	}
	return w, nil
}

const streamKey = "gcp.spanner.change.stream"

// readable refuses streams with movable key ranges by name (LC-11): they need another query form.
func (d *Database) readable(ctx context.Context, stream, param string, named map[string]any) error {
	rows, err := d.read(ctx, "SELECT option_name, option_value FROM information_schema.change_stream_options WHERE change_stream_name = "+param, named)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if text(row, 0) == "partition_mode" && text(row, 1) == "MUTABLE_KEY_RANGE" {
			return &Problem{Key: streamKey, Text: fmt.Sprintf("ChangeStream '%s' has partition_mode MUTABLE_KEY_RANGE, which is not supported: use a stream with IMMUTABLE_KEY_RANGE", stream)}
		}
	}
	return nil
}

// keys reads the primary key of each table: column to place, from 1.
func (d *Database) keys(ctx context.Context) (map[table]map[string]int, error) {
	rows, err := d.read(ctx, "SELECT table_schema, table_name, column_name, ordinal_position FROM information_schema.index_columns WHERE index_type = 'PRIMARY_KEY'", nil)
	if err != nil {
		return nil, err
	}
	keys := make(map[table]map[string]int)
	for _, row := range rows {
		n, err := strconv.Atoi(text(row, 3))
		if err != nil {
			continue // a stored column of an index, not part of a key
		}
		t := table{text(row, 0), text(row, 1)}
		if keys[t] == nil {
			keys[t] = make(map[string]int)
		}
		keys[t][text(row, 2)] = n
	}
	return keys, nil
}

// text is a column as text, "" for NULL.
func text(row *spanner.Row, i int) string {
	s, _ := value{row.ColumnValue(i)}.Text()
	return s
}

// truth is a column that one dialect has as a boolean and the other as YES or NO.
func truth(row *spanner.Row, i int) bool {
	if b, ok := (value{row.ColumnValue(i)}).Bool(); ok {
		return b
	}
	return text(row, i) == "YES"
}

func yes(row *spanner.Row) bool { return truth(row, 0) }
