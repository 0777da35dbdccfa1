package spannerfake

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// What the emulator answered is kept in testdata. The fake must answer the same; so must the emulator still, when there
// is one (emulator_test.go, which writes the file anew with -update).

var update = flag.Bool("update", false, "write the emulator's answers anew")

const goldenFile = "emulator.json"

// answers is what the scenario got to hear.
type answers struct {
	Shape    string                      // the type of ChangeRecord
	Streams  map[string][]answeredRecord // by stream, in order of commit, then by table and kind
	Refusals map[string]string           // by what was asked
	Views    map[string][]string         // of information_schema: columns, then rows in order
	Commits  map[string]string           // why mutations were refused
	DDL      []string                    // GetDatabaseDdl
	Select   string                      // literals
}

type answeredRecord struct {
	Txn                                int // counted from 0
	Table, Kind, Capture               string
	Columns                            []string
	Mods                               [][3]string
	Records, Partitions                string
	LastSeen                           bool // exactly one of the transaction's records was the last in its partition
	Sequences                          int  // different sequences in the transaction
	SystemTransaction, TransactionSame bool
}

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
		var e *spanner.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		out.Commits[name] = e.Code.String() + ": " + e.Desc
	}
	return out
}

// asker asks over a raw connection, so that nothing of a client is between.
type asker struct {
	ctx     context.Context
	raw     sppb.SpannerClient
	session string
}

func (a *asker) ask(sql string, params map[string]any) (*sppb.StructType, []*structpb.Value, error) {
	r := &sppb.ExecuteSqlRequest{
		Session: a.session, Sql: sql, ParamTypes: map[string]*sppb.Type{},
		Transaction: &sppb.TransactionSelector{Selector: &sppb.TransactionSelector_SingleUse{SingleUse: &sppb.TransactionOptions{
			Mode: &sppb.TransactionOptions_ReadOnly_{ReadOnly: &sppb.TransactionOptions_ReadOnly{TimestampBound: &sppb.TransactionOptions_ReadOnly_Strong{Strong: true}}},
		}}},
	}
	r.Params = &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for name, v := range params {
		r.Params.Fields[name] = Value(v)
		r.ParamTypes[name] = map[string]*sppb.Type{"s": of(sppb.TypeCode_TIMESTAMP), "e": of(sppb.TypeCode_TIMESTAMP), "t": of(sppb.TypeCode_STRING), "h": of(sppb.TypeCode_INT64)}[name]
	}
	st, err := a.raw.ExecuteStreamingSql(a.ctx, r)
	if err != nil {
		return nil, nil, err
	}
	var shape *sppb.StructType
	var values []*structpb.Value
	for {
		m, err := st.Recv()
		if errors.Is(err, io.EOF) {
			return shape, values, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if m.Metadata != nil {
			shape = m.Metadata.RowType
		}
		values = append(values, m.Values...)
	}
}

const tvf = "(start_timestamp => @s, end_timestamp => @e, partition_token => @t, heartbeat_milliseconds => @h)"

func (a *asker) stream(t *testing.T, out *answers, stream string, begin, end time.Time) []answeredRecord {
	t.Helper()
	shape, roots, err := a.ask("SELECT ChangeRecord FROM READ_"+stream+tvf, map[string]any{"s": begin, "e": end, "t": nil, "h": 1000})
	if err != nil {
		t.Fatal(err)
	}
	out.Shape = shapeText(&sppb.Type{Code: sppb.TypeCode_STRUCT, StructType: shape})
	var rows []*structpb.Value
	for _, root := range roots {
		for _, c := range decode(t, root).Children.Children {
			_, values, err := a.ask("SELECT * FROM READ_"+stream+"(@s, @e, @t, @h, NULL)", map[string]any{"s": begin, "e": end, "t": c.Token, "h": 1000})
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, values...)
		}
	}
	return answered(t, rows)
}

// answered reads data records without what differs from run to run.
func answered(t *testing.T, rows []*structpb.Value) []answeredRecord {
	t.Helper()
	type txn struct {
		seqs map[string]bool
		last int
		id   string
	}
	byTime := make(map[string]*txn)
	var times []string
	for _, row := range rows {
		d := decode(t, row).Data
		if d == nil {
			continue
		}
		at := d.CommitTimestamp.Format(time.RFC3339Nano + "000000000")
		if byTime[at] == nil {
			byTime[at] = &txn{seqs: make(map[string]bool), id: d.TransactionID}
			times = append(times, at)
		}
		byTime[at].seqs[d.RecordSequence] = true
		if d.LastInPartition {
			byTime[at].last++
		}
	}
	slices.Sort(times)
	var out []answeredRecord
	for _, row := range rows {
		d := decode(t, row).Data
		if d == nil {
			continue
		}
		at := d.CommitTimestamp.Format(time.RFC3339Nano + "000000000")
		x := byTime[at]
		r := answeredRecord{
			Txn: slices.Index(times, at), Table: d.Table, Kind: string(d.ModType), Capture: string(d.ValueCapture), Records: fmt.Sprint(d.RecordsInTxn), Partitions: fmt.Sprint(d.PartitionsInTxn),
			LastSeen: x.last == 1, Sequences: len(x.seqs), SystemTransaction: d.SystemTransaction, TransactionSame: d.TransactionID == x.id,
		}
		for _, c := range d.Columns {
			r.Columns = append(r.Columns, fmt.Sprintf("%d %s %s %v", c.Ordinal, c.Name, c.Type, c.PrimaryKey))
		}
		for _, m := range d.Mods {
			r.Mods = append(r.Mods, [3]string{m.Keys, m.New, m.Old})
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(x, y answeredRecord) int {
		return strings.Compare(fmt.Sprintf("%03d %s %s %v", x.Txn, x.Table, x.Kind, x.Columns), fmt.Sprintf("%03d %s %s %v", y.Txn, y.Table, y.Kind, y.Columns))
	})
	return out
}

var instants = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)`)

// refusals asks what is refused.
func (a *asker) refusals(t *testing.T, out *answers, begin time.Time) {
	t.Helper()
	_, roots, err := a.ask("SELECT * FROM READ_s(@s, @e, @t, @h)", map[string]any{"s": begin, "e": begin, "t": nil, "h": 1000})
	if err != nil {
		t.Fatal(err)
	}
	token := decode(t, roots[0]).Children.Children[0].Token
	type q struct {
		s, e any
		t    any
		h    any
		sql  string
	}
	for name, c := range map[string]q{
		"past":           {s: begin.Add(-240 * time.Hour), e: begin, t: token, h: 1000},
		"past root":      {s: begin.Add(-240 * time.Hour), e: begin, t: nil, h: 1000},
		"future":         {s: begin.Add(20 * time.Minute), e: begin.Add(30 * time.Minute), t: token, h: 1000},
		"end first":      {s: begin.Add(time.Millisecond), e: begin, t: token, h: 1000},
		"heartbeat low":  {s: begin, e: begin, t: token, h: 99},
		"heartbeat high": {s: begin, e: begin, t: token, h: 300001},
		"no heartbeat":   {s: begin, e: begin, t: token, h: nil},
		"no start":       {s: nil, e: nil, t: token, h: 1000},
		"token":          {s: begin, e: begin, t: "nonsense", h: 1000},
		"stream's token": {s: begin, e: begin, t: token, h: 1000, sql: "SELECT * FROM READ_nv(@s, @e, @t, @h)"},
		"read options":   {s: begin, e: begin, t: token, h: 1000, sql: "SELECT * FROM READ_s(@s, @e, @t, @h, read_options => ['a'])"},
	} {
		sql := c.sql
		if sql == "" {
			sql = "SELECT ChangeRecord FROM READ_s" + tvf
		}
		_, _, err := a.ask(sql, map[string]any{"s": c.s, "e": c.e, "t": c.t, "h": c.h})
		if err == nil {
			t.Errorf("%s is not refused", name)
			continue
		}
		st := status.Convert(err)
		out.Refusals[name] = st.Code().String() + ": " + strings.ReplaceAll(instants.ReplaceAllString(st.Message(), "<time>"), token, "<token>")
	}
}

// rows is a result as JSON: names and types, then rows in order.
func (a *asker) rows(t *testing.T, sql string) []string {
	t.Helper()
	shape, values, err := a.ask(sql, nil)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var lines []string
	for n := len(shape.Fields); len(values) > 0; values = values[n:] {
		lines = append(lines, string(appendJSON(nil, structOf(values[:n]...))))
	}
	slices.Sort(lines)
	return append([]string{shapeText(&sppb.Type{Code: sppb.TypeCode_STRUCT, StructType: shape})}, lines...)
}

// shapeText is a type in words.
func shapeText(t *sppb.Type) string {
	switch t.GetCode() {
	case sppb.TypeCode_ARRAY:
		return "ARRAY<" + shapeText(t.ArrayElementType) + ">"
	case sppb.TypeCode_STRUCT:
		parts := make([]string, 0, len(t.StructType.GetFields()))
		for _, f := range t.StructType.GetFields() {
			parts = append(parts, strings.TrimSpace(f.Name+" "+shapeText(f.Type)))
		}
		return "STRUCT<" + strings.Join(parts, ", ") + ">"
	}
	return t.GetCode().String()
}

func golden(t *testing.T) answers {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", goldenFile))
	if err != nil {
		t.Fatal(err)
	}
	var want answers
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

// normalized goes through JSON, so that nil and empty are the same, as they are in the file.
func (a answers) normalized(t *testing.T) answers {
	t.Helper()
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var out answers
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAnswersAreTheEmulators compares every answer with the emulator's.
func TestAnswersAreTheEmulators(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, scenarioDDL...)
	conn, err := w.Conn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	got := play(t.Context(), t, testDB, conn, w.client, w.statements()).normalized(t)
	if diff := cmp.Diff(golden(t), got); diff != "" {
		t.Errorf("the emulator's answers (-), the fake's (+):\n%s", diff)
	}
}
