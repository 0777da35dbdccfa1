package spannerdb

import "context"

// watch is what a stream watches.
type watch struct {
	all     bool
	tables  map[table]bool // true: the whole table; false: listed columns, or none but the key
	columns map[table]map[string]bool
}

func (w *watch) table(t table) bool {
	_, ok := w.tables[t]
	return w.all || ok
}

// column tells whether the stream watches a column outside the key.
func (w *watch) column(t table, name string) bool {
	return w.all || w.tables[t] || w.columns[t][name]
}

func (d *Database) watched(ctx context.Context, doing string, s stream) (*watch, error) {
	w := &watch{all: s.All, tables: make(map[table]bool), columns: make(map[table]map[string]bool)}
	if w.all {
		return w, nil
	}
	rows, err := d.rows(ctx, doing, s.words.ofStream("table_schema, table_name, all_columns", "change_stream_tables", s.Name))
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		w.tables[table{r.text(0), r.text(1)}] = r.truth(2)
	}
	rows, err = d.rows(ctx, doing, s.words.ofStream("table_schema, table_name, column_name", "change_stream_columns", s.Name))
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		t := table{r.text(0), r.text(1)}
		if w.columns[t] == nil {
			w.columns[t] = make(map[string]bool)
		}
		w.columns[t][r.text(2)] = true
	}
	return w, nil
}
