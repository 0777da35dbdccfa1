package spannerfake

import (
	"math"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// TestValuesInChangeRecords writes a value and sees how the stream spells it (debezium-spanner.md section 3).
func TestValuesInChangeRecords(t *testing.T) {
	t.Parallel()
	nano := time.Date(2023, 9, 22, 12, 34, 56, 123456789, time.UTC)
	for name, c := range map[string]struct {
		typ   string
		value any
		want  string
	}{
		"nan":             {"FLOAT64", math.NaN(), `"NaN"`},
		"infinity":        {"FLOAT64", math.Inf(1), `"Infinity"`},
		"less than all":   {"FLOAT32", math.Inf(-1), `"-Infinity"`},
		"whole float":     {"FLOAT64", 3.0, `3.0`},
		"short float":     {"FLOAT32", float32(1.1), `1.100000023841858`},
		"minus zero":      {"FLOAT64", math.Copysign(0, -1), `-0.0`},
		"beyond 2^53":     {"INT64", int64(9007199254740993), `"9007199254740993"`},
		"least int":       {"INT64", int64(math.MinInt64), `"-9223372036854775808"`},
		"numeric":         {"NUMERIC", "99999999999999999999999999999.999999999", `"99999999999999999999999999999.999999999"`},
		"small numeric":   {"NUMERIC", "-0.000000001", `"-0.000000001"`},
		"long numeric":    {"NUMERIC", "1.500", `"1.5"`},
		"nine digits":     {"TIMESTAMP", nano, `"2023-09-22T12:34:56.123456789Z"`},
		"first timestamp": {"TIMESTAMP", time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), `"0001-01-01T00:00:00Z"`},
		"last timestamp":  {"TIMESTAMP", "9999-12-31T23:59:59.999999999Z", `"9999-12-31T23:59:59.999999999Z"`},
		"zoned timestamp": {"TIMESTAMP", "2020-01-01T02:00:00+02:00", `"2020-01-01T00:00:00Z"`},
		"date":            {"DATE", "0001-01-01", `"0001-01-01"`},
		"no bytes":        {"BYTES(MAX)", []byte{}, `""`},
		"bytes":           {"BYTES(3)", []byte{0xff, 0, 0xfe}, `"/wD+"`},
		"text":            {"STRING(MAX)", "<a href=\"x\">&'\u2028", "\"<a href=\\\"x\\\">&'\u2028\""},
		"json":            {"JSON", `{"b": 1, "a": [1.50, "<"]}`, `"{\"a\":[1.50,\"<\"],\"b\":1}"`},
		"uuid":            {"UUID", "A1B2C3D4-e5f6-7890-abcd-ef1234567890", `"a1b2c3d4-e5f6-7890-abcd-ef1234567890"`},
		"proto":           {"`a.b.C`", []byte("x"), `"eA=="`},
		"null":            {"BOOL", nil, `null`},
		"bool":            {"BOOL", false, `false`},
		"empty array":     {"ARRAY<STRING(MAX)>", []string{}, `[]`},
		"null array":      {"ARRAY<STRING(MAX)>", nil, `null`},
		"nulls in array":  {"ARRAY<INT64>", []any{1, nil, 3}, `["1",null,"3"]`},
		"array of bytes":  {"ARRAY<BYTES(MAX)>", []any{[]byte{1}, nil, []byte{}}, `["AQ==",null,""]`},
		"array of floats": {"ARRAY<FLOAT64>", []float64{1, math.NaN()}, `[1.0,"NaN"]`},
		"vector":          {"ARRAY<FLOAT32>(vector_length=>2)", []float32{1, 2}, `[1.0,2.0]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, Options{Partitions: 1}, "CREATE TABLE T (Id INT64 NOT NULL, V "+c.typ+") PRIMARY KEY (Id)", "CREATE CHANGE STREAM s FOR ALL")
			at := w.mustApply(t, Insert("T", []string{"Id", "V"}, 1, c.value))
			got := w.must(t, "s", w.Partitions("s")[0].Token, at, at)[0].Data
			if want := `{"V":` + c.want + `}`; got.Mods[0].New != want {
				t.Errorf("got %s instead of %s", got.Mods[0].New, want)
			}
		})
	}
}

func TestTypesInChangeRecordsAndViews(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1},
		"CREATE TABLE T (U UUID NOT NULL, P `a.b.C`, V ARRAY<FLOAT32>(vector_length=>2), L ARRAY<STRING(5)>, K TOKENLIST) PRIMARY KEY (U)",
		"CREATE CHANGE STREAM s FOR ALL")
	at := w.mustApply(t, Insert("T", []string{"U"}, "a1b2c3d4-e5f6-7890-abcd-ef1234567890"))
	got := w.must(t, "s", w.Partitions("s")[0].Token, at, at)[0].Data
	types := []string{`{"code":"UUID"}`, `{"code":"PROTO","proto_type_fqn":"a.b.C"}`, `{"array_element_type":{"code":"FLOAT32"},"code":"ARRAY"}`, `{"array_element_type":{"code":"STRING"},"code":"ARRAY"}`, `{"code":"TOKENLIST"}`}
	texts := []string{"UUID", "PROTO<a.b.C>", "ARRAY<FLOAT32>(vector_length=>2)", "ARRAY<STRING(5)>", "TOKENLIST"}
	it := w.client.Single().Query(t.Context(), spanner.NewStatement("SELECT spanner_type FROM information_schema.columns WHERE table_name = 'T' ORDER BY ordinal_position"))
	var i int
	err := it.Do(func(r *spanner.Row) error {
		var s string
		if err := r.Columns(&s); err != nil || s != texts[i] {
			t.Errorf("column %d: %q, %v", i, s, err)
		}
		i++
		return nil
	})
	if err != nil || i != len(texts) {
		t.Errorf("%d columns, %v", i, err)
	}
	for i, c := range got.Columns {
		if c.Type != types[i] || c.Ordinal != int64(i+1) || c.PrimaryKey != (i == 0) {
			t.Errorf("column %+v", c)
		}
	}
}

func TestValuesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ   string
		value any
	}{
		"numeric too large":   {"NUMERIC", "100000000000000000000000000000"},
		"numeric too fine":    {"NUMERIC", "0.0000000001"},
		"numeric hex":         {"NUMERIC", "0x10"},
		"int too large":       {"INT64", "9223372036854775808"},
		"int as a number":     {"INT64", 1.0},
		"date":                {"DATE", "2023-02-30"},
		"timestamp":           {"TIMESTAMP", "yesterday"},
		"base64":              {"BYTES(MAX)", "***"},
		"bytes too long":      {"BYTES(2)", []byte("abc")},
		"json":                {"JSON", "{"},
		"json and more":       {"JSON", "1 2"},
		"uuid":                {"UUID", "x"},
		"bool":                {"BOOL", "true"},
		"element":             {"ARRAY<INT64>", []string{"x"}},
		"not an array":        {"ARRAY<INT64>", "1"},
		"pending not allowed": {"TIMESTAMP", CommitTimestamp},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, Options{}, "CREATE TABLE T (Id INT64 NOT NULL, V "+c.typ+") PRIMARY KEY (Id)")
			if _, err := w.Apply(Insert("T", []string{"Id", "V"}, 1, c.value)); status.Code(err) != codes.FailedPrecondition {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCommitTimestampColumn(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, "CREATE TABLE T (Id INT64 NOT NULL, Made TIMESTAMP OPTIONS (allow_commit_timestamp=true)) PRIMARY KEY (Id)", "CREATE CHANGE STREAM s FOR ALL")
	at, err := w.client.Apply(t.Context(), []*spanner.Mutation{spanner.Insert("T", []string{"Id", "Made"}, []any{1, spanner.CommitTimestamp})})
	if err != nil {
		t.Fatal(err)
	}
	got := w.must(t, "s", w.Partitions("s")[0].Token, at, at)[0].Data
	if want := `{"Made":"` + stamp(at) + `"}`; got.Mods[0].New != want {
		t.Errorf("got %s instead of %s", got.Mods[0].New, want)
	}
	if _, err := w.Apply(Insert("T", []string{"Id", "Made"}, 2, time.Now().Add(time.Hour))); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("a time of the future: %v", err)
	}
}
