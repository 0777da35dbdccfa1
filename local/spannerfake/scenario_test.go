package spannerfake

import (
	"context"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc"
)

var scenarioDDL = []string{
	`CREATE TABLE T (Id INT64 NOT NULL, K2 STRING(MAX), B BOOL, F64 FLOAT64, F32 FLOAT32, N NUMERIC, S STRING(20), Byt BYTES(MAX), D DATE,` +
		` Ts TIMESTAMP OPTIONS (allow_commit_timestamp=true), J JSON, AI ARRAY<INT64>, AF ARRAY<FLOAT64>, AB ARRAY<BYTES(10)>, ATs ARRAY<TIMESTAMP>) PRIMARY KEY (Id, K2 DESC)`,
	`CREATE TABLE U (Id INT64 NOT NULL, V STRING(MAX), W STRING(MAX) NOT NULL DEFAULT ('w')) PRIMARY KEY (Id)`,
	`CREATE TABLE C (Id INT64 NOT NULL, C INT64 NOT NULL, V STRING(MAX)) PRIMARY KEY (Id, C), INTERLEAVE IN PARENT U ON DELETE CASCADE`,
	`CREATE CHANGE STREAM s FOR ALL`,
	`CREATE CHANGE STREAM nv FOR U, C OPTIONS (value_capture_type='NEW_VALUES', retention_period='36h')`,
	`CREATE CHANGE STREAM nr FOR U(V), C() OPTIONS (value_capture_type='NEW_ROW', exclude_insert=true)`,
	`CREATE CHANGE STREAM nro FOR T(S, N), C OPTIONS (value_capture_type='NEW_ROW_AND_OLD_VALUES')`,
	`CREATE CHANGE STREAM nothing`,
}

func scenarioWrites() [][]*spanner.Mutation {
	m := func(of func(string, map[string]any) *spanner.Mutation, table string, kv ...any) *spanner.Mutation {
		row := make(map[string]any)
		for i := 0; i < len(kv); i += 2 {
			row[kv[i].(string)] = kv[i+1]
		}
		return of(table, row)
	}
	insert, upd := spanner.InsertMap, spanner.UpdateMap
	return [][]*spanner.Mutation{{
		m(insert, "T", "Id", 1, "K2", "a", "B", true, "F64", 1.5, "F32", float32(1.1), "N", nil, "S", "x<>&\u2028\"\\\n\x01", "Byt", []byte("hi"), "D", "2020-01-01",
			"Ts", time.Unix(5, 0), "J", spanner.NullJSON{Value: map[string]any{"b": 1, "a": []int{1, 2}}, Valid: true}, "AI", []int64{1, 2}, "AF", []float64{1, 2.5, 1e20, 1e-7, 123456789012345680},
			"ATs", []time.Time{time.Unix(7, 0)}),
		m(insert, "T", "Id", 2, "K2", nil, "F64", 0.0, "AI", []int64{}, "Byt", []byte{}),
		m(insert, "U", "Id", 1, "V", "v"),
		m(insert, "U", "Id", 2, "W", "ww"),
		m(insert, "C", "Id", 1, "C", 1, "V", "v"),
		m(insert, "C", "Id", 1, "C", 2, "V", "v"),
	}, {
		m(upd, "U", "Id", 1, "V", "v2"),
		m(upd, "U", "Id", 2, "V", "v2"),
		m(upd, "U", "Id", 2, "W", "v2"),
		m(upd, "T", "Id", 2, "K2", nil, "S", "s"),
		m(spanner.InsertOrUpdateMap, "U", "Id", 3, "V", "v2"),
		m(spanner.InsertOrUpdateMap, "U", "Id", 1, "W", "w3"),
		m(spanner.ReplaceMap, "C", "Id", 1, "C", 1, "V", "vr"),
		m(upd, "U", "Id", 1, "V", "v2"),
	}, {
		m(insert, "U", "Id", 9, "V", "v2"),
		m(upd, "U", "Id", 9, "V", "v3"),
		m(insert, "U", "Id", 10, "V", "v2"),
		spanner.Delete("U", spanner.Key{10}),
		m(upd, "U", "Id", 3, "V", "v2"), // what it is already
		spanner.Delete("U", spanner.Key{404}),
	}, {
		spanner.Delete("U", spanner.Key{3}),
		m(insert, "U", "Id", 3, "V", "again"),
	}, {
		spanner.Delete("U", spanner.KeyRange{Start: spanner.Key{2}, End: spanner.Key{9}, Kind: spanner.ClosedOpen}),
		spanner.Delete("T", spanner.Key{1, "a"}),
	}, {
		spanner.Delete("U", spanner.AllKeys()),
	}}
}

// play runs the scenario on a fresh database with scenarioDDL, over a raw connection and the client.
func play(ctx context.Context, t *testing.T, db string, conn *grpc.ClientConn, client *spanner.Client, ddl []string) answers {
	t.Helper()
	out := answers{Streams: make(map[string][]answeredRecord), Refusals: make(map[string]string), Views: make(map[string][]string), Commits: make(map[string]string), DDL: ddl}
	raw := sppb.NewSpannerClient(conn)
	session, err := raw.CreateSession(ctx, &sppb.CreateSessionRequest{Database: db, Session: &sppb.Session{Multiplexed: true}})
	if err != nil {
		t.Fatal(err)
	}
	a := &asker{ctx: ctx, raw: raw, session: session.Name}
	// Retention begins with the stream; a moment after it there is nothing to refuse.
	begin := time.Now()
	var end time.Time // the last commit's; clocks differ
	for _, ms := range scenarioWrites() {
		if end, err = client.Apply(ctx, ms); err != nil {
			t.Fatal(err)
		}
	}
	for _, stream := range []string{"s", "nv", "nr", "nro", "nothing"} {
		out.Streams[stream] = a.stream(t, &out, stream, begin, end)
	}
	a.refusals(t, &out, begin)
	for _, view := range []string{"change_streams", "change_stream_tables", "change_stream_columns", "change_stream_options", "tables", "columns", "index_columns", "indexes", "column_options", "database_options", "schemata"} {
		where := ""
		switch view {
		case "tables", "columns", "index_columns", "indexes", "column_options":
			where = " WHERE table_schema = ''"
		case "change_stream_options":
			where = " WHERE option_name IN ('value_capture_type', 'retention_period')" // the emulator hides the others
		}
		out.Views[view] = a.rows(t, "SELECT * FROM information_schema."+view+where)
	}
	out.Select = a.rows(t, "SELECT 1, 'a' AS x, NULL, TRUE, 1.5, DATE '2020-01-01' AS d")[1]
	for name, ms := range map[string][]*spanner.Mutation{
		"insert twice":   {spanner.InsertMap("U", map[string]any{"Id": 100}), spanner.InsertMap("U", map[string]any{"Id": 100})},
		"update nothing": {spanner.UpdateMap("U", map[string]any{"Id": 101, "V": "x"})},
		"no table":       {spanner.UpdateMap("Nope", map[string]any{"Id": 101, "V": "x"})},
		"no column":      {spanner.UpdateMap("U", map[string]any{"Id": 101, "VV": "x"})},
		"too long":       {spanner.InsertMap("T", map[string]any{"Id": 101, "S": strings.Repeat("x", 21)})},
		"no parent":      {spanner.InsertMap("C", map[string]any{"Id": 101, "C": 5})},
		"no key":         {spanner.InsertMap("U", map[string]any{"V": "x"})},
		"null key":       {spanner.InsertMap("U", map[string]any{"Id": nil})},
		"null":           {spanner.InsertMap("U", map[string]any{"Id": 7, "W": nil})},
		"no integer":     {spanner.InsertMap("U", map[string]any{"Id": "x"})},
	} {
		_, err := client.Apply(ctx, ms)
		if err == nil {
			t.Errorf("%s is not refused", name)
			continue
		}
		out.Commits[name] = spanner.ErrCode(err).String() + ": " + spanner.ErrDesc(err)
	}
	return out
}
