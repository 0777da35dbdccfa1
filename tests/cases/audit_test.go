package cases

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/offset"
)

// event is a change as a read_committed consumer sees it.
type event struct {
	Op     string
	After  map[string]any
	Source struct {
		TsNs      int64  `json:"ts_ns"`
		Low       int64  `json:"low_watermark"`
		Txn       string `json:"server_transaction_id"`
		Records   int    `json:"number_records_in_transaction"`
		Last      bool   `json:"is_last_record_in_transaction_in_partition"`
		Mod       int    `json:"mod_number"`
		Sequence  string `json:"sequence"`
		Partition string `json:"partition_token"`
		Table     string
	}
	raw []byte
}

func (e event) id() int {
	n, _ := e.After["id"].(float64)
	return int(n)
}

// events reads a data topic to its committed end. A topic that does not exist has none.
func (w *world) events(topic string) []event {
	w.t.Helper()
	var out []event
	w.records(topic, func(r *kgo.Record) {
		if r.Value == nil {
			return
		}
		e := event{raw: r.Value}
		if err := json.Unmarshal(r.Value, &e); err != nil {
			w.t.Fatalf("%v: %s", err, r.Value)
		}
		out = append(out, e)
	})
	return out
}

// ids counts the events of c1.Users by id.
func (w *world) ids() map[int]int {
	w.t.Helper()
	seen := make(map[int]int)
	for _, e := range w.events("c1.Users") {
		seen[e.id()]++
	}
	return seen
}

// arrived waits for the ids 1..n.
func (w *world) arrived(n int) {
	w.t.Helper()
	w.await("all rows arrive", func() bool { return len(w.ids()) >= n })
}

// once holds c1.Users to ids 1..n, each once.
func (w *world) once(n int) {
	w.t.Helper()
	seen := w.ids()
	for id := 1; id <= n; id++ {
		if seen[id] != 1 {
			w.t.Errorf("row %d came %d times", id, seen[id])
		}
	}
	if len(seen) > n {
		w.t.Errorf("%d rows, want %d", len(seen), n)
	}
}

// positions is what the offsets topic says of a token, in order.
func (w *world) positions(token string) []offset.Position {
	w.t.Helper()
	var out []offset.Position
	w.records(offsetsTopic, func(r *kgo.Record) {
		_, tok, ok := offset.ParseKey(r.Key)
		if !ok || tok != token || r.Value == nil {
			return
		}
		out = append(out, must(offset.Parse(r.Value))(w.t))
	})
	return out
}

// stored is the newest committed offset of a token; zero: none.
func (w *world) stored(token string) time.Time {
	w.t.Helper()
	all := w.positions(token)
	if len(all) == 0 {
		return time.Time{}
	}
	return all[len(all)-1].Offset
}

// forward holds a token's offsets to never going back.
func (w *world) forward(token string) {
	w.t.Helper()
	var last time.Time
	for _, p := range w.positions(token) {
		if p.Offset.Before(last) {
			w.t.Errorf("offset went back from %v to %v", last, p.Offset)
		}
		last = p.Offset
	}
}

func (w *world) records(topic string, each func(*kgo.Record)) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cl := must(kgo.NewClient(kgo.SeedBrokers(w.cluster.ListenAddrs()...), kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.KeepControlRecords(), kgo.FetchMaxWait(50*time.Millisecond), kgo.MaxConcurrentFetches(1)))(w.t)
	defer cl.Close()
	ends := must(kadm.NewClient(cl).ListCommittedOffsets(ctx, topic))(w.t)
	left := make(map[int32]int64)
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[o.Partition] = o.Offset
		}
	})
	for len(left) > 0 {
		cl.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
			if r.Offset >= left[r.Partition]-1 {
				delete(left, r.Partition)
			}
			if !r.Attrs.IsControl() {
				each(r)
			}
		})
		if ctx.Err() != nil {
			w.t.Fatalf("topic %s cannot be read to its end: %v left", topic, left)
		}
	}
}

func TestHarness(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, users, forAll)
	p := w.start("a", time.Second, 0).loop()
	w.await("the partition is held", func() bool { return w.held(w.token()) })
	w.insert(1, "a")
	w.arrived(1)
	p.end()
	w.once(1)
	w.forward(w.token())
	if d := w.doc(w.token()); d.Held || !d.Clean {
		t.Errorf("after a clean end: %+v", d)
	}
	if errs := p.failures(); len(errs) > 0 {
		t.Error(errs)
	}
}
