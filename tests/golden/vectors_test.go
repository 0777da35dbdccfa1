package golden_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice.example/shared/changestream"
	"sluice.example/shared/delivery"
	"sluice.example/shared/envelope"
)

// The table and the rows of the reference's appendix A.
var (
	singers        = described("Singers", "*!SingerId", "INT64", "Name", "STRING(100)", "!Pic", "BYTES(10)")
	singersColumns = columns("*SingerId", int64Type, "Name", stringType, "Pic", bytesType)
	singerKey      = `{"SingerId":"1"}`
	singerRow      = `{"Name":"Anne","Pic":"AQID"}`
	watermark      = time.Date(2024, 1, 1, 0, 0, 0, 500000000, time.UTC)
)

func vector(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "vectors", name+".json"))
	must(t, err)
	return strings.TrimSuffix(string(b), "\n")
}

func equal(t *testing.T, got []byte, want string) {
	t.Helper()
	if string(got) != want {
		t.Errorf("(-peer +ours): %s", cmp.Diff(want, string(got)))
	}
}

// has wants a member or several in a row, as text.
func has(t *testing.T, m delivery.Message, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(string(m.Value), p) {
			t.Errorf("%s does not have %s", m.Value, p)
		}
	}
}

func TestVectors(t *testing.T) {
	t.Parallel()
	// alike gives the rest of the bytes of A3, with other images.
	alike := func(t *testing.T, before, after, op string) string {
		v := vector(t, "A3-insert")
		v = strings.Replace(v, `"before":null,"after":{"SingerId":1,"Name":"Anne","Pic":"AQID"}`, `"before":`+before+`,"after":`+after, 1)
		return strings.Replace(v, `"op":"c"`, `"op":"`+op+`"`, 1)
	}
	watched := func(t *testing.T) *line {
		l := newLine()
		l.low = watermark
		return l.begin(t, singers)
	}
	t.Run("A1", func(t *testing.T) {
		t.Parallel()
		l := newLine()
		l.schemas = true
		m := l.begin(t, singers).run(t, change("Singers", changestream.Insert, singersColumns, changestream.Mod{Keys: singerKey, New: singerRow}))
		equal(t, m[0].Key, vector(t, "A1-key"))
	})
	t.Run("A2", func(t *testing.T) {
		t.Parallel()
		l := newLine()
		l.schemas = true
		m := l.begin(t, singers).run(t, change("Singers", changestream.Insert, singersColumns, changestream.Mod{Keys: singerKey, New: singerRow}))
		schema, _, _ := strings.Cut(strings.TrimPrefix(string(m[0].Value), `{"schema":`), `,"payload":`)
		equal(t, []byte(schema), vector(t, "A2-schema"))
	})
	t.Run("A3", func(t *testing.T) {
		t.Parallel()
		m := watched(t).run(t, change("Singers", changestream.Insert, singersColumns, changestream.Mod{Keys: singerKey, New: singerRow}))
		equal(t, m[0].Value, vector(t, "A3-insert"))
	})
	t.Run("A4", func(t *testing.T) {
		t.Parallel()
		m := watched(t).run(t, change("Singers", changestream.Update, singersColumns, changestream.Mod{Keys: singerKey, New: singerRow, Old: "{}"}))
		equal(t, m[0].Value, alike(t, `{"SingerId":1,"Name":null,"Pic":null}`, `{"SingerId":1,"Name":"Anne","Pic":"AQID"}`, "u"))
	})
	t.Run("A5", func(t *testing.T) {
		t.Parallel()
		m := watched(t).run(t, change("Singers", changestream.Delete, singersColumns, changestream.Mod{Keys: singerKey, Old: singerRow}))
		equal(t, m[0].Value, alike(t, `{"SingerId":1,"Name":"Anne","Pic":"AQID"}`, "null", "d"))
		if len(m) != 2 || m[1].Value != nil || string(m[1].Key) != string(m[0].Key) || !cmp.Equal(m[0].Headers, m[1].Headers) {
			t.Errorf("tombstone %+v after %+v", m[1:], m[0])
		}
	})
	t.Run("A6", func(t *testing.T) {
		t.Parallel()
		m := watched(t).run(t, change("Singers", changestream.Delete, singersColumns, changestream.Mod{Keys: singerKey}))
		equal(t, m[0].Value, alike(t, `{"SingerId":1,"Name":null,"Pic":null}`, "null", "d"))
	})
	t.Run("A7", func(t *testing.T) {
		t.Parallel()
		l := watched(t)
		l.now = time.Unix(0, 1796082978162651180)
		rec := l.maker.Stamp(l.registry.Versions()[0], 2, watermark)
		m, err := l.set.Message(context.Background(), &rec)
		must(t, err)
		equal(t, m.Value, strings.Replace(vector(t, "A7-stamp"), `"ts_ms":1796082978163,`, `"ts_ms":1796082978162,`, 1)) // the peer looked twice
		if m.Key != nil || m.Partition != 2 || m.Topic != "c1.Singers" || len(m.Headers) != 2 || !strings.HasPrefix(string(m.Headers[0].Value), "watermark-") {
			t.Errorf("%+v", m)
		}
	})
	t.Run("A8", func(t *testing.T) {
		t.Parallel()
		l := newLine()
		l.schemas, l.now = true, time.UnixMilli(1796082986868)
		rec := l.begin(t).maker.Heartbeat("tok1")
		m, err := l.set.Message(context.Background(), &rec)
		must(t, err)
		equal(t, m.Key, vector(t, "A8-heartbeat-key"))
		equal(t, m.Value, vector(t, "A8-heartbeat-value"))
		if m.Topic != "__debezium-heartbeat.c1" || m.Partition != 0 || len(m.Headers) != 1 || m.Headers[0].Key != "pollAtTimestamp" {
			t.Errorf("%+v", m)
		}
	})
}

func TestRecordsOfAMod(t *testing.T) {
	t.Parallel()
	topics := func(ms []delivery.Message) (names []string) {
		for _, m := range ms {
			names = append(names, m.Topic)
		}
		return names
	}
	for name, test := range map[string]struct {
		op   changestream.ModType
		skip string
		only string
		want []string
	}{
		"A9 insert":   {op: changestream.Insert, want: []string{"c1.Singers", "__debezium-heartbeat.c1"}},
		"A9 delete":   {op: changestream.Delete, want: []string{"c1.Singers", "c1.Singers", "__debezium-heartbeat.c1"}},
		"A9 skipped":  {op: changestream.Delete, skip: "d", want: []string{"__debezium-heartbeat.c1"}},
		"A9 filtered": {op: changestream.Insert, only: "Albums", want: []string{"__debezium-heartbeat.c1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLine()
			l.settings.HeartbeatPerMod = true
			l.settings.SkippedOperations = map[string]bool{test.skip: true}
			if test.only != "" {
				l.settings.TableInclude = &[]string{test.only}
			}
			m := l.begin(t, singers).run(t, change("Singers", test.op, singersColumns, changestream.Mod{Keys: singerKey}))
			if d := cmp.Diff(test.want, topics(m)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWideRow(t *testing.T) {
	t.Parallel()
	t.Run("A10", func(t *testing.T) {
		t.Parallel()
		l := newLine().begin(t, described("W", "*!Id", "INT64", "*!K2", "STRING(9)", "B", "BOOL", "F64", "FLOAT64", "F32", "FLOAT32", "N", "NUMERIC", "By", "BYTES(9)",
			"D", "DATE", "Ts", "TIMESTAMP", "J", "JSON", "AI", "ARRAY<INT64>", "AB", "ARRAY<BYTES(9)>"))
		dc := change("W", changestream.Insert, columns("*Id", int64Type, "*K2", stringType), changestream.Mod{
			Keys: `{"Id":"9223372036854775807","K2":"a"}`,
			New:  `{"B":true,"F64":1.5,"F32":0.1,"N":"99.99","By":"AQID","D":"2024-02-29","Ts":"2024-01-01T00:00:00.123456789Z","J":"{\"a\":1}","AI":["1",null,"3"],"AB":["AQ==",null]}`,
		})
		m := l.run(t, dc)
		has(t, m[0], `"after":`+vector(t, "A10-row")+`,"source"`)
		equal(t, m[0].Key, `{"K2":"a","Id":9223372036854775807}`)
	})
	t.Run("A10 PostgreSQL", func(t *testing.T) {
		t.Parallel()
		l := newLine()
		l.postgres = true
		l.begin(t, described("w", "*!id", "bigint", "n", "numeric", "j", "jsonb", "t", "character varying(9)", "f", "double precision", "a", "bigint[]", "ts", "spanner.commit_timestamp"))
		dc := change("w", changestream.Insert, columns("*id", int64Type, "n", `{"code":"NUMERIC","type_annotation":"PG_NUMERIC"}`, "j", `{"code":"JSON","type_annotation":"PG_JSONB"}`,
			"t", stringType, "f", `{"code":"FLOAT64"}`, "a", `{"code":"ARRAY","array_element_type":{"code":"INT64"}}`, "ts", `{"code":"TIMESTAMP"}`),
			changestream.Mod{Keys: `{"id":"1"}`, New: `{"n":"1.10","j":"{\"b\": 2}","t":"x","f":3,"a":["1"],"ts":"2024-01-01T00:00:00Z"}`},
			changestream.Mod{Keys: `{"id":"2"}`, New: `{"n":1.10,"j":{"b": 2}}`})
		m := l.run(t, dc)
		has(t, m[0], `"after":{"id":1,"n":"1.10","j":"{\"b\": 2}","t":"x","f":3.0,"a":[1],"ts":"2024-01-01T00:00:00Z"}`, `"mod_number":1,`)
		has(t, m[1], `"after":{"id":2,"n":"1.10","j":"{\"b\": 2}","t":null`, `"mod_number":2,`)
	})
	t.Run("7.10", func(t *testing.T) {
		t.Parallel()
		l := newLine().begin(t, described("D", "*!id", "INT64", "f", "FLOAT32", "g", "FLOAT64", "j", "JSON", "b", "BYTES(20)", "k", "TOKENLIST"))
		m := l.run(t, change("D", changestream.Insert, columns("*id", int64Type),
			changestream.Mod{Keys: `{"id":"42"}`, New: `{"f":3.14,"g":2.71,"j":"\"Hello\"","b":"Ynl0ZXNWYWw=","k":null}`}))
		has(t, m[0], `"after":{"id":42,"f":3.14,"g":2.71,"j":"\"Hello\"","b":"Ynl0ZXNWYWw=","k":null}`)
	})
}

func TestOptionsOfTheSourceBlock(t *testing.T) {
	t.Parallel()
	t.Run("EM-01", func(t *testing.T) {
		t.Parallel()
		dc := change("Singers", changestream.Delete, singersColumns, changestream.Mod{Keys: singerKey})
		dc.TransactionTag, dc.SystemTransaction = "app=x", true
		has(t, newLine().begin(t, singers).run(t, dc)[0], `"transaction_tag":"app=x","system_transaction":true`, `"op":"d"`)
	})
	t.Run("LC-17", func(t *testing.T) {
		t.Parallel()
		mods := make([]changestream.Mod, 1000)
		for i := range mods {
			mods[i] = changestream.Mod{Keys: singerKey, New: singerRow}
		}
		m := newLine().begin(t, singers).run(t, change("Singers", changestream.Insert, singersColumns, mods...))
		if len(m) != 1000 {
			t.Fatal(len(m))
		}
		has(t, m[0], `"mod_number":0,`, `"number_records_in_transaction":3,`)
		has(t, m[999], `"mod_number":999,`)
		if uid := string(m[999].Headers[0].Value); uid != "aaaaabml" {
			t.Errorf("uid %s", uid)
		}
	})
	t.Run("a bad expression is refused by name", func(t *testing.T) {
		t.Parallel()
		s := newLine().settings
		s.TableInclude = &[]string{"(?!x).*"}
		if _, err := envelope.New(envelope.Options{Settings: s}); err == nil || !strings.Contains(err.Error(), "look-ahead") {
			t.Error(err)
		}
	})
}
