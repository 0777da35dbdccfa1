package changestream

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestStatementsAskForOnePartition(t *testing.T) {
	t.Parallel()
	q := Query{Token: "tok", Start: instant.In(time.FixedZone("", 3600)), End: instant.Add(time.Second), Heartbeat: 1500 * time.Millisecond}
	for _, c := range []struct {
		dialect                      *Dialect
		stream, sql                  string
		start, end, token, heartbeat string
	}{
		{GoogleSQL, "s1", "SELECT ChangeRecord FROM `READ_s1`(start_timestamp => @start, end_timestamp => @end, partition_token => @token, heartbeat_milliseconds => @heartbeat)",
			"start", "end", "token", "heartbeat"},
		{PostgreSQL, `My"s`, `SELECT * FROM "spanner"."read_json_My""s"($1, $2, $3, $4, null)`, "p1", "p2", "p3", "p4"},
	} {
		st, err := c.dialect.Statement(c.stream, q)
		if err != nil || st.SQL != c.sql || len(st.Params) != 4 {
			t.Fatalf("got %+v, %v", st, err)
		}
		token, _ := st.Params[c.token].(*string)
		if st.Params[c.start] != instant || st.Params[c.end] != instant.Add(time.Second) || st.Params[c.heartbeat] != int64(1500) || token == nil || *token != "tok" {
			t.Errorf("got %+v", st.Params)
		}
		root, err := c.dialect.Statement(c.stream, Query{Token: RootToken})
		if token, ok := root.Params[c.token].(*string); err != nil || !ok || token != nil {
			t.Errorf("the root is asked for with %v, %v; want a NULL string", root.Params[c.token], err)
		}
	}
}

func TestStatementsRefuseNamesThatAreSQL(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "s`", "s(NULL)--", "1s", "ü", strings.Repeat("s", 129)} {
		if st, err := GoogleSQL.Statement(name, Query{}); err == nil {
			t.Errorf("%q becomes %s", name, st.SQL)
		}
	}
	if _, err := PostgreSQL.Statement("", Query{}); err == nil {
		t.Error("an empty name passes")
	}
}

func TestDialectOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]string]*Dialect{
		{"", ""}: GoogleSQL, {"GOOGLE_STANDARD_SQL", "IMMUTABLE_KEY_RANGE"}: GoogleSQL, {"POSTGRESQL", ""}: PostgreSQL,
	} {
		if got, err := DialectOf(in[0], in[1]); got != want || err != nil {
			t.Errorf("%v: %v, %v", in, got, err)
		}
	}
	if _, err := DialectOf("", "MUTABLE_KEY_RANGE"); !errors.Is(err, ErrMutable) || !strings.Contains(err.Error(), "MUTABLE_KEY_RANGE") {
		t.Errorf("got %v", err)
	}
	for _, in := range [][2]string{{"COBOL", ""}, {"", "OTHER"}} {
		if _, err := DialectOf(in[0], in[1]); err == nil {
			t.Errorf("%v passes", in)
		}
	}
}
