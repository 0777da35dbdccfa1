package readertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/spanner"

	"sluice.example/shared/changestream"
)

// tables describes a stream's tables in one line each: name(column type, …), with ! for NOT NULL and a key's place.
func tables(t *testing.T, db Database, stream string) []string {
	t.Helper()
	found, err := open(t, db).Tables(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, table := range found {
		var columns []string
		for _, c := range table.Columns {
			text := c.Name + " " + c.Type
			if !c.Nullable {
				text += "!"
			}
			if c.KeyPosition > 0 {
				text += fmt.Sprint(" ", c.KeyPosition)
			}
			columns = append(columns, text)
		}
		name := table.Name
		if table.Schema != "" {
			name = table.Schema + "/" + name
		}
		all = append(all, name+"("+strings.Join(columns, ", ")+")")
	}
	return all
}

func expectTables(t *testing.T, db Database, stream string, want ...string) {
	t.Helper()
	if got := tables(t, db, stream); !slices.Equal(got, want) {
		t.Errorf("stream %s watches\n%s\nwant\n%s", stream, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// columnsOfTheStream: a stream of some columns, and one of keys only.
func columnsOfTheStream(t *testing.T, s Server) {
	db := s.Create(t, google, "CREATE TABLE T (id INT64 NOT NULL, c1 STRING(8), c2 STRING(8)) PRIMARY KEY (id)",
		"CREATE CHANGE STREAM S1 FOR T(c1)", "CREATE CHANGE STREAM S2 FOR T()")
	expectTables(t, db, "S1", "T(id INT64! 1, c1 STRING(8))")
	expectTables(t, db, "S2", "T(id INT64! 1)")

	first := apply(t, db, spanner.Insert("T", []string{"id", "c1", "c2"}, []any{int64(1), "a", "b"}))
	apply(t, db, spanner.Update("T", []string{"id", "c2"}, []any{int64(1), "z"}))
	last := apply(t, db, spanner.Delete("T", spanner.Key{int64(1)}))
	d := open(t, db)
	for stream, values := range map[string]string{"S1": `{"c1":"a"}`, "S2": `{}`} {
		all := follow(t, d.Reader(stream), first, last)
		slices.SortFunc(all, func(a, b *changestream.DataChange) int { return a.CommitTimestamp.Compare(b.CommitTimestamp) })
		if len(all) != 2 {
			t.Errorf("stream %s gave %d changes, want an insert and a delete", stream, len(all))
			continue
		}
		expect(t, all[0], changestream.Insert, `{"id":"1"}`, values, `{}`)
		expect(t, all[1], changestream.Delete, `{"id":"1"}`, `{}`, values)
	}
}

// tablesOfTheStream: whole tables, several at once, keys in another order than columns, interleaved tables.
func tablesOfTheStream(t *testing.T, s Server) {
	db := s.Create(t, google,
		"CREATE TABLE Parents (a STRING(8), b INT64 NOT NULL, v BYTES(MAX)) PRIMARY KEY (b, a DESC)",
		"CREATE TABLE Children (a STRING(8), b INT64 NOT NULL, c DATE NOT NULL, l ARRAY<STRING(MAX)>) PRIMARY KEY (b, a DESC, c), INTERLEAVE IN PARENT Parents",
		"CREATE TABLE Other (id INT64 NOT NULL) PRIMARY KEY (id)",
		"CREATE CHANGE STREAM Everything FOR ALL", "CREATE CHANGE STREAM Part FOR Parents, Children(l)", "CREATE CHANGE STREAM Blind")
	parents := "Parents(a STRING(8) 2, b INT64! 1, v BYTES(MAX))"
	children := "Children(a STRING(8) 2, b INT64! 1, c DATE! 3, l ARRAY<STRING(MAX)>)"
	expectTables(t, db, "Everything", children, "Other(id INT64! 1)", parents)
	expectTables(t, db, "Part", children, parents)
	expectTables(t, db, "Blind")
}

// columnInSeveralIndexes: a column is there once, however many indexes have it, and indexes make no key.
func columnInSeveralIndexes(t *testing.T, s Server) {
	db := s.Create(t, google, "CREATE TABLE Users (id INT64 NOT NULL, name STRING(8), more STRING(8)) PRIMARY KEY (id)",
		"CREATE INDEX i1 ON Users(name)", "CREATE INDEX i2 ON Users(name, id) STORING (more)", "CREATE UNIQUE INDEX i3 ON Users(id)",
		"CREATE CHANGE STREAM S FOR ALL")
	expectTables(t, db, "S", "Users(id INT64! 1, name STRING(8), more STRING(8))")
}

// viewsAndSchemas: views have no changes; a table of a named schema goes by both names, as its changes do.
func viewsAndSchemas(t *testing.T, s Server) {
	db := s.Create(t, google, "CREATE SCHEMA shop", "CREATE TABLE shop.Orders (id INT64 NOT NULL, v STRING(8)) PRIMARY KEY (id)",
		"CREATE TABLE Orders (id INT64 NOT NULL) PRIMARY KEY (id)",
		"CREATE VIEW Named SQL SECURITY INVOKER AS SELECT o.id, o.v FROM shop.Orders AS o",
		"CREATE CHANGE STREAM S FOR ALL", "CREATE CHANGE STREAM One FOR shop.Orders")
	expectTables(t, db, "S", "Orders(id INT64! 1)", "shop/shop.Orders(id INT64! 1, v STRING(8))")
	expectTables(t, db, "One", "shop/shop.Orders(id INT64! 1, v STRING(8))")
	at := apply(t, db, spanner.Insert("shop.Orders", []string{"id", "v"}, []any{int64(1), "x"}))
	if d := only(t, open(t, db).Reader("One"), at); d.Table != "shop.Orders" {
		t.Errorf("a change of shop.Orders is of table %q", d.Table)
	}
}
