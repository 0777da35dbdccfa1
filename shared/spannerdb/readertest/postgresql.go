package readertest

import (
	"testing"
	"time"

	"cloud.google.com/go/spanner"

	"sluice.example/shared/changestream"
)

// postgreSQL: names in mixed case, of tables and streams; a stream created without quotes is found in either case.
func postgreSQL(t *testing.T, s Server) {
	db := s.Create(t, postgres,
		`CREATE TABLE "MixedCase" ("Id" bigint PRIMARY KEY, "Order" varchar(20))`,
		`CREATE TABLE other (id bigint PRIMARY KEY)`,
		`CREATE CHANGE STREAM "MixedStream" FOR ALL`,
		`CREATE CHANGE STREAM Folded FOR "MixedCase"`)
	mixed := `MixedCase(Id bigint! 1, Order character varying(20))`
	expectTables(t, db, "MixedStream", mixed, "other(id bigint! 1)")
	expectTables(t, db, "Folded", mixed)
	expectTables(t, db, "folded", mixed)

	first := apply(t, db, spanner.Insert("MixedCase", []string{"Id", "Order"}, []any{int64(1), "x"}))
	last := apply(t, db, spanner.Insert("other", []string{"id"}, []any{int64(2)}))
	d := open(t, db)
	for _, stream := range []string{"Folded", "folded"} {
		all := follow(t, d.Reader(stream), first, last)
		if len(all) != 1 || all[0].Table != "MixedCase" {
			t.Fatalf("stream %s gave %+v", stream, all)
		}
		expect(t, all[0], changestream.Insert, `{"Id":"1"}`, `{"Order":"x"}`, `{}`)
	}
	if all := follow(t, d.Reader("MixedStream"), first, last); len(all) != 2 {
		t.Errorf("the stream of all tables gave %d changes, want 2", len(all))
	}
	refused(t, d.Reader("MixedStream"), changestream.Query{Token: "nobodys", Start: first, End: last, Heartbeat: beat})
}

// postgreSQLTypes: NUMERIC and JSON come with the annotation of the dialect.
func postgreSQLTypes(t *testing.T, s Server) {
	all := []column{
		{"b", "boolean", true, `{"code":"BOOL"}`, `true`},
		{"i", "bigint", int64(9007199254740993), `{"code":"INT64"}`, `"9007199254740993"`},
		{"f", "double precision", 0.1, `{"code":"FLOAT64"}`, `0.1`},
		{"n", "numeric", spanner.PGNumeric{Numeric: "123.4500", Valid: true}, `{"code":"NUMERIC","type_annotation":"PG_NUMERIC"}`, `"123.4500"`},
		{"nan", "numeric", spanner.PGNumeric{Numeric: "NaN", Valid: true}, `{"code":"NUMERIC","type_annotation":"PG_NUMERIC"}`, `"NaN"`},
		{"s", "varchar", "<&>", `{"code":"STRING"}`, `"<&>"`},
		{"y", "bytea", []byte{1, 2}, `{"code":"BYTES"}`, `"AQI="`},
		{"ts", "timestamptz", time.Date(2023, 9, 22, 12, 34, 56, 123456789, time.UTC), `{"code":"TIMESTAMP"}`, `"2023-09-22T12:34:56.123456789Z"`},
		{"j", "jsonb", spanner.PGJsonB{Value: map[string]any{"a": 1}, Valid: true}, `{"code":"JSON","type_annotation":"PG_JSONB"}`, `"{\"a\": 1}"`},
		{"none", "varchar", spanner.NullString{}, `{"code":"STRING"}`, `null`},
		{"ai", "bigint[]", []int64{1, 2}, `{"array_element_type":{"code":"INT64"},"code":"ARRAY"}`, `["1","2"]`},
	}
	ddl, names, values, want := "CREATE TABLE t (id bigint PRIMARY KEY", []string{"id"}, []any{int64(7)}, `{`
	for i, c := range all {
		ddl += ", " + c.name + " " + c.ddl
		names, values = append(names, c.name), append(values, c.value)
		if i > 0 {
			want += ","
		}
		want += `"` + c.name + `":` + c.says
	}
	db := s.Create(t, postgres, ddl+")", "CREATE CHANGE STREAM s FOR ALL")
	d := only(t, open(t, db).Reader("s"), apply(t, db, spanner.Insert("t", names, values)))
	expectColumns(t, d, all)
	expect(t, d, changestream.Insert, `{"id":"7"}`, s.says(want+`}`), `{}`)
}
