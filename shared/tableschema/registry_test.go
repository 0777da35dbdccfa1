package tableschema_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"sluice.example/shared/changestream"
	"sluice.example/shared/tableschema"
)

// change lists columns as name:CODE; a name that begins with * is of the key.
func change(table string, columns ...string) *changestream.DataChange {
	dc := &changestream.DataChange{Table: table}
	for i, c := range columns {
		name, code, _ := strings.Cut(c, ":")
		dc.Columns = append(dc.Columns, changestream.Column{Name: strings.TrimPrefix(name, "*"), Type: `{"code":"` + code + `"}`, PrimaryKey: name[0] == '*', Ordinal: int64(i + 1)})
	}
	return dc
}

// table describes columns as name:TYPE; * is of the key, in that order, and NOT NULL.
func table(name string, columns ...string) tableschema.Table {
	t := tableschema.Table{Name: name}
	position := 0
	for i, c := range columns {
		column, typ, _ := strings.Cut(c, ":")
		col := tableschema.Column{Name: strings.TrimPrefix(column, "*"), Type: typ, Ordinal: int64(i + 1), Nullable: column[0] != '*'}
		if !col.Nullable {
			position++
			col.KeyPosition = position
		}
		t.Columns = append(t.Columns, col)
	}
	return t
}

// shape prints a version: columns in order with types, ? for nullable, then the key.
func shape(v *tableschema.Version) string {
	var parts, keys []string
	for _, c := range v.Columns {
		s := c.Name + ":" + c.Of.String()
		if c.Nullable {
			s += "?"
		}
		parts = append(parts, s)
	}
	for _, i := range v.Key {
		keys = append(keys, v.Columns[i].Name)
	}
	return strings.Join(parts, " ") + " / " + strings.Join(keys, " ")
}

func observe(t *testing.T, r *tableschema.Registry, dc *changestream.DataChange) *tableschema.Version {
	t.Helper()
	v, err := r.Observe(dc)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVersionsFollowTheRecords(t *testing.T) {
	t.Parallel()
	start := table("T", "*id:INT64", "a:STRING(8)", "b:INT64")
	for name, test := range map[string]struct {
		load  []tableschema.Table
		seen  []*changestream.DataChange
		want  string
		count int
	}{
		"as described":        {[]tableschema.Table{start}, []*changestream.DataChange{change("T", "*id:INT64", "a:STRING", "b:INT64")}, "id:INT64 a:STRING? b:INT64? / id", 1},
		"some of the columns": {[]tableschema.Table{start}, []*changestream.DataChange{change("T", "*id:INT64", "b:INT64"), change("T", "*id:INT64")}, "id:INT64 a:STRING? b:INT64? / id", 1},
		"a new table":         {nil, []*changestream.DataChange{change("T", "*id:INT64", "a:BOOL")}, "id:INT64? a:BOOL? / id", 1},
		"a new column": {[]tableschema.Table{start}, []*changestream.DataChange{change("T", "*id:INT64", "a:STRING", "b:INT64", "c:DATE")},
			"id:INT64 a:STRING? b:INT64? c:DATE? / id", 2},
		"a dropped column": {[]tableschema.Table{start}, []*changestream.DataChange{change("T", "*id:INT64", "b:INT64"), change("T", "*id:INT64", "b:INT64", "c:DATE")},
			"id:INT64 a:STRING? b:INT64? c:DATE? / id", 2},
		"a changed type": {[]tableschema.Table{start}, []*changestream.DataChange{change("T", "*id:INT64", "a:BYTES", "b:INT64")}, "id:INT64 a:BYTES? b:INT64? / id", 2},
		"a type that goes back and forth": {[]tableschema.Table{start}, []*changestream.DataChange{change("T", "*id:INT64", "a:BYTES"), change("T", "*id:INT64", "a:STRING"), change("T", "*id:INT64", "a:BYTES")},
			"id:INT64 a:BYTES? b:INT64? / id", 2},
		"a table made anew with another key": {[]tableschema.Table{start}, []*changestream.DataChange{change("T", "*a:STRING", "c:BOOL", "*id:INT64")},
			"a:STRING? c:BOOL? id:INT64? b:INT64? / a id", 2},
		"described after it was met": {[]tableschema.Table{start}, []*changestream.DataChange{change("N", "*x:INT64"), change("T", "*id:INT64")}, "id:INT64 a:STRING? b:INT64? / id", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tableschema.NewRegistry(tableschema.DebeziumHash)
			r.Load(test.load)
			var v *tableschema.Version
			for _, dc := range test.seen {
				v = observe(t, r, dc)
				if again := observe(t, r, dc); again != v {
					t.Error("the same record made another version")
				}
			}
			if got := shape(v); got != test.want || v.Number != test.count {
				t.Errorf("version %d: %s", v.Number, got)
			}
		})
	}
}

func TestLoadWhileRunning(t *testing.T) {
	t.Parallel()
	r := tableschema.NewRegistry(tableschema.PrimaryKey)
	first := observe(t, r, change("T", "*b:INT64", "*a:INT64", "d:BOOL"))
	if first.Described || shape(first) != "b:INT64? a:INT64? d:BOOL? / b a" {
		t.Errorf("%v %s", first.Described, shape(first))
	}
	described := table("T", "*b:INT64", "*a:INT64", "c:DATE", "d:BOOL")
	described.Columns[0].KeyPosition, described.Columns[1].KeyPosition = 2, 1
	r.Load([]tableschema.Table{described})
	second := observe(t, r, change("T", "*b:INT64", "*a:INT64", "d:BOOL"))
	if !second.Described || shape(second) != "b:INT64 a:INT64 c:DATE? d:BOOL? / a b" {
		t.Errorf("%v %s", second.Described, shape(second))
	}
	r.Load([]tableschema.Table{described})
	if again := observe(t, r, change("T", "*b:INT64", "*a:INT64", "d:BOOL")); again != second {
		t.Error("loading the same made a version")
	}
	if vs := r.Versions(); len(vs) != 1 || vs[0] != second {
		t.Errorf("%v", vs)
	}
	r.Load([]tableschema.Table{table("T", "*b:INT64", "*a:INT64", "d:BOOL")}) // c was dropped
	if v := observe(t, r, change("T", "*b:INT64", "*a:INT64", "d:BOOL")); shape(v) != "b:INT64 a:INT64 c:DATE? d:BOOL? / b a" {
		t.Error(shape(v))
	}
}

func TestUnknownTypeIsOneTablesFault(t *testing.T) {
	t.Parallel()
	for _, typ := range []string{"INTERVAL", "PROTO<a.b>", "ENUM<a.b>", "STRUCT<a INT64>", "ARRAY<ARRAY<INT64>>", "integer", "smallint", "", "STRING(", "ARRAY<INT64", "INT64[][]",
		`{"code":"INTERVAL"}`, `{"code":"PROTO","proto_type_fqn":"a.b"}`, `{"code":"STRUCT"}`, `{"code":"TYPE_CODE_UNSPECIFIED"}`, `{"code":"int64"}`, `{}`, `{"code":`,
		`{"code":"ARRAY"}`, `{"code":"ARRAY","array_element_type":{"code":"ARRAY","array_element_type":{"code":"INT64"}}}`} {
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			r := tableschema.NewRegistry("")
			r.Load([]tableschema.Table{table("Good", "*id:INT64"), {Name: "Odd", Columns: []tableschema.Column{{Name: "id", Type: "INT64", Ordinal: 1, KeyPosition: 1}, {Name: "p", Type: typ, Ordinal: 2}}}})
			for range 2 {
				_, err := r.Observe(change("Odd", "*id:INT64"))
				var u *tableschema.Unsupported
				if !errors.As(err, &u) || *u != (tableschema.Unsupported{Table: "Odd", Column: "p", Type: typ}) {
					t.Fatal(err)
				}
			}
			observe(t, r, change("Good", "*id:INT64"))
			if len(r.Versions()) != 1 {
				t.Error("a version of a table that cannot be captured")
			}
			r.Load([]tableschema.Table{table("Odd", "*id:INT64")}) // the column was dropped
			if v := observe(t, r, change("Odd", "*id:INT64")); shape(v) != "id:INT64 / id" {
				t.Error(shape(v))
			}
		})
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"BOOL": "BOOL", "int64": "INT64", "STRING(MAX)": "STRING", "BYTES(10)": "BYTES", "ARRAY<STRING(MAX)>": "ARRAY<STRING>", "ARRAY<FLOAT32>(vector_length=>3)": "ARRAY<FLOAT32>",
		"boolean": "BOOL", "bigint": "INT64", "double precision": "FLOAT64", "real": "FLOAT32", "numeric": "NUMERIC", "numeric(10,2)": "NUMERIC", "character varying(20)": "STRING",
		"character varying": "STRING", "text": "STRING", "bytea": "BYTES", "date": "DATE", "timestamp with time zone": "TIMESTAMP", "spanner.commit_timestamp": "TIMESTAMP", "jsonb": "JSON",
		"bigint[]": "ARRAY<INT64>", "character varying(20)[]": "ARRAY<STRING>", "double precision[] vector length 3": "ARRAY<FLOAT64>", "uuid": "UUID", "UUID": "UUID", "TOKENLIST": "TOKENLIST",
		`{"code":"NUMERIC","type_annotation":"PG_NUMERIC"}`: "NUMERIC", `{"code":"JSON","type_annotation":"PG_JSONB","x":[1]}`: "JSON",
		`{"array_element_type":{"code":"INT64"},"code":"ARRAY"}`: "ARRAY<INT64>", ` {"code":"UUID"}`: "UUID",
	} {
		if got, err := tableschema.ParseType(text); err != nil || got.String() != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	r := tableschema.NewRegistry("")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				if _, err := r.Observe(change(fmt.Sprint("T", i%5), "*id:INT64", fmt.Sprint("c", (i+g)%40, ":STRING"))); err != nil {
					t.Error(err)
				}
				r.Load([]tableschema.Table{table(fmt.Sprint("T", i%7), "*id:INT64", "x:DATE")})
				r.Versions()
			}
		})
	}
	wg.Wait()
	v := observe(t, r, change("T0", "*id:INT64"))
	names := map[string]bool{}
	for _, c := range v.Columns {
		names[c.Name] = true
	}
	if len(names) != len(v.Columns) || v.Index("x") < 0 || !slices.Equal(v.Key, []int{v.Index("id")}) {
		t.Error(shape(v))
	}
}

func TestNothingNewAllocatesNothing(t *testing.T) { // not parallel: it counts allocations
	r := tableschema.NewRegistry("")
	dc := change("T", "*id:INT64", "a:STRING", "b:INT64")
	observe(t, r, dc)
	again := change("T", "*id:INT64", "a:STRING", "b:INT64")
	if n := testing.AllocsPerRun(100, func() { r.Observe(again) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	r := tableschema.NewRegistry("")
	dc := change("T", "*id:INT64", "a:STRING", "b:INT64", "c:BOOL", "d:DATE", "e:JSON", "f:FLOAT64", "g:NUMERIC")
	b.ReportAllocs()
	for b.Loop() {
		r.Observe(dc)
	}
}
