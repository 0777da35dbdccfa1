package changestream_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"sluice.example/shared/changestream"
)

// FuzzDecodeJSON: whatever a row holds, it is refused by name or well-formed.
func FuzzDecodeJSON(f *testing.F) {
	for kind, record := range kinds {
		f.Add(jsonRow(kind, record))
	}
	f.Add(`{"data_change_record":{"mods":[{"keys":"{}"}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := postgres(text)
		wellFormed(t, got, err)
	})
}

// FuzzDecode reads a row from the JSON of the fuzzer, in the place of a real one and with the real shape.
func FuzzDecode(f *testing.F) {
	f.Add(`[[[],[["2026-01-01T00:00:00Z"]],[]]]`)
	f.Add(`[[[],[],[["2026-01-01T00:00:00Z","1",[["t",["p",null]]]]]]]`)
	f.Add(`[[[["2026-01-01T00:00:00Z","1","t",true,"T",[["id","{}",true,"1"]],[["{}","{}",null]],"INSERT","NEW_ROW","1","1",null,null]],[],[]]]`)
	f.Fuzz(func(t *testing.T, text string) {
		var row any
		if json.Unmarshal([]byte(text), &row) != nil {
			return
		}
		got, err := google(whole(), row)
		wellFormed(t, got, err)
	})
}

// wellFormed holds what a decoder gave to what the product takes for granted.
func wellFormed(t *testing.T, got []changestream.Record, err error) {
	t.Helper()
	var u *changestream.Undecodable
	if err != nil && (!errors.As(err, &u) || u.Field == "" || u.Reason == "") {
		t.Fatalf("the error is %#v", err)
	}
	for _, r := range got {
		set := 0
		for _, is := range []bool{r.Data != nil, r.Heartbeat != nil, r.Children != nil} {
			if is {
				set++
			}
		}
		if set != 1 {
			t.Fatalf("a record of %d kinds", set)
		}
		if r.Data == nil {
			continue
		}
		switch r.Data.ModType {
		case changestream.Insert, changestream.Update, changestream.Delete:
		default:
			t.Fatalf("a change of kind %q", r.Data.ModType)
		}
		for _, m := range r.Data.Mods {
			if m.Keys == "" {
				t.Fatal("a row without keys")
			}
			for _, text := range []string{m.Keys, m.New, m.Old} {
				if text != "" && !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
					t.Fatalf("a row holds %q", text)
				}
			}
		}
	}
}

// BenchmarkDecode is a change of one row in a table of two columns, as most rows of a query are.
func BenchmarkDecode(b *testing.B) {
	d, err := changestream.GoogleSQL.Decoder(shapeOf(whole()))
	if err != nil {
		b.Fatal(err)
	}
	row := valueOf([]any{obj{{"", []any{dataRecord}}, {"", []any{}}, {"", []any{}}}})
	b.ReportAllocs()
	var records []changestream.Record
	for b.Loop() {
		if records, err = d.Decode(records[:0], row); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeJSON is the same change in a PostgreSQL-dialect database.
func BenchmarkDecodeJSON(b *testing.B) {
	d, err := changestream.PostgreSQL.Decoder(changestream.Shape{})
	if err != nil {
		b.Fatal(err)
	}
	row := valueOf(jsonRow("data_change_record", dataRecord))
	b.ReportAllocs()
	var records []changestream.Record
	for b.Loop() {
		if records, err = d.Decode(records[:0], row); err != nil {
			b.Fatal(err)
		}
	}
}
