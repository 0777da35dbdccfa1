package readertest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/spanner"

	"sluice.example/shared/changestream"
	"sluice.example/shared/spannerdb"
)

func rootNamesPartitions(t *testing.T, s Server) {
	db, r := simple(t, s)
	at := put(t, db, 1, "a")
	var tokens []string
	for _, rec := range query(t, r, changestream.Query{Token: changestream.RootToken, Start: at, End: at, Heartbeat: beat}) {
		if rec.Children == nil {
			t.Errorf("the root query gave %+v", rec)
			continue
		}
		if !rec.Children.StartTimestamp.Equal(at) {
			t.Errorf("first partitions start at %v, asked for %v", rec.Children.StartTimestamp, at)
		}
		for _, c := range rec.Children.Children {
			if c.Token == "" || len(c.Parents) > 0 || slices.Contains(tokens, c.Token) {
				t.Errorf("a first partition is %+v, the others %q", c, tokens)
			}
			tokens = append(tokens, c.Token)
		}
	}
	if len(tokens) == 0 {
		t.Error("the root query named no partition")
	}
}

func bothEndsAreInclusive(t *testing.T, s Server) {
	db, r := simple(t, s)
	first, second, third := put(t, db, 1, "a"), put(t, db, 2, "b"), put(t, db, 3, "c")
	for name, c := range map[string]struct {
		start, end time.Time
		want       []string
	}{
		"all":             {first, third, []string{"1", "2", "3"}},
		"one instant":     {second, second, []string{"2"}},
		"after the first": {first.Add(1), third, []string{"2", "3"}},
		"before the last": {first, third.Add(-1), []string{"1", "2"}},
		"between":         {first.Add(1), second.Add(-1), nil},
	} {
		got := ids(follow(t, r, c.start, c.end))
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: rows %q, want %q", name, got, c.want)
		}
	}
}

func wholeTransactions(t *testing.T, s Server) {
	db, r := simple(t, s)
	row := func(id int64) *spanner.Mutation { return spanner.Insert("T", []string{"id", "v"}, []any{id, "x"}) }
	at := apply(t, db, row(1), row(2))
	at2 := apply(t, db, spanner.Update("T", []string{"id", "v"}, []any{int64(1), "y"}), row(3), spanner.Delete("T", spanner.Key{int64(2)}))
	got := make(map[string][]*changestream.DataChange)
	for _, d := range follow(t, r, at, at2) {
		got[d.TransactionID] = append(got[d.TransactionID], d)
	}
	if len(got) != 2 {
		t.Fatalf("changes of %d transactions, want 2", len(got))
	}
	for id, records := range got {
		parts, last := make(map[string]bool), make(map[string]int)
		sequences := make(map[string]bool)
		for _, d := range records {
			parts[d.PartitionToken] = true
			sequences[d.RecordSequence] = true
			if d.LastInPartition {
				last[d.PartitionToken]++
			}
			if int(d.RecordsInTxn) != len(records) || d.Table != "T" || d.ReadAt.IsZero() || d.ValueCapture != changestream.OldAndNewValues {
				t.Errorf("transaction %s has %d records, one is %+v", id, len(records), d)
			}
			if !d.CommitTimestamp.Equal(at) && !d.CommitTimestamp.Equal(at2) {
				t.Errorf("committed at %v, want %v or %v", d.CommitTimestamp, at, at2)
			}
		}
		if len(sequences) != len(records) {
			t.Errorf("transaction %s has %d records and %d sequences", id, len(records), len(sequences))
		}
		for part := range parts {
			if last[part] != 1 {
				t.Errorf("transaction %s has %d last records in partition %s", id, last[part], changestream.Short(part))
			}
		}
	}
}

func nothingThereIsAHeartbeat(t *testing.T, s Server) {
	db, r := simple(t, s)
	at := put(t, db, 1, "a").Add(1)
	put(t, db, 2, "b") // so that the window is past
	beats := 0
	for _, c := range root(t, r, at) {
		for _, rec := range query(t, r, changestream.Query{Token: c.Token, Start: at, End: at, Heartbeat: beat}) {
			switch {
			case rec.Data != nil:
				t.Errorf("a change where there is none: %+v", rec.Data)
			case rec.Heartbeat != nil:
				beats++
				if rec.Heartbeat.Timestamp.After(at) {
					t.Errorf("a heartbeat of %v in a query to %v", rec.Heartbeat.Timestamp, at)
				}
			}
		}
	}
	if beats == 0 {
		t.Error("no partition gave a heartbeat")
	}
}

// liveQueryTellsOfItself: heartbeats come while nothing changes, and, where the reader says it is exact, a change comes at
// once.
func liveQueryTellsOfItself(t *testing.T, s Server) {
	db, r := simple(t, s)
	start := put(t, db, 1, "a")
	beats, wrote, seen := 0, time.Time{}, false
	last, came := make(map[string]time.Time), make(map[string][]time.Time)
	var apart time.Duration // most between two heartbeats of one partition: those of a query that is not live come at once
	tail(t, r, start, time.Now().Add(20*time.Second), func(token string, rec changestream.Record) bool {
		if rec.Time().Before(last[token]) {
			t.Errorf("partition %s went from %v back to %v", changestream.Short(token), last[token], rec.Time())
		}
		last[token] = rec.Time()
		if rec.Heartbeat != nil {
			beats++
			if before := came[token]; len(before) > 1 { // a first row comes at once in any case
				apart = max(apart, time.Since(before[len(before)-1]))
			}
			came[token] = append(came[token], time.Now())
		}
		if beats == 10 && wrote.IsZero() {
			var err error
			wrote, err = db.Writer.Apply(t.Context(), []*spanner.Mutation{spanner.Insert("T", []string{"id"}, []any{int64(2)})})
			if err != nil {
				t.Errorf("write: %v", err)
				return true
			}
		}
		if rec.Data != nil && rec.Data.CommitTimestamp.Equal(wrote) {
			seen = true
			if late := time.Since(wrote); r.Exact() && late > 5*time.Second {
				t.Errorf("the change came %v after its commit", late)
			}
		}
		// What is not exact may skip it.
		return seen || !r.Exact() && beats > 30
	})
	if beats < 3 || apart < beat/2 {
		t.Errorf("%d heartbeats, of one partition at most %v apart: a live query must give them as they come", beats, apart)
	}
	if r.Exact() && !seen {
		t.Error("the change did not come")
	}
}

// leavingEndsTheQuery relies on the caller to look for what is left: goroutines of the client.
func leavingEndsTheQuery(t *testing.T, s Server) {
	db, _ := simple(t, s)
	d, err := spannerdb.Open(t.Context(), db.Settings, db.Options...)
	if err != nil {
		t.Fatal(err)
	}
	r := d.Reader("S")
	at := put(t, db, 1, "a")
	for _, c := range root(t, r, at) {
		for _, err := range r.Read(t.Context(), changestream.Query{Token: c.Token, Start: at, End: time.Now().Add(9 * time.Minute), Heartbeat: beat}) {
			if err != nil {
				t.Error(err)
			}
			break
		}
	}
	begun := time.Now()
	d.Close()
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("to close after the loop was left took %v", took)
	}
}

func canceledIsTheCallers(t *testing.T, s Server) {
	db, r := simple(t, s)
	at := put(t, db, 1, "a")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	token := root(t, r, at)[0].Token
	for _, err := range r.Read(ctx, changestream.Query{Token: token, Start: at, End: time.Now().Add(9 * time.Minute), Heartbeat: beat}) {
		cancel()
		if err != nil {
			if !errors.Is(err, context.Canceled) || changestream.Transient(err) {
				t.Errorf("a canceled query gave %v", err)
			}
			return
		}
	}
	// The partition may have ended before the cancellation came through; what starts canceled must say so.
	if _, err := read(ctx, r, changestream.Query{Token: token, Start: at, End: time.Now(), Heartbeat: beat}); !errors.Is(err, context.Canceled) {
		t.Errorf("a query that began canceled gave %v", err)
	}
}

func partitionEndsWithChildren(t *testing.T, s Server) {
	db, r := simple(t, s)
	at := put(t, db, 1, "a")
	parent := root(t, r, at)[0].Token
	if s.End != nil {
		s.End(t, db)
	}
	end := time.Now().Add(2 * time.Minute)
	all := query(t, r, changestream.Query{Token: parent, Start: at, End: end, Heartbeat: beat})
	if len(all) == 0 || all[len(all)-1].Children == nil {
		t.Fatalf("the partition ended without children: %d records", len(all))
	}
	ended := all[len(all)-1].Children
	for _, rec := range all {
		switch {
		case rec.Data != nil && !rec.Time().Before(ended.StartTimestamp):
			t.Errorf("a change of %v in a partition that ended at %v", rec.Time(), ended.StartTimestamp)
			continue
		case rec.Children == nil:
			if rec.Time().After(ended.StartTimestamp) {
				t.Errorf("a heartbeat of %v in a partition that ended at %v", rec.Time(), ended.StartTimestamp)
			}
			continue
		case !rec.Children.StartTimestamp.Equal(ended.StartTimestamp) || rec.Children.RecordSequence == "":
			t.Errorf("the last children begin at %v, others are %+v", ended.StartTimestamp, rec.Children)
		}
		for _, c := range rec.Children.Children {
			if !slices.Contains(c.Parents, parent) {
				t.Errorf("a child's parents are %q, without the one that named it", c.Parents)
			}
			query(t, r, changestream.Query{Token: c.Token, Start: ended.StartTimestamp, End: ended.StartTimestamp, Heartbeat: beat})
			before := ended.StartTimestamp.Add(-time.Microsecond)
			refused(t, r, changestream.Query{Token: c.Token, Start: before, End: ended.StartTimestamp, Heartbeat: beat})
		}
	}
	// A past query to the very end tells of the children, too.
	again := query(t, r, changestream.Query{Token: parent, Start: at, End: ended.StartTimestamp, Heartbeat: beat})
	if len(again) == 0 || again[len(again)-1].Children == nil {
		t.Errorf("a query to the partition's end told of no children: %+v", again)
	}
	refused(t, r, changestream.Query{Token: parent, Start: ended.StartTimestamp.Add(time.Second), End: ended.StartTimestamp.Add(2 * time.Second), Heartbeat: beat})
}

// refused expects Spanner's refusal of the query's start.
func refused(t *testing.T, r changestream.Reader, q changestream.Query) {
	t.Helper()
	got, err := read(t.Context(), r, q)
	var out *changestream.OutOfRange
	if !errors.As(err, &out) || len(got) > 0 {
		t.Errorf("partition %s from %v: %d records and error %v, want a refusal", changestream.Short(q.Token), q.Start, len(got), err)
		return
	}
	if out.Token != q.Token || !out.Start.Equal(q.Start) || out.Message == "" || changestream.Transient(err) {
		t.Errorf("the refusal is %+v", out)
	}
}

func startBeforeTheStream(t *testing.T, s Server) {
	db, r := simple(t, s)
	at := put(t, db, 1, "a")
	for _, before := range []time.Duration{time.Hour, 8 * 24 * time.Hour} {
		refused(t, r, changestream.Query{Token: changestream.RootToken, Start: at.Add(-before), End: at, Heartbeat: beat})
	}
}

func unknownToken(t *testing.T, s Server) {
	db, r := simple(t, s)
	at := put(t, db, 1, "a")
	refused(t, r, changestream.Query{Token: "__8BAYEG0qQD1AABgsBDg3MADQABg_nobodys__", Start: at, End: at, Heartbeat: beat})
}

func unknownStream(t *testing.T, s Server) {
	db, _ := simple(t, s)
	d := open(t, db)
	at := put(t, db, 1, "a")
	_, tables := d.Tables(t.Context(), "Nowhere")
	_, reader := read(t.Context(), d.Reader("Nowhere"), changestream.Query{Token: changestream.RootToken, Start: at, End: at, Heartbeat: beat})
	_, name := read(t.Context(), d.Reader("no`name"), changestream.Query{Token: changestream.RootToken, Start: at, End: at, Heartbeat: beat})
	for what, err := range map[string]error{"Tables": tables, "Read": reader, "Read of no name": name} {
		var p *spannerdb.Problem
		if !errors.As(err, &p) || p.Key != "gcp.spanner.change.stream" || !strings.Contains(p.Text, "no") && !strings.Contains(p.Text, "Nowhere") {
			t.Errorf("%s of an unknown stream: %v", what, err)
		}
	}
}
