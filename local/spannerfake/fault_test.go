package spannerfake

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cloud.google.com/go/spanner"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/structpb"

	"sluice.example/shared/changestream"
)

// faulted is a partition with five changes and two children.
func faulted(t *testing.T) (w *world, p Partition, at time.Time) {
	t.Helper()
	w = setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
	p = w.Partitions("s")[0]
	for i := range 5 {
		w.mustApply(t, Insert("Singers", []string{"Id"}, i))
	}
	_, _, at, err := w.Split(p.Token)
	if err != nil {
		t.Fatal(err)
	}
	return w, p, at
}

// kinds is records by their first letters.
func kinds(recs []changestream.Record) string {
	var b strings.Builder
	for _, r := range recs {
		switch {
		case r.Data != nil:
			b.WriteByte('d')
		case r.Heartbeat != nil:
			b.WriteByte('h')
		default:
			b.WriteByte('c')
		}
	}
	return b.String()
}

func TestFaultsOfQueries(t *testing.T) {
	t.Parallel()
	beat := RecordRow(changestream.Record{Heartbeat: &changestream.Heartbeat{Timestamp: time.Unix(1, 0)}})
	for name, c := range map[string]struct {
		fault Fault
		want  string
		code  codes.Code
	}{
		"none":                 {Fault{}, "dddddc", codes.OK},
		"ends without child":   {Fault{NoChildren: true}, "ddddd", codes.OK},
		"ends early":           {Fault{End: true, After: 2}, "dd", codes.OK},
		"ends at once":         {Fault{End: true}, "", codes.OK},
		"refused":              {Fault{Code: codes.OutOfRange}, "", codes.OutOfRange},
		"refused after rows":   {Fault{Code: codes.OutOfRange, After: 3}, "ddd", codes.OutOfRange},
		"no permission":        {Fault{Code: codes.PermissionDenied, Message: "no"}, "", codes.PermissionDenied},
		"child again":          {Fault{Repeat: 2}, "dddddccc", codes.OK},
		"made up":              {Fault{Rows: []*structpb.Value{beat}}, "hdddddc", codes.OK},
		"made up only":         {Fault{Rows: []*structpb.Value{beat, beat}, Only: true}, "hh", codes.OK},
		"made up, then broken": {Fault{Rows: []*structpb.Value{beat}, Only: true, Code: codes.Internal, After: 1}, "h", codes.Internal},
		"edited":               {Fault{Edit: func(n int, row *structpb.Value) *structpb.Value { return []*structpb.Value{nil, row}[n%2] }}, "ddc", codes.OK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p, at := faulted(t)
			w.Inject(OnQuery(p.Token, c.fault))
			recs, err := w.all(t, "s", p.Token, p.Start, at)
			if got := kinds(recs); got != c.want || spanner.ErrCode(err) != c.code && err != nil || err == nil && c.code != codes.OK {
				t.Errorf("got %q, %v", got, err)
			}
			if c.fault.Message != "" && !strings.Contains(err.Error(), c.fault.Message) {
				t.Error(err)
			}
		})
	}
}

// TestBrokenQueryIsResumed lets the connection or the service fail in the middle: the client goes on by itself, and has
// each record once.
func TestBrokenQueryIsResumed(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]Fault{"unavailable": {Code: codes.Unavailable, After: 2}, "cut": {Cut: true, After: 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p, at := faulted(t)
			var broken atomic.Int32
			w.Inject(func(c Call) Fault {
				if c.Query == nil || broken.Add(1) > 1 {
					return Fault{}
				}
				return f
			})
			recs, err := w.all(t, "s", p.Token, p.Start, at)
			if err != nil {
				t.Fatal(err)
			}
			seen := make(map[time.Time]bool)
			for _, r := range recs {
				seen[r.Time()] = true
			}
			if kinds(recs) != "dddddc" || len(seen) != 6 {
				t.Errorf("got %s", kinds(recs))
			}
			// A cut connection may lose the first rows too; the client then begins anew.
			log := w.Queries()
			if len(log) != 2 || !log[1].Resumed && !f.Cut || log[0].Resumed || !log[0].Start.Equal(p.Start) || !log[0].End.Equal(at) || w.QueriesOf(p.Token) != 2 {
				t.Errorf("log: %+v", log)
			}
		})
	}
}

func TestStallAndDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p, at := faulted(t)
		w.Inject(OnQuery(p.Token, Fault{Stall: true, After: 1}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		n := 0
		begin := time.Now()
		err := w.ask(ctx, "s", p.Token, p.Start, at, time.Second, func(*structpb.Value) bool { n++; return true })
		if spanner.ErrCode(err) != codes.DeadlineExceeded || n != 1 || time.Since(begin) != time.Minute {
			t.Errorf("after %v and %d rows: %v", time.Since(begin), n, err)
		}
		w.Inject(OnQuery(RootToken, Fault{Delay: time.Second}))
		begin = time.Now()
		if roots := w.must(t, "s", "", p.Start, time.Time{}); len(roots) != 1 || time.Since(begin) != time.Second {
			t.Errorf("after %v: %+v", time.Since(begin), roots)
		}
	})
}

// TestLostCommit: the transaction is committed, its answer is lost, and the client's second try gets the same answer.
func TestLostCommit(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
	var lost atomic.Int32
	w.Inject(func(c Call) Fault {
		if c.Method != "Commit" || c.Database != testDB || lost.Add(1) > 1 {
			return Fault{}
		}
		return Fault{Lost: true}
	})
	at, err := w.client.Apply(t.Context(), []*spanner.Mutation{spanner.Insert("Singers", []string{"Id"}, []any{1})})
	if err != nil {
		t.Fatal(err)
	}
	recs := w.must(t, "s", w.Partitions("s")[0].Token, at.Add(-time.Second).Add(time.Second), at)
	if lost.Load() != 2 || kinds(recs) != "d" {
		t.Errorf("%d commits, records %s", lost.Load(), kinds(recs))
	}
	w.Inject(OnMethod("Commit", Fault{Code: codes.PermissionDenied}))
	if _, err := w.client.Apply(t.Context(), []*spanner.Mutation{spanner.Insert("Singers", []string{"Id"}, []any{2})}); spanner.ErrCode(err) != codes.PermissionDenied {
		t.Error(err)
	}
	w.Inject(nil)
	w.mustApply(t, Insert("Singers", []string{"Id"}, 2))
}

func TestMadeUpRows(t *testing.T) {
	t.Parallel()
	w, p, at := faulted(t)
	odd, err := Row(`[[[], [["2024-01-01T00:00:00.123456789Z"]], []]]`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Row(`[[`); err == nil {
		t.Error("half a row")
	}
	data := &changestream.DataChange{
		CommitTimestamp: time.Unix(5, 6).UTC(), RecordSequence: "00000003", TransactionID: "t", LastInPartition: true, Table: "Odd",
		Columns: []changestream.Column{{Name: "U", Type: `{"code":"UUID"}`, PrimaryKey: true, Ordinal: 1}}, Mods: []changestream.Mod{{Keys: `{"U":"x"}`, New: "{}", Old: "{}"}},
		ModType: changestream.Insert, ValueCapture: changestream.NewRow, RecordsInTxn: 3, PartitionsInTxn: 2, TransactionTag: "tag", SystemTransaction: true,
	}
	kids := &changestream.ChildPartitions{StartTimestamp: time.Unix(9, 0).UTC(), RecordSequence: "00000001", Children: []changestream.Child{{Token: "a"}, {Token: "b", Parents: []string{"p", "q"}}}}
	w.Inject(OnQuery(p.Token, Fault{Only: true, Rows: []*structpb.Value{odd, RecordRow(changestream.Record{Data: data}), RecordRow(changestream.Record{Children: kids})}}))
	recs := w.must(t, "s", p.Token, p.Start, at)
	if kinds(recs) != "hdc" || recs[0].Time().Nanosecond() != 123456789 {
		t.Fatalf("%+v", recs)
	}
	if got := *recs[1].Data; got.Table != "Odd" || got.Mods[0] != data.Mods[0] || got.Columns[0] != data.Columns[0] || got.TransactionTag != "tag" || !got.SystemTransaction || got.PartitionsInTxn != 2 {
		t.Errorf("%+v", got)
	}
	if got := recs[2].Children; len(got.Children) != 2 || len(got.Children[1].Parents) != 2 || !got.StartTimestamp.Equal(kids.StartTimestamp) {
		t.Errorf("%+v", got)
	}
}
