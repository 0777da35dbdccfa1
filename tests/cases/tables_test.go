package cases

import (
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/spanner"

	"sluice.example/shared/lease"
)

const orders = "CREATE TABLE Orders (id INT64 NOT NULL, v STRING(MAX)) PRIMARY KEY (id)"

// TestTransaction is LC-17: a message for each row, with the transaction's bookkeeping.
func TestTransaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, users, orders, forAll)
	var old []*spanner.Mutation
	for id := range 10 {
		old = append(old, spanner.Insert("Orders", []string{"id", "v"}, []any{int64(id), "old"}))
	}
	w.apply(old...)
	if _, _, _, err := w.db.Split(w.token()); err != nil {
		t.Fatal(err)
	}
	p := w.start("a", 2*time.Second, 0).loop()
	var ms []*spanner.Mutation
	for id := 1; id <= 1000; id++ {
		ms = append(ms, spanner.Insert("Users", []string{"id", "name"}, []any{int64(id), "n"}))
	}
	for id := range 10 {
		ms = append(ms, spanner.Update("Orders", []string{"id", "v"}, []any{int64(id), "new"}))
	}
	at := w.apply(ms...)
	w.arrived(1000)
	var all []event
	w.await("all messages arrive", func() bool {
		all = nil
		for _, topic := range []string{"c1.Users", "c1.Orders"} {
			for _, e := range w.events(topic) {
				if e.Source.TsNs == at.UnixNano() {
					all = append(all, e)
				}
			}
		}
		return len(all) >= 1010
	})
	p.end()
	w.once(1000)
	if len(all) != 1010 {
		t.Fatalf("%d messages", len(all))
	}
	type change struct{ partition, sequence string }
	mods := make(map[change]map[int]bool)
	last := make(map[string]map[change]bool)
	txn := all[0].Source.Txn
	for _, e := range all {
		c := change{e.Source.Partition, e.Source.Sequence}
		if mods[c] == nil {
			mods[c] = make(map[int]bool)
		}
		if last[c.partition] == nil {
			last[c.partition] = make(map[change]bool)
		}
		mods[c][e.Source.Mod] = true
		if e.Source.Last {
			last[c.partition][c] = true
		}
		if e.Source.Txn != txn || txn == "" || c.partition == "" || c.sequence == "" {
			t.Fatalf("bookkeeping of %s", e.raw)
		}
	}
	n := 0
	for c, seen := range mods {
		n += len(seen)
		for k := range len(seen) {
			if !seen[k] {
				t.Errorf("change record %v has %d mods, but no number %d", c, len(seen), k)
			}
		}
	}
	if n != 1010 {
		t.Errorf("%d mods with numbers of their own", n)
	}
	for _, e := range all {
		if e.Source.Records != len(mods) {
			t.Fatalf("number_records_in_transaction is %d of %d change records", e.Source.Records, len(mods))
		}
	}
	for partition, records := range last {
		if len(records) != 1 {
			t.Errorf("%d last records in partition %.12s", len(records), partition)
		}
	}
	if len(last) != 2 {
		t.Errorf("the transaction is in %d partitions, want both", len(last))
	}
}

// TestTablesAdded is LC-19: a table joins the stream while it is read.
func TestTablesAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, users, "CREATE CHANGE STREAM S FOR Users OPTIONS (value_capture_type = 'NEW_ROW')")
	p := w.start("a", 2*time.Second, 0).loop()
	w.await("P is held", func() bool { return w.held(w.token()) })
	w.insert(1, "a")
	w.arrived(1)
	watched := "Users"
	for _, table := range []string{"Orders", "Third"} {
		watched += ", " + table
		if err := w.db.DDL(strings.ReplaceAll(orders, "Orders", table)); err != nil {
			t.Fatal(err)
		}
		w.apply(spanner.Insert(table, []string{"id", "v"}, []any{int64(7), "before"}))
		if err := w.db.DDL("ALTER CHANGE STREAM S SET FOR " + watched); err != nil {
			t.Fatal(err)
		}
		w.apply(spanner.Insert(table, []string{"id", "v"}, []any{int64(1), "a"}))
		w.await("the row arrives", func() bool { return len(w.events("c1."+table)) > 0 })
	}
	w.insert(2, "a")
	w.arrived(2)
	w.once(2)
	for _, topic := range []string{"c1.Orders", "c1.Third"} {
		all := w.events(topic)
		if len(all) != 1 || all[0].id() != 1 || all[0].After["v"] != "a" || len(all[0].After) != 2 {
			t.Errorf("%s has %d events, the first %s", topic, len(all), all[0].raw)
		}
	}
	if s := w.slot(); s.State != lease.Running || s.Generation != 1 {
		t.Errorf("task is %s in generation %d: %s", s.State, s.Generation, s.Trace)
	}
	if errs := p.failures(); len(errs) > 0 {
		t.Error(errs)
	}
}

// TestUnknownType is TY-17: a column of a type that is not known stops nothing but its own table.
func TestUnknownType(t *testing.T) {
	t.Parallel()
	ddl := []string{"CREATE TABLE Good (id INT64 NOT NULL, v STRING(MAX)) PRIMARY KEY (id)", "CREATE TABLE Odd (id INT64 NOT NULL, p `a.b.C`) PRIMARY KEY (id)", forAll}
	write := func(w *world, id int64) {
		w.apply(spanner.Insert("Odd", []string{"id"}, []any{id}))
		w.apply(spanner.Insert("Good", []string{"id", "v"}, []any{id, "a"}))
	}
	t.Run("TY-17 not asked for", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, settings{"table.include.list": "Good"}, ddl...)
		w.start("a", time.Second, 0).loop()
		write(w, 1)
		w.await("Good arrives", func() bool { return len(w.events("c1.Good")) == 1 })
		if s := w.slot(); s.State != lease.Running {
			t.Errorf("task is %s: %s", s.State, s.Trace)
		}
	})
	t.Run("TY-17 asked for", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil, ddl...)
		w.start("a", time.Second, 0).loop()
		write(w, 1)
		w.await("the task fails", func() bool { return w.slot().State == lease.Failed })
		for _, want := range []string{"Odd", "p", "PROTO"} {
			if trace := w.slot().Trace; !strings.Contains(trace, want) {
				t.Errorf("trace %q lacks %q", trace, want)
			}
		}
		w.reconfigure(settings{"table.exclude.list": "Odd"})
		w.await("Good arrives", func() bool { return len(w.events("c1.Good")) == 1 })
		if s := w.slot(); s.State != lease.Running {
			t.Errorf("task is %s: %s", s.State, s.Trace)
		}
	})
}
