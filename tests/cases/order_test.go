package cases

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// TestLateWrite is LC-03: a write of a checkpoint that arrives after a newer one changes nothing.
func TestLateWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{"gcp.spanner.low-watermark.enabled": "true", "sluice.lease.duration.ms": "3000"}, users, forAll)
	token := w.token()
	p := w.start("a", time.Second, 0)
	var mu sync.Mutex
	var late func() error // the write that is under way for long; its caller gave up
	var lateOffset time.Time
	p.onCommit = func(c partition.Change, commit func(partition.Change) error) error {
		mu.Lock()
		defer mu.Unlock()
		if late == nil && len(c.Partitions) == 1 && c.Partitions[0].Token == token && !c.Partitions[0].Position.Offset.IsZero() {
			copied, lateAt := clone(c), c.Partitions[0].Position.Offset
			late, lateOffset = func() error { return commit(copied) }, lateAt
			return fmt.Errorf("write is under way for long: %w", lease.ErrStore)
		}
		return commit(c)
	}
	p.loop()
	w.await("P is held", func() bool { return w.held(token) })
	id := 0
	var lows []time.Time
	sample := func() {
		id++
		w.insert(id, "a")
		plan, _, err := w.docs.Tasks(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		lows = append(lows, plan.LowWatermark)
	}
	w.await("a newer checkpoint is written", func() bool {
		sample()
		mu.Lock()
		defer mu.Unlock()
		return late != nil && w.doc(token).Position.Offset.After(lateOffset)
	})
	newer := w.doc(token).Position.Offset
	mu.Lock()
	err := late()
	mu.Unlock()
	if err == nil {
		t.Error("the late write was let in")
	}
	if now := w.doc(token).Position.Offset; now.Before(newer) {
		t.Errorf("stored offset went from %v to %v", newer, now)
	}
	for range 100 {
		sample()
		time.Sleep(10 * time.Millisecond)
	}
	w.arrived(id)
	if s := w.slot(); s.State != lease.Running || s.Generation != 1 {
		t.Errorf("task is %s in generation %d: %s", s.State, s.Generation, s.Trace)
	}
	p.end()
	w.once(id)
	w.forward(token)
	moved := false
	for i := 1; i < len(lows); i++ {
		if lows[i].Before(lows[i-1]) {
			t.Errorf("low watermark went from %v to %v", lows[i-1], lows[i])
		}
		moved = moved || lows[i].After(lows[i-1])
	}
	if !moved {
		t.Error("the low watermark did not move: this proves nothing")
	}
}

// clone is a change as it was when it was sent.
func clone(c partition.Change) partition.Change {
	var out partition.Change
	for _, s := range c.Slots {
		d := *s
		out.Slots = append(out.Slots, &d)
	}
	for _, p := range c.Partitions {
		d := *p
		out.Partitions = append(out.Partitions, &d)
	}
	return out
}

// TestWatermark is WM-01: what nobody reads holds the low watermark, what is finished does not.
func TestWatermark(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{"gcp.spanner.low-watermark.enabled": "true", "gcp.spanner.low-watermark.update-period.ms": "50", "sluice.lease.duration.ms": "1500"}, users, forAll)
	p := w.start("a", time.Second, 0).loop()
	w.await("P is held", func() bool { return w.held(w.token()) })
	w.insert(1, "a")
	w.arrived(1)
	p.kill()
	_, _, at, err := w.db.Split(w.token())
	if err != nil {
		t.Fatal(err)
	}
	low := func() time.Time {
		plan, _, err := w.docs.Tasks(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return plan.LowWatermark
	}
	w.await("the dead holder's partition is taken back", func() bool { return !w.slot().Live() })
	for range 20 {
		if l := low(); !l.Before(at) {
			t.Fatalf("low watermark %v has passed %v, where children begin that nobody reads", l, at)
		}
		time.Sleep(50 * time.Millisecond)
	}
	w.start("b", time.Second, 0).loop()
	w.await("the low watermark goes on, past the finished parent", func() bool { return low().After(at.Add(time.Second)) })
	second := w.insert(2, "b")
	w.arrived(2)
	for _, e := range w.events("c1.Users") {
		if e.Source.Low > e.Source.TsNs/1e6 {
			t.Errorf("a change came after the low watermark: %s", e.raw)
		}
		if e.id() == 2 && (e.Source.Low == 0 || time.UnixMilli(e.Source.Low).After(second)) {
			t.Errorf("low watermark of row 2: %d", e.Source.Low)
		}
	}
}
