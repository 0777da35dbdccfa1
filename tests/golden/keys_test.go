package golden_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice.example/shared/changestream"
	"sluice.example/shared/delivery"
	"sluice.example/shared/tableschema"
)

// TestKeyOrder has the vectors of the reference's 2.3 and A12: names that begin with * are of the key.
func TestKeyOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ columns, want string }{
		{"*SingerId *AlbumId *TrackId *Title", "AlbumId SingerId Title TrackId"},
		{"*tenant_id *order_id *line_no *qty *price", "tenant_id price line_no qty order_id"},
		{"*region *customer_id *invoice_id", "invoice_id region customer_id"},
		{"*z *y *x", "x y z"},
		{"*Aa *BB *C", "Aa BB C"},
		{"*Id *K2 B F64 F32 N By D Ts J AI AB", "K2 Id"},
		{"*UserId *Ts *EventId *Payload *Kind *A1 *A2 *A3 *A4 *A5 *A6 *A7 *A8 *A9", "A1 A2 A3 A4 A5 A6 UserId A7 Kind A8 A9 EventId Payload Ts"},
		{"*顧客ID *注文ID *x", "注文ID x 顧客ID"},
		{"*zz *tenant_id *a v", "zz tenant_id a"},
	} {
		t.Run("A12 "+test.columns, func(t *testing.T) {
			t.Parallel()
			var pairs []string
			for _, name := range strings.Fields(test.columns) {
				pairs = append(pairs, name, int64Type)
			}
			r := tableschema.NewRegistry(tableschema.DebeziumHash)
			v, err := r.Observe(&changestream.DataChange{Table: "T", Columns: columns(pairs...)})
			must(t, err)
			var got []string
			for _, i := range v.Key {
				got = append(got, v.Columns[i].Name)
			}
			if d := cmp.Diff(strings.Fields(test.want), got); d != "" {
				t.Error(d)
			}
		})
	}
	t.Run("SK-14", func(t *testing.T) {
		t.Parallel()
		for _, order := range []tableschema.KeyOrder{"", tableschema.DebeziumHash, tableschema.PrimaryKey} {
			l := newLine()
			l.order = order
			l.begin(t, described("T", "*!zz", "INT64", "*!tenant_id", "STRING(8)", "*!a", "INT64", "v", "STRING(8)"))
			m := l.run(t, change("T", changestream.Insert, columns("*zz", int64Type, "*tenant_id", stringType, "*a", int64Type, "v", stringType),
				changestream.Mod{Keys: `{"a":"3","tenant_id":"t9","zz":"1"}`, New: `{"v":"x"}`}))
			equal(t, m[0].Key, `{"zz":1,"tenant_id":"t9","a":3}`)
			if partition(m[0].Key, 6) != 0 || partition(m[0].Key, 12) != 0 {
				t.Errorf("partitions %d of 6 and %d of 12", partition(m[0].Key, 6), partition(m[0].Key, 12))
			}
		}
	})
	t.Run("SK-14 declared otherwise than the columns", func(t *testing.T) {
		t.Parallel()
		table := described("T", "*!z", "INT64", "*!y", "INT64", "*!x", "INT64")
		table.Columns[0].KeyPosition, table.Columns[2].KeyPosition = 3, 1
		l := newLine()
		l.order = tableschema.PrimaryKey
		m := l.begin(t, table).run(t, change("T", changestream.Insert, columns("*z", int64Type, "*y", int64Type, "*x", int64Type), changestream.Mod{Keys: `{"x":"1","y":"2","z":"3"}`}))
		equal(t, m[0].Key, `{"x":1,"y":2,"z":3}`)
	})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	t.Run("SK-01", func(t *testing.T) {
		t.Parallel()
		table := described("TestTable", "*Col1", "STRING(40)", "*Col2", "STRING(40)")
		cs, mod := columns("*Col1", stringType, "*Col2", stringType), changestream.Mod{Keys: `{"Col1":"123","Col2":null}`}
		m := newLine().begin(t, table).run(t, change("TestTable", changestream.Insert, cs, mod), change("TestTable", changestream.Delete, cs, mod))
		if len(m) != 3 {
			t.Fatal(len(m))
		}
		for _, m := range m {
			equal(t, m.Key, `{"Col1":"123","Col2":null}`)
			if p := partition(m.Key, 6); p != 0 {
				t.Errorf("partition %d of 6", p)
			}
		}
		l := newLine()
		l.schemas = true
		m = l.begin(t, table).run(t, change("TestTable", changestream.Insert, cs, mod))
		equal(t, m[0].Key, `{"schema":{"type":"struct","fields":[{"type":"string","optional":true,"field":"Col1"},{"type":"string","optional":true,"field":"Col2"}],"optional":false,"name":"TestTable.Key"},"payload":{"Col1":"123","Col2":null}}`)
	})
	t.Run("SK-03", func(t *testing.T) {
		t.Parallel()
		l := newLine().begin(t, described("Link", "*!a", "INT64", "*!b", "STRING(8)"))
		cs, mod := columns("*a", int64Type, "*b", stringType), changestream.Mod{Keys: `{"a":"1","b":"x"}`, New: "{}", Old: "{}"}
		m := l.run(t, change("Link", changestream.Insert, cs, mod), change("Link", changestream.Delete, cs, mod))
		has(t, m[0], `"before":null,"after":{"a":1,"b":"x"}`, `"op":"c"`)
		has(t, m[1], `"before":{"a":1,"b":"x"},"after":null`, `"op":"d"`)
		if len(m) != 3 || m[2].Value != nil {
			t.Errorf("%d messages, the last %s", len(m), m[len(m)-1].Value)
		}
	})
	t.Run("SK-15", func(t *testing.T) {
		t.Parallel()
		m := newLine().begin(t, described("Users", "*!id", "INT64")).run(t,
			change("Users", changestream.Insert, columns("*id", int64Type), changestream.Mod{Keys: `{"id":"1"}`}, changestream.Mod{Keys: `{"id":"2"}`}))
		equal(t, m[0].Key, `{"id":1}`)
		got := []int{partition(m[0].Key, 6), partition(m[0].Key, 12), partition(m[1].Key, 6)}
		if !slices.Equal(got, []int{0, 0, 4}) {
			t.Errorf("partitions %v", got)
		}
	})
	t.Run("SK-19", func(t *testing.T) {
		t.Parallel()
		for _, on := range []bool{true, false} {
			l := newLine()
			l.settings.Tombstones = on
			l.begin(t, described("T", "*!id", "INT64", "v", "STRING(8)"))
			cs, row := columns("*id", int64Type, "v", stringType), `{"v":"a"}`
			m := l.run(t, change("T", changestream.Insert, cs, changestream.Mod{Keys: `{"id":"1"}`, New: row}), change("T", changestream.Delete, cs, changestream.Mod{Keys: `{"id":"1"}`, Old: row}))
			has(t, m[0], `"op":"c"`)
			has(t, m[1], `"before":{"id":1,"v":"a"},"after":null`, `"op":"d"`)
			if want := map[bool]int{true: 3, false: 2}[on]; len(m) != want || on && m[2].Value != nil {
				t.Errorf("%d messages", len(m))
			}
			for _, m := range m {
				equal(t, m.Key, `{"id":1}`)
				headersOnce(t, m)
			}
		}
	})
}

func headersOnce(t *testing.T, m delivery.Message) {
	t.Helper()
	seen := map[string]bool{}
	for _, h := range m.Headers {
		if seen[h.Key] {
			t.Errorf("header %s twice", h.Key)
		}
		seen[h.Key] = true
	}
}
