package cases

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"sluice.example/local/spannerfake"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// TestSliceEnd is LC-01: a capped query that ends without children says nothing about the partition's end.
func TestSliceEnd(t *testing.T) {
	t.Parallel()
	t.Run("LC-01 children come with the next query", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, settings{"gcp.spanner.low-watermark.enabled": "true"}, users, forAll)
		token := w.token()
		w.spanner.Inject(firstWithoutChildren(token))
		p := w.start("a", 4*time.Second, 0).loop()
		w.await("P is asked", func() bool { return len(p.asked(token)) == 1 })
		at := w.insert(1, "a")
		left, right, split, err := w.db.Split(token)
		if err != nil {
			t.Fatal(err)
		}
		w.await("P is finished", func() bool {
			plan, _, err := w.docs.Tasks(t.Context(), name)
			d, l, r := w.doc(token), w.doc(left), w.doc(right)
			switch finished := d != nil && d.State == partition.Finished; {
			case err != nil:
				t.Fatal(err)
			case finished:
				return true
			case l != nil && l.Position.Offset.IsZero() && !plan.LowWatermark.Before(split):
				t.Fatalf("low watermark %v has passed %v, where children begin that nobody has read", plan.LowWatermark, split)
			case l == nil && r == nil && !plan.LowWatermark.Before(split):
				t.Fatalf("low watermark %v has passed %v, where children begin that nobody knows", plan.LowWatermark, split)
			}
			return false
		})
		for _, child := range []string{left, right} {
			if d := w.doc(child); d == nil || !d.Start.Equal(split) || len(d.Parents) != 1 || d.Parents[0] != token {
				t.Errorf("child %+v, want start %v and parent P", d, split)
			}
		}
		asked := p.asked(token)
		if len(asked) < 2 {
			t.Fatalf("%d queries of P", len(asked))
		}
		if s := asked[1].Start; s.Before(at) || s.After(split) {
			t.Errorf("second query starts at %v: P is known to exist up to %v and ends at %v", s, at, split)
		}
		if n := p.count(&p.refusals); n != 0 {
			t.Errorf("%d times OUT_OF_RANGE", n)
		}
		w.arrived(1)
		w.once(1)
	})
	t.Run("LC-01 a refusal is no end", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil, users, forAll)
		token := w.token()
		without := firstWithoutChildren(token)
		w.spanner.Inject(func(c spannerfake.Call) spannerfake.Fault {
			if c.Query != nil && c.Query.Token == token && c.Attempt > 1 {
				return spannerfake.Fault{Code: codes.OutOfRange, Message: "Specified start_timestamp is invalid for the partition."}
			}
			return without(c)
		})
		p := w.start("a", 2*time.Second, 0).loop()
		w.await("P is asked", func() bool { return len(p.asked(token)) == 1 })
		w.insert(1, "a")
		if _, _, _, err := w.db.Split(token); err != nil {
			t.Fatal(err)
		}
		w.await("the task fails", func() bool { return w.slot().State == lease.Failed })
		if d := w.doc(token); d.State == partition.Finished {
			t.Errorf("P is finished by a refusal: %+v", d)
		}
		if p.count(&p.refusals) == 0 {
			t.Error("nothing was refused: this proves nothing")
		}
	})
}

func firstWithoutChildren(token string) spannerfake.Hook {
	return func(c spannerfake.Call) spannerfake.Fault {
		switch {
		case c.Query == nil || c.Query.Token != token:
			return spannerfake.Fault{}
		case c.Attempt == 1:
			return spannerfake.Fault{NoChildren: true}
		}
		return spannerfake.Fault{Delay: 2500 * time.Millisecond} // time for the slot's bound and the low watermark to move
	}
}
