package spannerfake

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"

	"sluice.example/shared/changestream"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
	parent := w.Partitions("s")[0]
	first := w.mustApply(t, Insert("Singers", []string{"Id"}, 1))
	left, right, at, err := w.Split(parent.Token)
	if err != nil {
		t.Fatal(err)
	}
	second := w.mustApply(t, Update("Singers", []string{"Id", "Age"}, 1, 30))

	want := []changestream.Record{{Children: &changestream.ChildPartitions{
		StartTimestamp: at, RecordSequence: "00000000", Children: []changestream.Child{{Token: left, Parents: []string{parent.Token}}, {Token: right, Parents: []string{parent.Token}}},
	}}}
	recs := w.must(t, "s", parent.Token, parent.Start, time.Time{}) // without an end: it ends with the partition
	if len(recs) != 2 || recs[0].Data == nil || !recs[0].Time().Equal(first) {
		t.Fatalf("parent: %+v", recs)
	}
	if diff := cmp.Diff(want, recs[1:]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, w.must(t, "s", parent.Token, at, at)); diff != "" {
		t.Errorf("asked at its end it gives its children:\n%s", diff)
	}
	if before := w.must(t, "s", parent.Token, parent.Start, at.Add(-1)); len(before) != 1 || before[0].Data == nil {
		t.Errorf("asked up to just before its end: %+v", before)
	}
	_, err = w.all(t, "s", parent.Token, at.Add(1), time.Time{})
	if spanner.ErrCode(err) != codes.OutOfRange || !strings.Contains(err.Error(), "Specified start_timestamp is invalid for the partition") || !strings.Contains(err.Error(), zoned(at)) {
		t.Errorf("asked after its end: %v", err)
	}
	_, err = w.all(t, "s", left, at.Add(-1), at)
	if spanner.ErrCode(err) != codes.OutOfRange || !strings.Contains(err.Error(), "within "+zoned(at)+" and infinite-future") {
		t.Errorf("a child asked before its start: %v", err)
	}
	// The key went to the one child that now is where it lies.
	home, err := w.PartitionOf("s", "Singers", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, child := range []string{left, right} {
		recs := w.must(t, "s", child, at, second)
		if got := recs[0].Data != nil; got != (child == home) || len(recs) != 1 {
			t.Errorf("child %s (home %s): %+v", changestream.Short(child), changestream.Short(home), recs)
		}
	}
	// What a query without a token returns depends on its start.
	if roots := tokens(w.must(t, "s", "", parent.Start, time.Time{})); !slices.Equal(roots, []string{parent.Token}) {
		t.Errorf("roots at the beginning: %v", roots)
	}
	if roots := tokens(w.must(t, "s", "", at, time.Time{})); !slices.Equal(roots, []string{left, right}) {
		t.Errorf("roots after the split: %v", roots)
	}
}

func tokens(recs []changestream.Record) []string {
	var out []string
	for _, r := range recs {
		for _, c := range r.Children.Children {
			out = append(out, c.Token)
		}
	}
	return out
}

func TestMergeIsToldAlikeByBothParents(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{}, singers, "CREATE CHANGE STREAM s FOR ALL")
	a, b := w.Partitions("s")[0], w.Partitions("s")[1]
	child, at, err := w.Merge(b.Token, a.Token)
	if err != nil {
		t.Fatal(err)
	}
	of := func(p Partition) []changestream.Record { return w.must(t, "s", p.Token, p.Start, at) }
	if diff := cmp.Diff(of(a), of(b)); diff != "" {
		t.Errorf("the parents differ:\n%s", diff)
	}
	got := of(a)[0].Children
	if want := []changestream.Child{{Token: child, Parents: []string{b.Token, a.Token}}}; !cmp.Equal(got.Children, want) || !got.StartTimestamp.Equal(at) {
		t.Errorf("children: %+v", got)
	}
	if _, _, err := w.Merge(child, a.Token); err == nil {
		t.Error("a partition that ended was merged")
	}
	moved, _, err := w.Move(child)
	if err != nil {
		t.Fatal(err)
	}
	if parts := w.Partitions("s"); len(parts) != 4 || parts[3].Token != moved || !parts[3].End.IsZero() {
		t.Errorf("partitions: %+v", parts)
	}
}

func TestOrderedKeysSplitWhereTold(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Ordered: true}, singers, "CREATE CHANGE STREAM s FOR ALL")
	for i := range 10 {
		w.mustApply(t, Insert("Singers", []string{"Id"}, i-5))
	}
	left, right, _, err := w.SplitAt(w.Partitions("s")[0].Token, "Singers", 0)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[int]string{-5: left, -1: left, 0: right, 4: right, 1 << 40: right} {
		if got, err := w.PartitionOf("s", "Singers", id); err != nil || got != want {
			t.Errorf("key %d: %v, %v", id, got, err)
		}
	}
	if _, _, _, err := w.SplitAt(left, "Singers", 7); err == nil {
		t.Error("split at a key outside of the partition")
	}
	if _, _, _, err := w.Split(right); err != nil {
		t.Errorf("split at the median: %v", err)
	}
}

func TestTransactionOverPartitions(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 4}, singers,
		"CREATE TABLE Albums (Id INT64 NOT NULL, N INT64 NOT NULL) PRIMARY KEY (Id, N), INTERLEAVE IN PARENT Singers ON DELETE CASCADE",
		"CREATE CHANGE STREAM s FOR ALL")
	var ms []*spanner.Mutation
	for i := range 40 {
		ms = append(ms, spanner.Insert("Singers", []string{"Id"}, []any{i}), spanner.Insert("Albums", []string{"Id", "N"}, []any{i, 1}))
	}
	at, err := w.client.Apply(t.Context(), ms)
	if err != nil {
		t.Fatal(err)
	}
	seqs := make(map[string]bool)
	mods, records := 0, 0
	home := make(map[string]string)
	for _, p := range w.Partitions("s") {
		var last int
		prev := ""
		recs := w.must(t, "s", p.Token, at, at)
		for i, r := range recs {
			d := r.Data
			if d == nil {
				t.Fatalf("a partition got nothing: %+v", r)
			}
			records++
			if seqs[d.RecordSequence] || d.RecordSequence <= prev {
				t.Errorf("sequence %s twice, or after %s", d.RecordSequence, prev)
			}
			prev = d.RecordSequence
			seqs[d.RecordSequence] = true
			if d.LastInPartition {
				last = i
			}
			if d.RecordsInTxn != 8 || d.PartitionsInTxn != 4 || len(d.TransactionID) < 8 {
				t.Errorf("counts: %+v", d)
			}
			mods += len(d.Mods)
			for _, m := range d.Mods {
				id := strings.Split(m.Keys, `"Id":`)[1]
				id = strings.TrimSuffix(strings.Split(id, ",")[0], "}")
				if was := home[id]; was != "" && was != p.Token {
					t.Errorf("album of %s is not with its singer", id)
				}
				home[id] = p.Token
			}
		}
		if last != len(recs)-1 {
			t.Errorf("record %d of %d is marked the last", last, len(recs))
		}
	}
	if mods != 80 || records != 8 {
		t.Errorf("%d mods in %d records", mods, records)
	}
}

// TestEachChangeOnceAlongLineages follows every partition from the roots while partitions change, and finds each change
// once, those of one key in order.
func TestEachChangeOnceAlongLineages(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := setup(t, Options{Seed: seed, Ordered: seed%2 == 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
			random := rand.New(rand.NewPCG(seed, 1))
			begin := w.Partitions("s")[0].Start
			want := make(map[string][]string)
			for n := range 600 {
				key := random.IntN(50)
				w.mustApply(t, InsertOrUpdate("Singers", []string{"Id", "Age"}, key, n))
				want[fmt.Sprint(key)] = append(want[fmt.Sprint(key)], fmt.Sprint(n))
				if n%10 == 0 {
					w.Shake(random)
				}
			}
			end := w.mustApply(t, InsertOrUpdate("Singers", []string{"Id", "Age"}, 1000, 1000))
			want["1000"] = []string{"1000"}

			got := make(map[string][]string)
			finished := make(map[string]bool)
			queue := tokens(w.must(t, "s", "", begin, end))
			starts, parents := make(map[string]time.Time), make(map[string][]string)
			for len(queue) > 0 {
				token := queue[0]
				queue = queue[1:]
				if finished[token] {
					continue
				}
				if slices.ContainsFunc(parents[token], func(p string) bool { return !finished[p] }) {
					queue = append(queue, token) // the other parent comes first
					continue
				}
				start := begin
				if s, ok := starts[token]; ok {
					start = s
				}
				for _, r := range w.must(t, "s", token, start, end) {
					if r.Data != nil {
						for _, m := range r.Data.Mods {
							key := strings.Trim(strings.TrimPrefix(m.Keys, `{"Id":`), `"}`)
							_, age, _ := strings.Cut(m.New, `"Age":"`)
							age, _, _ = strings.Cut(age, `"`)
							got[key] = append(got[key], age)
						}
					}
					if r.Children != nil {
						for _, c := range r.Children.Children {
							starts[c.Token], parents[c.Token] = r.Children.StartTimestamp, c.Parents
							queue = append(queue, c.Token)
						}
					}
				}
				finished[token] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if len(finished) < 10 {
				t.Errorf("only %d partitions were followed", len(finished))
			}
		})
	}
}
