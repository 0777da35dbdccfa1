package spannerfake

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/spanner"
	"google.golang.org/grpc/codes"
)

// run runs a query with the real client; each row is its values as JSON.
func (w *world) run(t *testing.T, sql string, params map[string]any) (columns []string, rows []string, err error) {
	t.Helper()
	it := w.client.Single().Query(t.Context(), spanner.Statement{SQL: sql, Params: params})
	err = it.Do(func(r *spanner.Row) error {
		columns = r.ColumnNames()
		var values []string
		for i := range r.Size() {
			values = append(values, string(appendJSON(nil, r.ColumnValue(i))))
		}
		rows = append(rows, strings.Join(values, " "))
		return nil
	})
	return columns, rows, err
}

func TestQueries(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{}, singers, "CREATE TABLE Albums (Id INT64 NOT NULL, N INT64 NOT NULL, Title STRING(MAX)) PRIMARY KEY (Id, N), INTERLEAVE IN PARENT Singers",
		"CREATE CHANGE STREAM s FOR Singers(Name)", "CREATE CHANGE STREAM m FOR ALL OPTIONS (partition_mode = 'MUTABLE_KEY_RANGE', retention_period = '7d')")
	w.mustApply(t, Insert("Singers", []string{"Id", "Name", "Age"}, 1, "Ann", 30), Insert("Singers", []string{"Id", "Name"}, 2, "Bob"), Insert("Singers", []string{"Id", "Name", "Age"}, 10, "Cy", 9),
		Insert("Albums", []string{"Id", "N", "Title"}, 1, 1, "One"), Insert("Albums", []string{"Id", "N", "Title"}, 1, 2, "Two"))
	for sql, want := range map[string][]string{
		"SELECT 1":              {`"1"`},
		"SELECT 'a', NULL":      {`"a" null`},
		"SELECT * FROM Singers": {`"1" "Ann" "30"`, `"2" "Bob" null`, `"10" "Cy" "9"`},
		"SELECT Id AS n FROM Singers ORDER BY n DESC":                                                                           {`"10"`, `"2"`, `"1"`},
		"SELECT name FROM Singers WHERE Age > 9 OR Name = 'Bob' ORDER BY Name":                                                  {`"Ann"`, `"Bob"`},
		"SELECT Id FROM Singers WHERE Age IS NULL":                                                                              {`"2"`},
		"SELECT Id FROM Singers WHERE NOT (Age IS NULL) AND Age != @n":                                                          {`"1"`},
		"SELECT Id FROM Singers WHERE Name IN ('Ann', @who)":                                                                    {`"1"`, `"2"`},
		"SELECT Id FROM Singers WHERE Name NOT IN UNNEST(@whos)":                                                                {`"10"`},
		"SELECT Id FROM Singers WHERE Id IN (SELECT Id FROM Albums)":                                                            {`"1"`},
		"SELECT COUNT(*) FROM Singers WHERE Id < 10":                                                                            {`"2"`},
		"SELECT s.Name, a.Title FROM Singers AS s JOIN Albums AS a ON s.Id = a.Id WHERE a.N = 2":                                {`"Ann" "Two"`},
		"SELECT s.Id, a.* FROM Singers s LEFT JOIN Albums a ON s.Id = a.Id AND a.N = 1":                                         {`"1" "1" "1" "One"`, `"2" null null null`, `"10" null null null`},
		"SELECT a.N FROM Singers INNER JOIN Albums a USING (Id) ORDER BY a.N DESC LIMIT 1":                                      {`"2"`},
		"SELECT DISTINCT Id FROM Albums":                                                                                        {`"1"`},
		"SELECT Id FROM Singers ORDER BY Id LIMIT 1 OFFSET 1":                                                                   {`"2"`},
		"SELECT x.Id FROM (SELECT Id FROM Singers WHERE Age = 30) AS x":                                                         {`"1"`},
		"SELECT \"all\", `all` FROM information_schema.change_streams WHERE change_stream_name='s'":                             {`"all" false`},
		"SELECT column_name FROM information_schema.change_stream_columns":                                                      {`"Name"`},
		"SELECT table_name, all_columns FROM information_schema.change_stream_tables":                                           {`"Singers" false`},
		"SELECT option_value FROM information_schema.change_stream_options WHERE change_stream_name = 'm' ORDER BY option_name": {`"MUTABLE_KEY_RANGE"`, `"7d"`},
		"SELECT c.table_name, c.column_name, k.ordinal_position FROM information_schema.columns c LEFT JOIN information_schema.index_columns k" +
			" ON c.table_name = k.table_name AND c.column_name = k.column_name AND k.index_type = 'PRIMARY_KEY' WHERE c.table_name = 'Albums' ORDER BY c.ordinal_position": {
			`"Albums" "Id" "1"`, `"Albums" "N" "2"`, `"Albums" "Title" null`},
		"SELECT table_name FROM information_schema.tables WHERE parent_table_name IS NOT NULL": {`"Albums"`},
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			params := make(map[string]any)
			for name, v := range map[string]any{"n": 9, "who": "Bob", "whos": []string{"Ann", "Bob"}} {
				if strings.Contains(sql, "@"+name+")") || strings.HasSuffix(sql, "@"+name) {
					params[name] = v
				}
			}
			if _, rows, err := w.run(t, sql, params); err != nil || !slices.Equal(rows, want) {
				t.Errorf("got %q, %v", rows, err)
			}
		})
	}
	if columns, _, err := w.run(t, "SELECT Id, name, Age + 0 AS x FROM Singers", nil); spanner.ErrCode(err) != codes.Unimplemented {
		t.Errorf("arithmetic: %v, %v", columns, err)
	}
	if columns, _, err := w.run(t, "SELECT Id, name, NULL AS x, 1 FROM Singers", nil); err != nil || fmt.Sprint(columns) != "[Id name x ]" {
		t.Errorf("columns: %q, %v", columns, err)
	}
}

func TestQueriesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{}, singers, "CREATE CHANGE STREAM s FOR ALL", "CREATE CHANGE STREAM m OPTIONS (partition_mode = 'MUTABLE_KEY_RANGE')")
	now := "TIMESTAMP '2026-01-01T00:00:00Z'"
	for sql, want := range map[string]codes.Code{
		"SELECT":                                codes.InvalidArgument,
		"SELECT nope FROM Singers":              codes.InvalidArgument,
		"SELECT * FROM Nope":                    codes.InvalidArgument,
		"SELECT * FROM information_schema.nope": codes.InvalidArgument,
		"SELECT @p":                             codes.InvalidArgument,
		"SELECT Age, COUNT(*) FROM Singers GROUP BY Age":                  codes.Unimplemented,
		"DELETE FROM Singers WHERE TRUE":                                  codes.Unimplemented,
		"SELECT * FROM READ_zz(" + now + ", NULL, NULL, 1000)":            codes.InvalidArgument,
		"SELECT * FROM other(1)":                                          codes.InvalidArgument,
		"SELECT ChangeRecord FROM READ_s('x', NULL, NULL, 1000)":          codes.InvalidArgument,
		"SELECT ChangeRecord FROM READ_s(" + now + ", NULL)":              codes.InvalidArgument,
		"SELECT * FROM READ_s(" + now + ", NULL, NULL, 1000) WHERE TRUE":  codes.InvalidArgument,
		"SELECT nope FROM READ_s(" + now + ", NULL, NULL, 1000)":          codes.InvalidArgument,
		"SELECT * FROM READ_s(start => " + now + ")":                      codes.InvalidArgument,
		"SELECT * FROM READ_m(CURRENT_TIMESTAMP(), NULL, NULL, 1000)":     codes.Unimplemented,
		"SELECT * FROM READ_s(" + now + ", NULL, NULL, 1000, NULL, NULL)": codes.InvalidArgument,
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			if _, _, err := w.run(t, sql, nil); spanner.ErrCode(err) != want {
				t.Errorf("got %v", err)
			}
		})
	}
}
