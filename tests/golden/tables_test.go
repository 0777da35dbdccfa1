package golden_test

import (
	"slices"
	"strings"
	"testing"

	"sluice.example/shared/changestream"
	"sluice.example/shared/connector"
	"sluice.example/shared/envelope"
)

func TestTablesWhileRunning(t *testing.T) {
	t.Parallel()
	t.Run("SK-05", func(t *testing.T) {
		t.Parallel()
		l := newLine()
		l.begin(t, described("T", "*!id", "INT64", "a", "STRING(8)"))
		m := l.run(t,
			change("T", changestream.Insert, columns("*id", int64Type, "a", stringType), changestream.Mod{Keys: `{"id":"1"}`, New: `{"a":"w"}`}),
			change("T", changestream.Insert, columns("*id", int64Type, "a", stringType, "b", int64Type), changestream.Mod{Keys: `{"id":"2"}`, New: `{"a":"x","b":"7"}`}),
			change("T", changestream.Insert, columns("*id", int64Type, "b", int64Type), changestream.Mod{Keys: `{"id":"3"}`, New: `{"b":"8"}`}),
			change("T", changestream.Insert, columns("*id", int64Type, "b", stringType), changestream.Mod{Keys: `{"id":"4"}`, New: `{"b":"now text"}`}))
		has(t, m[0], `"after":{"id":1,"a":"w"},`)
		has(t, m[1], `"after":{"id":2,"a":"x","b":7},`)
		has(t, m[2], `"after":{"id":3,"a":null,"b":8},`)
		has(t, m[3], `"after":{"id":4,"a":null,"b":"now text"},`)
	})
	t.Run("LC-19", func(t *testing.T) {
		t.Parallel()
		m := newLine().begin(t, singers).run(t,
			change("Orders", changestream.Insert, columns("*id", int64Type, "v", stringType), changestream.Mod{Keys: `{"id":"1"}`, New: `{"v":"a"}`}))
		has(t, m[0], `"after":{"id":1,"v":"a"}`)
		if m[0].Topic != "c1.Orders" {
			t.Error(m[0].Topic)
		}
	})
	t.Run("SK-04", func(t *testing.T) {
		t.Parallel()
		l := newLine()
		l.schemas = true
		m := l.begin(t, described("T", "*!id", "INT64")).run(t, change("T", changestream.Insert, columns("*id", int64Type), changestream.Mod{Keys: `{"id":"1"}`, New: "{}"}))
		has(t, m[0], `{"type":"struct","fields":[{"type":"int64","optional":false,"field":"id"}],"optional":true,"name":"T.Value","field":"after"}`)
	})
	t.Run("SK-07", func(t *testing.T) {
		t.Parallel()
		l := newLine()
		l.schemas = true
		users := described("Users", "*!id", "INT64", "name", "STRING(8)")
		l.begin(t, users, users) // a table listed twice is learned twice, and has each column once
		m := l.run(t, change("Users", changestream.Insert, columns("*id", int64Type, "name", stringType), changestream.Mod{Keys: `{"id":"1"}`, New: `{"name":"a"}`}))
		equal(t, m[0].Key, `{"schema":{"type":"struct","fields":[{"type":"int64","optional":false,"field":"id"}],"optional":false,"name":"Users.Key"},"payload":{"id":1}}`)
		if n := strings.Count(string(m[0].Value), `"field":"name"`); n != 3 { // before, after, source
			t.Errorf("name %d times", n)
		}
	})
}

func TestTopics(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ id, connector, table, want string }{
		{"SK-09", "c1", "sch.tbl", "c1.sch.tbl"},
		{"SK-09", "c1.sch", "tbl", "c1.sch.tbl"},
		{"SK-09", "c1", "a$b", "c1.a_b"},
		{"SK-09", "c1", "a@b", "c1.a_b"},
		{"SK-09", "c1", "a-b", "c1.a-b"},
		{"SK-09", "c1", "Order Items", "c1.Order_Items"},
		{"SK-09", "c1", "Users", "c1.Users"},
		{"2.2", "c1", "Orders$x", "c1.Orders_x"},
		{"2.2", "c1", "顧客😀", "c1.____"},
		{"2.2", "c1", strings.Repeat("t", 300), "c1." + strings.Repeat("t", 246)},
		{"2.2", "", "", "_"},
		{"2.2", "", ".", "__"},
	} {
		t.Run(test.id+" "+test.connector+" "+test.table, func(t *testing.T) {
			t.Parallel()
			if got := envelope.DataTopic(&connector.Settings{Name: test.connector, TopicDelimiter: "."}, test.table); got != test.want {
				t.Errorf("%s instead of %s", got, test.want)
			}
		})
	}
}

func TestTableFilter(t *testing.T) {
	t.Parallel()
	list := func(items ...string) *[]string { return &items }
	for _, test := range []struct {
		id               string
		include, exclude *[]string
		want             []string
	}{
		{"SK-10", list("users"), nil, []string{"Users"}},
		{"SK-10", list("user"), nil, nil},
		{"SK-10", list("us.*"), nil, []string{"Users", "users2"}},
		{"SK-10", list("users", "orders"), nil, []string{"Users", "Orders"}},
		{"SK-12", list("Users"), list("Users"), []string{"Users"}},
		{"SK-12", nil, list("Users"), []string{"users2", "Orders"}},
		{"7.8", list(), nil, nil},
		{"7.8", nil, nil, []string{"Users", "users2", "Orders"}},
		{"7.8", nil, list(), []string{"Users", "users2", "Orders"}},
		{"7.8", list(".*s", `\p{Alpha}+2`), nil, []string{"Users", "users2", "Orders"}},
	} {
		t.Run(test.id, func(t *testing.T) {
			t.Parallel()
			l := newLine()
			l.settings.TableInclude, l.settings.TableExclude = test.include, test.exclude
			l.begin(t)
			var got []string
			for _, table := range []string{"Users", "users2", "Orders"} {
				m := l.run(t, change(table, changestream.Insert, columns("*id", int64Type), changestream.Mod{Keys: `{"id":"1"}`}))
				if len(m) == 1 && m[0].Topic == "c1."+table {
					got = append(got, table)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%v instead of %v", got, test.want)
			}
		})
	}
}
