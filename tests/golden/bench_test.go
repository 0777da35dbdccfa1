package golden_test

import (
	"context"
	"testing"

	"sluice.example/shared/changestream"
	"sluice.example/shared/record"
	"sluice.example/shared/tableschema"
)

// wide is a change of a table of twelve columns, as it may come a thousand times a second.
func wide(rows int) (tableschema.Table, *changestream.DataChange) {
	dc := change("W", changestream.Update, columns("*Id", int64Type, "K2", stringType))
	for range rows {
		dc.Mods = append(dc.Mods, changestream.Mod{
			Keys: `{"Id":"9223372036854775807"}`,
			Old:  `{"K2":"some text that stands for a name","N":"99.99"}`,
			New: `{"K2":"some text that stands for a name or an address, a little longer","B":true,"F64":1.5,"F32":0.1,"N":"99.99","By":"AQIDBAUGBwgJCgsMDQ4PEA==",` +
				`"D":"2024-02-29","Ts":"2024-01-01T00:00:00.123456789Z","J":"plain","AI":["1",null,"3"],"K3":"abcdefgh"}`,
		})
	}
	return described("W", "*!Id", "INT64", "K2", "STRING(MAX)", "B", "BOOL", "F64", "FLOAT64", "F32", "FLOAT32", "N", "NUMERIC", "By", "BYTES(MAX)",
		"D", "DATE", "Ts", "TIMESTAMP", "J", "JSON", "AI", "ARRAY<INT64>", "K3", "STRING(8)"), dc
}

// pass takes a change down the line without keeping anything, and counts the bytes that came out.
func (l *line) pass(t testing.TB, dc *changestream.DataChange, records []record.Record) ([]record.Record, int) {
	v, err := l.registry.Observe(dc)
	if err != nil {
		t.Fatal(err)
	}
	if records, err = l.maker.Records(records[:0], dc, v, l.low); err != nil {
		t.Fatal(err)
	}
	size := 0
	for i := range records {
		m, err := l.set.Message(context.Background(), &records[i])
		if err != nil {
			t.Fatal(err)
		}
		size += len(m.Key) + len(m.Value)
	}
	return records, size
}

func TestAllocationsOfARecord(t *testing.T) { // not parallel: it counts allocations
	table, dc := wide(1)
	l := newLine()
	l.begin(t, table)
	var records []record.Record
	records, _ = l.pass(t, dc, records)
	if n := testing.AllocsPerRun(2000, func() { records, _ = l.pass(t, dc, records) }); n > 5 {
		t.Errorf("%v allocations for one record", n)
	}
}

func benchmark(b *testing.B, rows int, schemas bool) {
	table, dc := wide(rows)
	l := newLine()
	l.schemas = schemas
	l.begin(b, table)
	records, size := l.pass(b, dc, nil)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		records, _ = l.pass(b, dc, records)
	}
}

// Bytes are those of keys and values that come out.
func BenchmarkOneRow(b *testing.B)      { benchmark(b, 1, false) }
func BenchmarkHundredRows(b *testing.B) { benchmark(b, 100, false) }
func BenchmarkWithSchemas(b *testing.B) { benchmark(b, 100, true) }
