package spannerfake

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestDDLThatIsRefused(t *testing.T) {
	t.Parallel()
	for ddl, want := range map[string]codes.Code{
		"nonsense": codes.InvalidArgument,
		"CREATE TABLE Singers (a INT64) PRIMARY KEY (a)":                                 codes.FailedPrecondition,
		"CREATE TABLE s (a INT64) PRIMARY KEY (a)":                                       codes.FailedPrecondition,
		"CREATE TABLE X (a INT64) PRIMARY KEY (b)":                                       codes.InvalidArgument,
		"CREATE TABLE X (a INT64, A INT64) PRIMARY KEY (a)":                              codes.FailedPrecondition,
		"CREATE TABLE X (a ARRAY<ARRAY<INT64>>) PRIMARY KEY ()":                          codes.InvalidArgument,
		"CREATE TABLE X (a STRUCT<b INT64>) PRIMARY KEY ()":                              codes.FailedPrecondition,
		"CREATE TABLE X (a INT64) PRIMARY KEY (a), INTERLEAVE IN PARENT Nope":            codes.NotFound,
		"CREATE TABLE nope.X (a INT64) PRIMARY KEY (a)":                                  codes.NotFound,
		"CREATE CHANGE STREAM s":                                                         codes.FailedPrecondition,
		"CREATE CHANGE STREAM x FOR Nope":                                                codes.FailedPrecondition,
		"CREATE CHANGE STREAM x FOR Singers(Nope)":                                       codes.FailedPrecondition,
		"CREATE CHANGE STREAM x FOR Singers(Id)":                                         codes.FailedPrecondition,
		"CREATE CHANGE STREAM x OPTIONS (value_capture_type = 'X')":                      codes.FailedPrecondition,
		"CREATE CHANGE STREAM x OPTIONS (retention_period = '8d')":                       codes.FailedPrecondition,
		"CREATE CHANGE STREAM x OPTIONS (retention_period = 'long')":                     codes.FailedPrecondition,
		"CREATE CHANGE STREAM x OPTIONS (nonsense = true)":                               codes.InvalidArgument,
		"ALTER CHANGE STREAM nope SET FOR ALL":                                           codes.NotFound,
		"ALTER CHANGE STREAM s SET OPTIONS (retention_period = '1h')":                    codes.FailedPrecondition,
		"DROP CHANGE STREAM nope":                                                        codes.NotFound,
		"DROP TABLE Nope":                                                                codes.NotFound,
		"DROP TABLE Singers":                                                             codes.FailedPrecondition,
		"ALTER TABLE Nope ADD COLUMN x INT64":                                            codes.NotFound,
		"ALTER TABLE Singers DROP COLUMN Nope":                                           codes.NotFound,
		"ALTER TABLE Singers DROP COLUMN Name":                                           codes.FailedPrecondition,
		"ALTER TABLE Singers DROP COLUMN Id":                                             codes.FailedPrecondition,
		"ALTER TABLE Singers ALTER COLUMN Age STRING(MAX)":                               codes.FailedPrecondition,
		"CREATE INDEX i ON Singers (Name)":                                               codes.Unimplemented,
		"ALTER TABLE Singers ADD CONSTRAINT c FOREIGN KEY (Age) REFERENCES Singers (Id)": codes.Unimplemented,
	} {
		t.Run(ddl, func(t *testing.T) {
			t.Parallel()
			w := setup(t, Options{}, singers, "CREATE CHANGE STREAM s FOR Singers(Name)")
			before := w.statements()
			if err := w.DDL(ddl); status.Code(err) != want {
				t.Errorf("got %v", err)
			}
			if after := w.statements(); !slices.Equal(before, after) {
				t.Errorf("something was changed: %v", after)
			}
		})
	}
}

func TestLimitsOfStreams(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{}, singers, "CREATE CHANGE STREAM a FOR ALL", "CREATE CHANGE STREAM b FOR Singers", "CREATE CHANGE STREAM c FOR Singers(Age)")
	if err := w.DDL("CREATE CHANGE STREAM d FOR Singers(Age)"); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "more than 3") {
		t.Errorf("the fourth over a column: %v", err)
	}
	if err := w.DDL("CREATE CHANGE STREAM d FOR Singers(Name)", "ALTER CHANGE STREAM d SET FOR Singers(Age)"); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("by altering: %v", err)
	}
	for _, name := range []string{"e", "f", "g", "h", "i", "j"} {
		if err := w.DDL("CREATE CHANGE STREAM " + name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.DDL("CREATE CHANGE STREAM k"); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("the eleventh: %v", err)
	}
}

// TestSchemaChangesWhileStreaming: columns come and go, tables are added to the stream (LC-19, SK-05).
func TestSchemaChangesWhileStreaming(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR Singers")
	token := w.Partitions("s")[0].Token
	begin := w.mustApply(t, Insert("Singers", []string{"Id", "Name"}, 1, "Ann"))
	step := func(ddl ...string) {
		t.Helper()
		if err := w.DDL(ddl...); err != nil {
			t.Fatal(err)
		}
	}
	step("ALTER TABLE Singers ADD COLUMN Born DATE")
	w.mustApply(t, Update("Singers", []string{"Id", "Born"}, 1, "2000-02-29"))
	step("ALTER TABLE Singers DROP COLUMN Name", "CREATE TABLE Orders (id INT64 NOT NULL, v STRING(MAX) DEFAULT ('new')) PRIMARY KEY (id)")
	w.mustApply(t, Insert("Orders", []string{"id"}, 0)) // before it is watched
	step("ALTER CHANGE STREAM s SET FOR Singers, Orders")
	w.mustApply(t, Insert("Orders", []string{"id"}, 1))
	end := w.mustApply(t, Delete("Singers", 1))
	var got []string
	for _, r := range w.must(t, "s", token, begin, end) {
		got = append(got, r.Data.Table+" "+r.Data.Mods[0].Keys+" "+r.Data.Mods[0].New+" "+r.Data.Mods[0].Old)
	}
	want := []string{
		`Singers {"Id":"1"} {"Age":null,"Name":"Ann"} {}`,
		`Singers {"Id":"1"} {"Born":"2000-02-29"} {"Born":null}`,
		`Orders {"id":"1"} {"v":"new"} {}`,
		`Singers {"Id":"1"} {} {"Age":null,"Born":"2000-02-29"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestNamedSchemasAndGeneratedColumns(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, "CREATE SCHEMA shop", "CREATE TABLE shop.T (id INT64 NOT NULL, n INT64, g INT64 AS (n + 1) STORED) PRIMARY KEY (id)", "CREATE CHANGE STREAM s FOR ALL")
	at := w.mustApply(t, Insert("shop.T", []string{"id", "n"}, 1, 2))
	got := w.must(t, "s", w.Partitions("s")[0].Token, at, at)[0].Data
	if got.Table != "shop.T" || got.Mods[0].New != `{"n":"2"}` {
		t.Errorf("%+v", got)
	}
	if _, rows, err := w.run(t, "SELECT table_schema, is_generated, generation_expression FROM information_schema.columns WHERE column_name = 'g'", nil); err != nil || !slices.Equal(rows, []string{`"shop" "ALWAYS" "n + 1"`}) {
		t.Errorf("%q, %v", rows, err)
	}
	if _, err := w.Apply(Insert("shop.T", []string{"id", "g"}, 2, 2)); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("write to a generated column: %v", err)
	}
}
