package changestream_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sluice.example/shared/changestream"
)

func TestDialectOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		database, mode string
		want           *changestream.Dialect
		says           string
	}{
		{"", "", changestream.GoogleSQL, ""},
		{"GOOGLE_STANDARD_SQL", "IMMUTABLE_KEY_RANGE", changestream.GoogleSQL, ""},
		{"POSTGRESQL", "", changestream.PostgreSQL, ""},
		{"POSTGRESQL", "MUTABLE_KEY_RANGE", nil, "MUTABLE_KEY_RANGE"},
		{"", "SOME_KEY_RANGE", nil, "partition_mode"},
		{"MYSQL", "", nil, "database_dialect"},
	} {
		got, err := changestream.DialectOf(c.database, c.mode)
		if got != c.want || c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("DialectOf(%q, %q) = %v, %v", c.database, c.mode, got, err)
		}
		if c.mode == "MUTABLE_KEY_RANGE" && !errors.Is(err, changestream.ErrMutable) {
			t.Errorf("the refusal of %s is %v", c.mode, err)
		}
	}
}

// TestStatement: a name never gets out of its place in the SQL, the root has no token, and times keep their nanoseconds.
func TestStatement(t *testing.T) {
	t.Parallel()
	q := changestream.Query{Token: changestream.RootToken, Start: time.Unix(1, 1), End: time.Unix(2, 2), Heartbeat: 1500 * time.Millisecond}
	for _, c := range []struct {
		dialect *changestream.Dialect
		stream  string
		sql     string // a part of it; "": refused
		token   string // the parameter's name
	}{
		{changestream.GoogleSQL, "My_Stream1", "`READ_My_Stream1`(", "token"},
		{changestream.GoogleSQL, "a`b", "", ""},
		{changestream.GoogleSQL, "", "", ""},
		{changestream.GoogleSQL, "a(b", "", ""},
		{changestream.PostgreSQL, "My Stream", `"spanner"."read_json_My Stream"(`, "p3"},
		{changestream.PostgreSQL, `a"b`, `"read_json_a""b"(`, "p3"},
		{changestream.PostgreSQL, "", "", ""},
	} {
		st, err := c.dialect.Statement(c.stream, q)
		if c.sql == "" {
			if err == nil {
				t.Errorf("%s took %q for a stream's name: %s", c.dialect.Name, c.stream, st.SQL)
			}
			continue
		}
		if err != nil || !strings.Contains(st.SQL, c.sql) {
			t.Errorf("%s of %q: %s, %v", c.dialect.Name, c.stream, st.SQL, err)
			continue
		}
		if token, ok := st.Params[c.token].(*string); !ok || token != nil {
			t.Errorf("%s asks for the root with token %v", c.dialect.Name, st.Params[c.token])
		}
		child := q
		child.Token = "t"
		if st, err = c.dialect.Statement(c.stream, child); err != nil {
			t.Error(err)
		}
		if token, ok := st.Params[c.token].(*string); !ok || token == nil || *token != "t" {
			t.Errorf("%s asks for a partition with token %v", c.dialect.Name, st.Params[c.token])
		}
		var times, ints int
		for _, p := range st.Params {
			switch p := p.(type) {
			case time.Time:
				if p.Equal(q.Start) || p.Equal(q.End) {
					times++
				}
			case int64:
				if p == 1500 {
					ints++
				}
			}
		}
		if times != 2 || ints != 1 || len(st.Params) != 4 {
			t.Errorf("%s has the parameters %v", c.dialect.Name, st.Params)
		}
	}
}
