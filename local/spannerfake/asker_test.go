package spannerfake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

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
