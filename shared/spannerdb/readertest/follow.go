package readertest

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/spanner"

	"sluice.example/shared/changestream"
)

// beat is the heartbeat of all queries.
const beat = 100 * time.Millisecond

// put commits a row of T and returns when.
func put(t *testing.T, db Database, id int64, v string) time.Time {
	t.Helper()
	return apply(t, db, spanner.InsertOrUpdate("T", []string{"id", "v"}, []any{id, v}))
}

func apply(t *testing.T, db Database, m ...*spanner.Mutation) time.Time {
	t.Helper()
	at, err := db.Writer.Apply(t.Context(), m)
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	return at
}

// query reads one query to its end.
func query(t *testing.T, r changestream.Reader, q changestream.Query) []changestream.Record {
	t.Helper()
	all, err := read(t.Context(), r, q)
	if err != nil {
		t.Fatalf("query %s from %v to %v: %v", changestream.Short(q.Token), q.Start, q.End, err)
	}
	return all
}

func read(ctx context.Context, r changestream.Reader, q changestream.Query) ([]changestream.Record, error) {
	var all []changestream.Record
	for rec, err := range r.Read(ctx, q) {
		if err != nil {
			return all, err
		}
		all = append(all, rec)
	}
	return all, nil
}

// root asks for the partitions at a time.
func root(t *testing.T, r changestream.Reader, at time.Time) []changestream.Child {
	t.Helper()
	var all []changestream.Child
	for _, rec := range query(t, r, changestream.Query{Token: changestream.RootToken, Start: at, End: at, Heartbeat: beat}) {
		if rec.Children != nil {
			all = append(all, rec.Children.Children...)
		}
	}
	if len(all) == 0 {
		t.Fatal("the root query named no partition")
	}
	return all
}

// follow reads all changes from start to end, both inclusive and past, through every partition that lived meanwhile. Each
// query must end cleanly and hold its records in order.
func follow(t *testing.T, r changestream.Reader, start, end time.Time) []*changestream.DataChange {
	t.Helper()
	var data []*changestream.DataChange
	queue := []changestream.Query{{Token: changestream.RootToken, Start: start}}
	seen := make(map[string]bool)
	for len(queue) > 0 {
		q := queue[0]
		queue = queue[1:]
		q.End, q.Heartbeat = end, beat
		last := q.Start
		for _, rec := range query(t, r, q) {
			if at := rec.Time(); at.Before(last) || at.After(end) {
				t.Errorf("partition %s: a record of %v after %v, in a query to %v", changestream.Short(q.Token), at, last, end)
			}
			last = rec.Time()
			if rec.Data != nil {
				if rec.Data.PartitionToken != q.Token {
					t.Errorf("a record of partition %q says it is of %q", q.Token, rec.Data.PartitionToken)
				}
				data = append(data, rec.Data)
			}
			if rec.Children != nil {
				for _, c := range rec.Children.Children {
					if !seen[c.Token] && !rec.Children.StartTimestamp.After(end) {
						seen[c.Token] = true
						queue = append(queue, changestream.Query{Token: c.Token, Start: rec.Children.StartTimestamp})
					}
				}
			}
		}
	}
	return data
}

// tail reads all partitions as they are now and their descendants, live, and gives each record to see until it is
// enough. It ends with the last query ended.
func tail(t *testing.T, r changestream.Reader, from, end time.Time, see func(token string, rec changestream.Record) (enough bool)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex
	seen := make(map[string]bool)
	var one func(q changestream.Query)
	one = func(q changestream.Query) {
		for rec, err := range r.Read(ctx, q) {
			if err != nil {
				if ctx.Err() == nil {
					t.Errorf("live query of %s from %v: %v", changestream.Short(q.Token), q.Start, err)
				}
				return
			}
			mu.Lock()
			enough := see(q.Token, rec)
			if rec.Children != nil {
				for _, c := range rec.Children.Children {
					if !seen[c.Token] {
						seen[c.Token] = true
						all.Go(func() {
							one(changestream.Query{Token: c.Token, Start: rec.Children.StartTimestamp, End: end, Heartbeat: beat})
						})
					}
				}
			}
			mu.Unlock()
			if enough {
				cancel()
				return
			}
		}
	}
	all.Go(func() { one(changestream.Query{Token: changestream.RootToken, Start: from, End: end, Heartbeat: beat}) })
	all.Wait()
}

// sameJSON tells whether two JSON texts say the same, numbers and strings digit for digit.
func sameJSON(a, b string) bool {
	parse := func(text string) any {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			return text
		}
		return v
	}
	return reflect.DeepEqual(parse(a), parse(b))
}

// ids are the keys of the changes, in their order, one for each mod.
func ids(changes []*changestream.DataChange) (all []string) {
	for _, c := range changes {
		for _, m := range c.Mods {
			var k struct {
				ID string `json:"id"`
			}
			if json.Unmarshal([]byte(m.Keys), &k) != nil {
				k.ID = m.Keys
			}
			all = append(all, k.ID)
		}
	}
	return all
}
