package cases

import (
	"testing"
	"time"
)

// TestIdle is LC-04: an idle stream costs one query a slice, and its offset moves all the same.
func TestIdle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		heartbeat string
		slice     time.Duration
		slices    int
	}{
		"LC-04 heartbeats each second": {"1000", 2 * time.Second, 4},
		"LC-04 no heartbeats":          {"300000", 6 * time.Second, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, settings{"heartbeat.interval.ms": c.heartbeat}, users, forAll)
			token := w.token()
			p := w.start("a", c.slice, 0)
			w.await("the root is read", func() bool {
				if _, err := p.run(); err != nil {
					t.Fatal(err)
				}
				return w.held(token)
			})
			before, stored := w.spanner.QueriesOf(token), w.stored(token)
			for n := range c.slices {
				if _, err := p.run(); err != nil {
					t.Fatal(err)
				}
				now := w.stored(token)
				if moved := now.Sub(stored); moved < c.slice*2/3 {
					t.Errorf("slice %d moved the offset by %v from %v", n, moved, stored)
				}
				stored = now
			}
			if n := w.spanner.QueriesOf(token) - before; n == 0 || n > c.slices+1 {
				t.Errorf("%d queries in %d slices", n, c.slices)
			}
		})
	}
}
