package readertest

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"cloud.google.com/go/spanner"

	"sluice.example/shared/changestream"
)

// column is a column with a value, and what a change says of both.
type column struct {
	name, ddl string
	value     any
	typ       string // JSON of column_types
	says      string // JSON of the value
}

const escaped = `"<a href=\"x\">&'\u2028 é"`

// columns are all types of GoogleSQL that need no proto bundle. Values are the awkward ones of their type.
func columns() []column {
	instant := time.Date(2023, 9, 22, 12, 34, 56, 123456789, time.UTC)
	large, _ := new(big.Rat).SetString("99999999999999999999999999999.999999999")
	small, _ := new(big.Rat).SetString("-0.000000001")
	scalar := func(code string) string { return `{"code":"` + code + `"}` }
	array := func(code string) string { return `{"code":"ARRAY","array_element_type":{"code":"` + code + `"}}` }
	return []column{
		{"b", "BOOL", true, scalar("BOOL"), `true`},
		{"i", "INT64", int64(9007199254740993), scalar("INT64"), `"9007199254740993"`},
		{"least", "INT64", int64(-9223372036854775808), scalar("INT64"), `"-9223372036854775808"`},
		{"f", "FLOAT64", 0.1, scalar("FLOAT64"), `0.1`},
		{"f32", "FLOAT32", float32(1.5), scalar("FLOAT32"), `1.5`},
		{"n", "NUMERIC", large, scalar("NUMERIC"), `"99999999999999999999999999999.999999999"`},
		{"n2", "NUMERIC", small, scalar("NUMERIC"), `"-0.000000001"`},
		{"s", "STRING(MAX)", "<a href=\"x\">&'\u2028 é", scalar("STRING"), escaped},
		{"empty", "STRING(8)", "", scalar("STRING"), `""`},
		{"y", "BYTES(MAX)", []byte{1, 0, 255}, scalar("BYTES"), `"AQD/"`},
		{"y0", "BYTES(MAX)", []byte{}, scalar("BYTES"), `""`},
		{"d", "DATE", civil.Date{Year: 1969, Month: 12, Day: 31}, scalar("DATE"), `"1969-12-31"`},
		{"d1", "DATE", civil.Date{Year: 1, Month: 1, Day: 1}, scalar("DATE"), `"0001-01-01"`},
		{"ts", "TIMESTAMP", instant, scalar("TIMESTAMP"), `"2023-09-22T12:34:56.123456789Z"`},
		{"j", "JSON", spanner.NullJSON{Value: map[string]any{"a": []any{1, nil}}, Valid: true}, scalar("JSON"), `"{\"a\":[1,null]}"`},
		{"none", "STRING(MAX)", spanner.NullString{}, scalar("STRING"), `null`},
		{"ab", "ARRAY<BOOL>", []bool{true, false}, array("BOOL"), `[true,false]`},
		{"ai", "ARRAY<INT64>", []int64{9223372036854775807, 0}, array("INT64"), `["9223372036854775807","0"]`},
		{"af", "ARRAY<FLOAT64>", []float64{0.5}, array("FLOAT64"), `[0.5]`},
		{"an", "ARRAY<NUMERIC>", []big.Rat{*big.NewRat(5, 2)}, array("NUMERIC"), `["2.5"]`},
		{"astr", "ARRAY<STRING(MAX)>", []string{"a", "", "<"}, array("STRING"), `["a","","<"]`},
		{"ay", "ARRAY<BYTES(MAX)>", [][]byte{{1}, {}}, array("BYTES"), `["AQ==",""]`},
		{"ad", "ARRAY<DATE>", []civil.Date{{Year: 9999, Month: 12, Day: 31}}, array("DATE"), `["9999-12-31"]`},
		{"ats", "ARRAY<TIMESTAMP>", []time.Time{instant}, array("TIMESTAMP"), `["2023-09-22T12:34:56.123456789Z"]`},
		{"a0", "ARRAY<STRING(MAX)>", []string{}, array("STRING"), `[]`},
		{"anull", "ARRAY<STRING(MAX)>", []string(nil), array("STRING"), `null`},
	}
}

// everyType inserts, changes and deletes a row of all types, and expects of each change what Spanner documents for
// OLD_AND_NEW_VALUES: all columns of an insert and a delete, those that changed of an update.
func everyType(t *testing.T, s Server) {
	all := columns()
	ddl, names, values, want := "id INT64 NOT NULL", []string{"id"}, []any{int64(7)}, ""
	for _, c := range all {
		ddl += ", " + c.name + " " + c.ddl
		names, values = append(names, c.name), append(values, c.value)
		want += `,"` + c.name + `":` + c.says
	}
	want = s.says("{" + want[1:] + "}")
	db := s.Create(t, google, "CREATE TABLE T ("+ddl+") PRIMARY KEY (id)", "CREATE CHANGE STREAM S FOR ALL")
	r := open(t, db).Reader("S")
	first := apply(t, db, spanner.Insert("T", names, values))
	second := apply(t, db, spanner.Update("T", []string{"id", "s", "i"}, []any{int64(7), "new", spanner.NullInt64{}}))
	third := apply(t, db, spanner.Delete("T", spanner.Key{int64(7)}))

	insert := only(t, r, first)
	expectColumns(t, insert, all)
	expect(t, insert, changestream.Insert, `{"id":"7"}`, want, `{}`)
	update := only(t, r, second)
	expect(t, update, changestream.Update, `{"id":"7"}`, `{"s":"new","i":null}`, `{"i":"9007199254740993","s":`+escaped+`}`)
	var told []string
	for _, c := range update.Columns {
		told = append(told, c.Name)
	}
	slices.Sort(told)
	if !slices.Equal(told, []string{"i", "id", "s"}) {
		t.Errorf("an update describes the columns %q", told)
	}
	changed := strings.NewReplacer(`"s":`+escaped, `"s":"new"`, `"i":"9007199254740993"`, `"i":null`).Replace(want)
	expect(t, only(t, r, third), changestream.Delete, `{"id":"7"}`, `{}`, changed)
}

// only is the one change of an instant.
func only(t *testing.T, r changestream.Reader, at time.Time) *changestream.DataChange {
	t.Helper()
	all := follow(t, r, at, at)
	if len(all) != 1 || len(all[0].Mods) != 1 {
		t.Fatalf("%d changes at %v, want one with one row: %+v", len(all), at, all)
	}
	return all[0]
}

// expect compares a change's one row. Absent objects and empty ones are the same.
func expect(t *testing.T, d *changestream.DataChange, kind changestream.ModType, keys, created, old string) {
	t.Helper()
	some := func(text string) string {
		if text == "" {
			return "{}"
		}
		return text
	}
	m := d.Mods[0]
	if d.ModType != kind || !sameJSON(m.Keys, keys) {
		t.Errorf("a change of kind %s to %s, want %s to %s", d.ModType, m.Keys, kind, keys)
	}
	if !sameJSON(some(m.New), created) {
		t.Errorf("%s: new values\n%s, want\n%s", kind, m.New, created)
	}
	if !sameJSON(some(m.Old), old) {
		t.Errorf("%s: old values\n%s, want\n%s", kind, m.Old, old)
	}
}

// expectColumns compares the description of id and the columns after it.
func expectColumns(t *testing.T, d *changestream.DataChange, all []column) {
	t.Helper()
	got := slices.Clone(d.Columns)
	slices.SortFunc(got, func(a, b changestream.Column) int { return int(a.Ordinal - b.Ordinal) })
	if len(got) != len(all)+1 || got[0].Name != "id" || !got[0].PrimaryKey || got[0].Ordinal != 1 {
		t.Fatalf("columns %+v", got)
	}
	for i, c := range all {
		is := got[i+1]
		if is.Name != c.name || is.PrimaryKey || is.Ordinal != int64(i+2) || !sameJSON(is.Type, c.typ) {
			t.Errorf("column %+v, want %s of type %s at %d", is, c.name, c.typ, i+2)
		}
	}
}
