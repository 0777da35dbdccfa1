package cases

import (
	"fmt"
	"testing"
	"time"

	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// TestSplitsAndMerges is LC-05: reading goes on through the whole graph.
func TestSplitsAndMerges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, users, forAll)
	p := w.start("a", time.Second, 0).loop()
	root := w.token()
	var a, b string
	for id := 1; id <= 60; id++ {
		w.insert(id, fmt.Sprint(id))
		var err error
		switch id {
		case 10:
			a, b, _, err = w.db.Split(root)
		case 20:
			a, _, err = w.db.Move(a)
		case 30:
			a, _, err = w.db.Merge(a, b)
		case 40:
			a, b, _, err = w.db.Split(a)
		case 50:
			_, _, _, err = w.db.Split(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Millisecond)
	}
	w.arrived(60)
	w.once(60)
	for _, e := range w.events("c1.Users") {
		if e.Op != "c" {
			t.Errorf("row %d came with op %q", e.id(), e.Op)
		}
	}
	alive, finished := 0, 0
	w.await("the living are held and the ended finished", func() bool {
		alive, finished = 0, 0
		for _, q := range w.db.Partitions("S") {
			d := w.doc(q.Token)
			switch {
			case d == nil:
				return false
			case q.End.IsZero() && d.Held:
				alive++
			case !q.End.IsZero() && d.State == partition.Finished && !d.Held:
				finished++
			default:
				return false
			}
		}
		return true
	})
	if alive != 3 || finished != 6 {
		t.Errorf("%d alive and %d finished, want 3 and 6", alive, finished)
	}
	if s := w.slot(); s.State != lease.Running {
		t.Errorf("task is %s: %s", s.State, s.Trace)
	}
	if errs := p.failures(); len(errs) > 0 {
		t.Error(errs)
	}
}
