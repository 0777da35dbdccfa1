package changestream

import "time"

// datum is a Value made of nil, string, bool and []any.
type datum struct{ v any }

func (d datum) Null() bool            { return d.v == nil }
func (d datum) Text() (string, bool)  { s, ok := d.v.(string); return s, ok }
func (d datum) Bool() (bool, bool)    { b, ok := d.v.(bool); return b, ok }
func (d datum) Len() (int, bool)      { l, ok := d.v.([]any); return len(l), ok }
func (d datum) At(i int) Value        { return datum{d.v.([]any)[i]} }
func list(v ...any) []any             { return v }
func fields(names ...string) []Field  { return append([]Field(nil), named(names)...) }
func of(name string, f []Field) Field { return Field{Name: name, Shape: Shape{Fields: f}} }

func named(names []string) []Field {
	out := make([]Field, len(names))
	for i, n := range names {
		out[i].Name = n
	}
	return out
}

// with replaces the field of the same name.
func with(f []Field, nested ...Field) []Field {
	for _, n := range nested {
		for i := range f {
			if f[i].Name == n.Name {
				f[i] = n
			}
		}
	}
	return f
}

// column is the shape that Spanner's documentation gives for ChangeRecord.
func column() Shape {
	return Shape{Fields: []Field{
		of("data_change_record", with(fields(dataNames...), of("column_types", fields(columnNames...)), of("mods", fields(modNames...)))),
		of("heartbeat_record", fields(heartbeatNames...)),
		of("child_partitions_record", with(fields(childrenNames...), of("child_partitions", fields(childNames...)))),
	}}
}

// row is a ChangeRecord with one array for each kind of record.
func row(data, heartbeats, children []any) Value {
	return datum{list(list(data, heartbeats, children))}
}

var instant = time.Date(2024, 1, 1, 0, 0, 1, 123456789, time.UTC)

const instantText = "2024-01-01T00:00:01.123456789Z"

// change is a data_change_record in the order of dataNames.
func change(kind, capture string, mods ...any) []any {
	return list(instantText, "00000001", "txn", true, "Singers",
		list(list("Id", `{"code":"INT64"}`, true, "1"), list("Name", `{"code":"STRING"}`, false, "2")),
		mods, kind, capture, "3", "2", "app=x", false)
}

// changed is what change stands for.
func changed(kind ModType, capture ValueCapture, mods ...Mod) *DataChange {
	return &DataChange{
		CommitTimestamp: instant, RecordSequence: "00000001", TransactionID: "txn", LastInPartition: true, Table: "Singers",
		Columns: []Column{{"Id", `{"code":"INT64"}`, true, 1}, {"Name", `{"code":"STRING"}`, false, 2}},
		Mods:    mods, ModType: kind, ValueCapture: capture, RecordsInTxn: 3, PartitionsInTxn: 2, TransactionTag: "app=x",
	}
}
