package cases

import (
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/spanner"

	"sluice.example/local/firestorefake"
)

// TestWritesOfOneDocument is FS-07: however much streams, no document is written more than about once a second.
func TestWritesOfOneDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{"gcp.spanner.low-watermark.enabled": "true", "heartbeat.interval.ms": "100", "sluice.lease.duration.ms": "3000"}, users, forAll)
	token := w.token()
	p := w.start("a", 2*time.Second, 0).loop()
	w.await("P is held", func() bool { return w.held(token) })
	var mu sync.Mutex
	writes := make(map[string]int)
	w.store.Inject(func(c firestorefake.Call) firestorefake.Fault {
		if c.Method == "Commit" {
			mu.Lock()
			defer mu.Unlock()
			for _, d := range c.Documents {
				writes[d]++
			}
		}
		return firestorefake.Fault{}
	})
	began := time.Now()
	const rows, batch = 5000, 50
	var last time.Time
	for id := 1; id <= rows; id += batch {
		var ms []*spanner.Mutation
		for k := range batch {
			ms = append(ms, spanner.Insert("Users", []string{"id", "name"}, []any{int64(id + k), "n"}))
		}
		last = w.apply(ms...)
		time.Sleep(time.Until(began.Add(time.Duration(id) * 8 * time.Second / rows)))
	}
	w.arrived(rows)
	seconds := time.Since(began).Seconds()
	mu.Lock()
	streamed := false
	for doc, n := range writes {
		streamed = streamed || strings.Contains(doc, "/slots/")
		if !strings.Contains(doc, "/state/") && float64(n) > seconds+5 {
			t.Errorf("%d writes of %s in %.1f s", n, doc, seconds)
		}
	}
	if !streamed {
		t.Errorf("the slot was never written in %.1f s: this proves nothing", seconds)
	}
	mu.Unlock()
	p.end()
	w.once(rows)
	if d := w.doc(token); d.Position.Offset.Before(last) {
		t.Errorf("the final checkpoint %v is older than the last record of %v", d.Position.Offset, last)
	}
	if s := w.stored(token); s.Before(last) {
		t.Errorf("the offset %v is older than the last record of %v", s, last)
	}
}
