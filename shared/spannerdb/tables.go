package spannerdb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"cloud.google.com/go/spanner"

	"sluice.example/shared/tableschema"
)

// Tables describes the tables that the stream watches, as information_schema has them now, sorted by name: key columns
// always, others when the stream watches them. Views, and tables without a primary key, have no changes of their own and are
// left out, as are generated columns outside the key, which change streams do not track. Errors are those of Stream.
func (d *Database) Tables(ctx context.Context, name string) ([]tableschema.Table, error) {
	s, err := d.lookUp(ctx, name)
	if err != nil {
		return nil, err
	}
	doing := "read the tables of change stream " + name
	watch, err := d.watched(ctx, doing, s)
	if err != nil {
		return nil, err
	}
	keys, err := d.keys(ctx, doing)
	if err != nil {
		return nil, err
	}
	rows, err := d.rows(ctx, doing, spanner.Statement{SQL: "SELECT table_schema, table_name, column_name, ordinal_position, spanner_type, is_nullable, is_generated " +
		"FROM information_schema.columns"})
	if err != nil {
		return nil, err
	}
	tables := make(map[table]*tableschema.Table)
	for _, r := range rows {
		t, column := table{r.text(0), r.text(1)}, r.text(2)
		position := keys[t][column]
		if len(keys[t]) == 0 || system(t.schema) || !watch.table(t) {
			continue
		}
		if position == 0 && (!watch.column(t, column) || r.text(6) == "ALWAYS") {
			continue
		}
		ordinal, err := strconv.ParseInt(r.text(3), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: ordinal of %s.%s: %w", doing, t.name, column, err)
		}
		if tables[t] == nil {
			tables[t] = t.described(s.words)
		}
		tables[t].Columns = append(tables[t].Columns, tableschema.Column{
			Name: column, Type: r.text(4), Ordinal: ordinal, Nullable: r.text(5) == "YES", KeyPosition: position,
		})
	}
	out := make([]tableschema.Table, 0, len(tables))
	for _, t := range tables {
		slices.SortFunc(t.Columns, func(a, b tableschema.Column) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b tableschema.Table) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// table names a table as information_schema does.
type table struct{ schema, name string }

// described is the table as change records spell it: with a named schema in front.
func (t table) described(w words) *tableschema.Table {
	if t.schema == w.schema {
		return &tableschema.Table{Name: t.name}
	}
	return &tableschema.Table{Schema: t.schema, Name: t.schema + "." + t.name}
}

// keys reads the primary key of each table: column to place, from 1. A column's other indexes do not matter (SK-07).
func (d *Database) keys(ctx context.Context, doing string) (map[table]map[string]int, error) {
	rows, err := d.rows(ctx, doing, spanner.Statement{SQL: "SELECT table_schema, table_name, column_name, ordinal_position " +
		"FROM information_schema.index_columns WHERE index_type = 'PRIMARY_KEY'"})
	if err != nil {
		return nil, err
	}
	keys := make(map[table]map[string]int)
	for _, r := range rows {
		n, err := strconv.Atoi(r.text(3))
		if err != nil {
			continue // a column that an index stores has no place in it
		}
		t := table{r.text(0), r.text(1)}
		if keys[t] == nil {
			keys[t] = make(map[string]int)
		}
		keys[t][r.text(2)] = n
	}
	return keys, nil
}
