package golden_test

import (
	"errors"
	"strings"
	"testing"

	"sluice.example/shared/changestream"
	"sluice.example/shared/envelope"
	"sluice.example/shared/tableschema"
)

// one runs a row with one column c of a type down the line and gives its after image and key.
func one(t *testing.T, typ, keys, row string) (after, key string) {
	t.Helper()
	l := newLine().begin(t, described("T", "*id", "INT64", "c", typ))
	m := l.run(t, change("T", changestream.Insert, columns("*id", int64Type), changestream.Mod{Keys: keys, New: row}))
	after, _, _ = strings.Cut(string(m[0].Value[strings.Index(string(m[0].Value), `"after":`)+8:]), `,"source"`)
	return after, string(m[0].Key)
}

// TestValues takes values of a column c through the line; the key is {"id":1}.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ id, typ, in, want string }{
		{"TY-01", "FLOAT64", `"NaN"`, `"NaN"`},
		{"TY-01", "FLOAT64", `"Infinity"`, `"Infinity"`},
		{"TY-01", "FLOAT64", `"-Infinity"`, `"-Infinity"`},
		{"TY-01", "real", `"NaN"`, `"NaN"`},
		{"TY-03", "INT64", `"9007199254740993"`, `9007199254740993`},
		{"TY-03", "INT64", `"9223372036854775807"`, `9223372036854775807`},
		{"TY-03", "INT64", `"-9223372036854775808"`, `-9223372036854775808`},
		{"TY-03", "INT64", `9007199254740993`, `9007199254740993`},
		{"TY-03", "ARRAY<INT64>", `["145688415796432520","-1"]`, `[145688415796432520,-1]`},
		{"TY-05", "STRING(MAX)", `"<a href=\"x\">&'` + "\u2028" + `"`, `"<a href=\"x\">&'` + "\u2028" + `"`},
		{"TY-05", "STRING(MAX)", `"\u003ca\/\ud83d\ude00\u0001"`, `"<a/\uD83D\uDE00\u0001"`},
		{"TY-05", "STRING(MAX)", `"😀é"`, `"\uD83D\uDE00é"`},
		{"TY-07", "TIMESTAMP", `"2023-09-22T12:34:56.123456789Z"`, `"2023-09-22T12:34:56.123456789Z"`},
		{"TY-07", "TIMESTAMP", `"0001-01-01T00:00:00Z"`, `"0001-01-01T00:00:00Z"`},
		{"TY-07", "TIMESTAMP", `"9999-12-31T23:59:59.999999999Z"`, `"9999-12-31T23:59:59.999999999Z"`},
		{"TY-07", "TIMESTAMP", `"1969-12-31T23:59:59.999999999Z"`, `"1969-12-31T23:59:59.999999999Z"`},
		{"TY-08", "DATE", `"0001-01-01"`, `"0001-01-01"`},
		{"TY-08", "DATE", `"1969-12-31"`, `"1969-12-31"`},
		{"TY-08", "DATE", `null`, `null`},
		{"TY-09", "BYTES(MAX)", `""`, `""`},
		{"TY-09", "BYTES(MAX)", `null`, `null`},
		{"TY-09", "BYTES(MAX)", `"AQ"`, `"AQ=="`},
		{"TY-11", "ARRAY<STRING(MAX)>", `["a",null,""]`, `["a",null,""]`},
		{"TY-11", "ARRAY<INT64>", `["1",null,"3"]`, `[1,null,3]`},
		{"TY-11", "ARRAY<BOOL>", `[true,null,false]`, `[true,null,false]`},
		{"TY-11", "ARRAY<BYTES(MAX)>", `["AQ==",null,""]`, `["AQ==",null,""]`},
		{"TY-12", "ARRAY<STRING(MAX)>", `[]`, `[]`},
		{"TY-12", "ARRAY<STRING(MAX)>", `null`, `null`},
		{"TY-13", "NUMERIC", `"99999999999999999999999999999.999999999"`, `"99999999999999999999999999999.999999999"`},
		{"TY-13", "NUMERIC", `"-0.000000001"`, `"-0.000000001"`},
		{"TY-13", "NUMERIC", `null`, `null`},
		{"TY-13", "numeric", `"NaN"`, `"NaN"`},
		{"TY-20", "TIMESTAMP", `"9999-12-31T23:59:59Z"`, `"9999-12-31T23:59:59Z"`},
		{"TY-20", "spanner.commit_timestamp", `"2024-01-01T00:00:01.123456789Z"`, `"2024-01-01T00:00:01.123456789Z"`},
	} {
		t.Run(test.id, func(t *testing.T) {
			t.Parallel()
			if after, _ := one(t, test.typ, `{"id":"1"}`, `{"c":`+test.in+`}`); after != `{"id":1,"c":`+test.want+`}` {
				t.Errorf("%s of %s: %s", test.in, test.typ, after)
			}
		})
	}
	t.Run("TY-03", func(t *testing.T) {
		t.Parallel()
		if _, key := one(t, "INT64", `{"id":"9007199254740993"}`, `{}`); key != `{"id":9007199254740993}` {
			t.Error(key)
		}
	})
}

func TestTextKeys(t *testing.T) {
	t.Parallel()
	key := func(t *testing.T, typ, column, value string) []byte {
		l := newLine().begin(t, described("K", "*!"+column, typ))
		return l.run(t, change("K", changestream.Insert, columns("*"+column, stringType), changestream.Mod{Keys: `{"` + column + `":` + value + `}`}))[0].Key
	}
	t.Run("TY-05", func(t *testing.T) {
		t.Parallel()
		k := key(t, "STRING(MAX)", "name", `"<a&b>"`)
		equal(t, k, `{"name":"<a&b>"}`)
		if partition(k, 6) != 0 || partition(k, 12) != 0 {
			t.Errorf("partitions %d of 6 and %d of 12", partition(k, 6), partition(k, 12))
		}
		if escaped := []byte(`{"name":"\u003ca\u0026b\u003e"}`); partition(escaped, 6) != 2 || partition(escaped, 12) != 8 {
			t.Error("the case's other numbers do not hold: the partitioner is another one")
		}
	})
	t.Run("TY-07", func(t *testing.T) {
		t.Parallel()
		for _, ts := range []string{"2023-09-22T12:34:56.123456789Z", "0001-01-01T00:00:00Z"} {
			l := newLine().begin(t, described("K", "*!ts", "TIMESTAMP"))
			m := l.run(t, change("K", changestream.Insert, columns("*ts", `{"code":"TIMESTAMP"}`), changestream.Mod{Keys: `{"ts":"` + ts + `"}`}))
			equal(t, m[0].Key, `{"ts":"`+ts+`"}`)
		}
	})
}

func TestSchemasOfTypes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ id, typ, want string }{
		{"TY-07", "TIMESTAMP", `{"type":"string","optional":true,"field":"c"}`},
		{"TY-08", "DATE", `{"type":"string","optional":true,"field":"c"}`},
		{"TY-09", "BYTES(MAX)", `{"type":"bytes","optional":true,"field":"c"}`},
		{"TY-11", "ARRAY<INT64>", `{"type":"array","items":{"type":"int64","optional":true},"optional":true,"field":"c"}`},
		{"TY-15", "UUID", `{"type":"string","optional":true,"name":"io.debezium.data.Uuid","version":1,"field":"c"}`},
		{"TY-15", "uuid", `{"type":"string","optional":true,"name":"io.debezium.data.Uuid","version":1,"field":"c"}`},
	} {
		t.Run(test.id, func(t *testing.T) {
			t.Parallel()
			l := newLine()
			l.schemas = true
			l.begin(t, described("T", "*!id", "INT64", "c", test.typ))
			has(t, l.run(t, change("T", changestream.Insert, columns("*id", int64Type), changestream.Mod{Keys: `{"id":"1"}`, New: "{}"}))[0], test.want)
		})
	}
	t.Run("TY-15", func(t *testing.T) {
		t.Parallel()
		for _, typ := range []string{"UUID", "uuid"} {
			l := newLine()
			l.schemas = true
			l.begin(t, described("Items", "*!ItemId", typ, "Name", "STRING(256)"), singers)
			m := l.run(t, change("Items", changestream.Insert, columns("*ItemId", `{"code":"UUID"}`), changestream.Mod{Keys: `{"ItemId":"a1b2c3d4-e5f6-7890-abcd-ef1234567890"}`, New: `{"Name":"x"}`}))
			equal(t, m[0].Key, `{"schema":{"type":"struct","fields":[{"type":"string","optional":false,"name":"io.debezium.data.Uuid","version":1,"field":"ItemId"}],"optional":false,"name":"Items.Key"},"payload":{"ItemId":"a1b2c3d4-e5f6-7890-abcd-ef1234567890"}}`)
		}
	})
}

func TestArrayBecomesNull(t *testing.T) {
	t.Parallel()
	t.Run("TY-12", func(t *testing.T) {
		t.Parallel()
		l := newLine().begin(t, described("T", "*!id", "INT64", "c", "ARRAY<STRING(MAX)>"))
		m := l.run(t, change("T", changestream.Update, columns("*id", int64Type), changestream.Mod{Keys: `{"id":"1"}`, Old: `{"c":[]}`, New: `{"c":null}`}))
		has(t, m[0], `"before":{"id":1,"c":[]},"after":{"id":1,"c":null}`)
	})
}

func TestUnknownType(t *testing.T) {
	t.Parallel()
	good := change("Good", changestream.Insert, columns("*id", int64Type, "v", stringType), changestream.Mod{Keys: `{"id":"1"}`, New: `{"v":"a"}`})
	proto := `{"code":"PROTO","proto_type_fqn":"a.b.C"}`
	odd := change("Odd", changestream.Insert, columns("*id", int64Type, "p", proto), changestream.Mod{Keys: `{"id":"1"}`, New: `{"p":"AQ=="}`})
	watched := []tableschema.Table{described("Good", "*!id", "INT64", "v", "STRING(MAX)"), described("Odd", "*!id", "INT64", "p", "PROTO<a.b.C>")}
	t.Run("TY-17a", func(t *testing.T) {
		t.Parallel()
		l := newLine()
		l.settings.TableInclude = &[]string{"Good"}
		if m := l.begin(t, watched...).run(t, odd, good); len(m) != 1 || m[0].Topic != "c1.Good" {
			t.Errorf("%+v", m)
		}
	})
	t.Run("TY-17b", func(t *testing.T) {
		t.Parallel()
		l := newLine().begin(t, watched...)
		m, err := l.try(good, odd)
		var u *tableschema.Unsupported
		if len(m) != 1 || !errors.As(err, &u) || *u != (tableschema.Unsupported{Table: "Odd", Column: "p", Type: "PROTO<a.b.C>"}) {
			t.Errorf("%d messages, %v", len(m), err)
		}
		l.run(t, good)
	})
}

// TestNotGuessed wants an error that names table and column for what the peer turns into something else.
func TestNotGuessed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ typ, in string }{
		{"INT64", `"abc"`}, {"INT64", `"9223372036854775808"`}, {"INT64", `1.9`}, {"INT64", `""`}, {"INT64", `true`}, {"BOOL", `"yes"`}, {"BOOL", `1`},
		{"FLOAT64", `"x"`}, {"FLOAT64", `1e999`}, {"BYTES(MAX)", `"AQ\n=="`}, {"BYTES(MAX)", `"A-_="`}, {"BYTES(MAX)", `"A"`}, {"STRING(MAX)", `{}`}, {"DATE", `5`},
		{"ARRAY<INT64>", `"1"`}, {"ARRAY<INT64>", `[["1"]]`}, {"ARRAY<BYTES(MAX)>", `["?"]`}, {"STRING(MAX)", `"\ud800"`},
	} {
		t.Run(test.typ+" "+test.in, func(t *testing.T) {
			t.Parallel()
			l := newLine().begin(t, described("T", "*id", "INT64", "c", test.typ))
			m, err := l.try(change("T", changestream.Insert, columns("*id", int64Type), changestream.Mod{Keys: `{"id":"1"}`, New: `{"c":` + test.in + `}`}))
			var mismatch *envelope.Mismatch
			if len(m) != 0 || !errors.As(err, &mismatch) || mismatch.Table != "T" || mismatch.Column != "c" {
				t.Errorf("%d messages: %v", len(m), err)
			}
		})
	}
	t.Run("a column that the change does not list", func(t *testing.T) {
		t.Parallel()
		_, err := newLine().begin(t, singers).try(change("Singers", changestream.Insert, singersColumns, changestream.Mod{Keys: singerKey, New: `{"Other":1}`}))
		var mismatch *envelope.Mismatch
		if !errors.As(err, &mismatch) || mismatch.Column != "Other" {
			t.Error(err)
		}
	})
	t.Run("keys without a key column", func(t *testing.T) {
		t.Parallel()
		_, err := newLine().begin(t, singers).try(change("Singers", changestream.Insert, singersColumns, changestream.Mod{Keys: `{}`, New: singerRow}))
		var mismatch *envelope.Mismatch
		if !errors.As(err, &mismatch) || mismatch.Column != "SingerId" {
			t.Error(err)
		}
	})
	t.Run("text that is not JSON", func(t *testing.T) {
		t.Parallel()
		_, err := newLine().begin(t, singers).try(change("Singers", changestream.Insert, singersColumns, changestream.Mod{Keys: singerKey, New: `{"Name":"x"`}))
		var bad *changestream.Undecodable
		if !errors.As(err, &bad) || bad.Field != "data_change_record.mods[0].new_values" {
			t.Error(err)
		}
	})
}
