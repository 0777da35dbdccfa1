package cases

import (
	"context"
	"testing"
	"time"

	"sluice.example/shared/delivery"
)

// TestFrozenOwner is LC-07: an owner that was stopped past its lease, with rows read and not delivered, is refused.
func TestFrozenOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{"sluice.lease.duration.ms": "1500"}, users, forAll)
	token := w.token()
	a := w.start("a", 10*time.Second, 0)
	caught := make(chan struct{}, 1)
	a.onDeliver = func(_ context.Context, b delivery.Batch) error {
		if len(b.Messages) > 0 {
			a.freeze()
			select {
			case caught <- struct{}{}:
			default:
			}
		}
		return nil
	}
	a.loop()
	w.await("A holds P", func() bool { return w.held(token) })
	for id := 1; id <= 5; id++ {
		w.insert(id, "a")
	}
	<-caught
	if n := len(w.ids()); n != 0 {
		t.Fatalf("%d rows came of an owner that is stopped", n)
	}
	b := w.start("b", time.Second, 0).loop()
	w.arrived(5)
	w.insert(6, "b")
	w.arrived(6)
	stored, claimed := w.stored(token), a.count(&a.claimed)
	a.onDeliver = nil
	a.note(func() { a.last = true })
	a.thaw()
	<-a.done
	if out, errs := a.outcome, a.failures(); out.Kept || out.Held > 0 || len(errs) > 0 {
		t.Errorf("A returned %+v, %v", out, errs)
	}
	if a.count(&a.lost) != 1 || a.count(&a.claimed) != claimed || a.count(&a.delivered) != 0 {
		t.Errorf("A lost %d slots, claimed %d partitions after %d, delivered %d messages", a.count(&a.lost), a.count(&a.claimed), claimed, a.count(&a.delivered))
	}
	if now := w.stored(token); now.Before(stored) {
		t.Errorf("stored offset went from %v to %v", stored, now)
	}
	w.insert(7, "b")
	w.arrived(7)
	b.end()
	w.once(7)
	w.forward(token)
}

// TestClocks is FS-06: a worker whose clock is wrong neither steals a live lease nor waits longer than it lasts.
func TestClocks(t *testing.T) {
	t.Parallel()
	for name, skew := range map[string]time.Duration{"FS-06 ten minutes ahead": 10 * time.Minute, "FS-06 ten minutes behind": -10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const ttl = 3 * time.Second
			w := newWorld(t, settings{"sluice.lease.duration.ms": "3000"}, users, forAll)
			a := w.start("a", time.Second, 0).loop()
			w.await("A holds P", func() bool { return w.held(w.token()) })
			b := w.start("b", time.Second, skew).loop()
			for id, end := 1, time.Now().Add(2*ttl); time.Now().Before(end); id++ {
				w.insert(id, "a")
				time.Sleep(100 * time.Millisecond)
			}
			if n := b.count(&b.taken); n != 0 {
				t.Fatalf("B took a live slot %d times", n)
			}
			rows := len(w.ids())
			if s := w.slot(); s.Owner != "a" || s.Generation != 1 {
				t.Errorf("the slot is %s's in generation %d", s.Owner, s.Generation)
			}
			expiry := w.slot().Expiry
			a.kill()
			killed := time.Now()
			w.await("B takes the slot", func() bool { return b.count(&b.taken) > 0 })
			if took := time.Since(killed); time.Now().Before(expiry) || took > ttl+2*time.Second {
				t.Errorf("B took the slot %v after the kill, the lease ended %v", took, expiry)
			}
			w.insert(1_000, "b")
			w.await("B delivers", func() bool { return w.ids()[1_000] == 1 })
			if n := len(w.ids()); n < rows+1 {
				t.Errorf("%d rows, %d before the kill", n, rows)
			}
			for id, n := range w.ids() {
				if n != 1 {
					t.Errorf("row %d came %d times", id, n)
				}
			}
		})
	}
}
