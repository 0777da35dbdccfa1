package cases

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"sluice.example/local/firestorefake"
)

// TestNothingRunsOn is FN-03: after an invocation returned nothing of it runs, whatever the session keeps open. It is
// alone, so that what runs is its own.
func TestNothingRunsOn(t *testing.T) {
	w := newWorld(t, nil, users, forAll)
	p := w.start("a", 400*time.Millisecond, 0)
	w.await("P is held", func() bool {
		if _, err := p.run(); err != nil {
			t.Fatal(err)
		}
		return w.held(w.token())
	})
	w.insert(1, "a")
	if out, err := p.run(); err != nil || !out.Kept || out.Held != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	w.once(1)
	w.halt() // the scheduler is another function
	var produced, committed atomic.Int64
	w.cluster.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		produced.Add(1)
		return nil, nil, false
	})
	w.store.Inject(func(c firestorefake.Call) firestorefake.Fault {
		if c.Method == "Commit" || c.Method == "BatchWrite" {
			committed.Add(1)
		}
		return firestorefake.Fault{}
	})
	asked := len(w.spanner.Queries())
	w.insert(2, "a") // something to read, if anybody did
	time.Sleep(3 * time.Second)
	if produced.Load() != 0 || committed.Load() != 0 || len(w.spanner.Queries()) != asked {
		t.Errorf("after the return: %d produce requests, %d commits, %d queries", produced.Load(), committed.Load(), len(w.spanner.Queries())-asked)
	}
	if s := ours(); s != "" {
		t.Errorf("after the return runs:\n%s", s)
	}
	before := goleak.IgnoreCurrent()
	count := runtime.NumGoroutine()
	for range 20 {
		if _, err := p.run(); err != nil {
			t.Fatal(err)
		}
	}
	if s := ours(); s != "" {
		t.Errorf("after 20 calls runs:\n%s", s)
	}
	if n := runtime.NumGoroutine(); n > count+5 {
		t.Errorf("%d goroutines after 20 calls, %d before: %v", n, count, goleak.Find(before))
	}
	if produced.Load() == 0 || len(w.spanner.Queries()) == asked {
		t.Error("the calls did nothing: this proves nothing")
	}
	w.once(2)
}

// ours is the stacks of goroutines that run the task.
func ours() string {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var list []string
	for _, s := range strings.Split(string(buf), "\n\n") {
		if strings.Contains(s, "sluice.example/shared/task.") {
			list = append(list, s)
		}
	}
	return strings.Join(list, "\n\n")
}

// TestDeadline is FN-05: an invocation keeps to its deadline, and does nothing when it is here already.
func TestDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, users, forAll)
	w.await("something is assigned", func() bool {
		view, err := w.docs.Open(t.Context(), name, 0)
		return err == nil && len(view.Assignment.Partitions) > 0
	})
	for what, c := range map[string]struct {
		deadline, least, most time.Duration // zero: none
		claims                bool
	}{
		"FN-05 none":          {0, 2 * time.Second, 4 * time.Second, true},
		"FN-05 now":           {time.Nanosecond, 0, time.Second, false},
		"FN-05 within margin": {900 * time.Millisecond, 0, time.Second, false},
		"FN-05 soon":          {1800 * time.Millisecond, 700 * time.Millisecond, 1800 * time.Millisecond, true},
		"FN-05 far":           {900 * time.Second, 2 * time.Second, 4 * time.Second, true},
	} {
		t.Run(what, func(t *testing.T) {
			p := w.start("a", 2*time.Second, 0)
			ctx, cancel := context.WithCancel(t.Context())
			if c.deadline > 0 {
				ctx, cancel = context.WithTimeout(t.Context(), c.deadline)
			}
			defer cancel()
			began := time.Now()
			_, err := p.Run(ctx, name, 0)
			took := time.Since(began)
			if err != nil {
				t.Error(err)
			}
			if took < c.least || took > c.most {
				t.Errorf("took %v, want %v to %v", took, c.least, c.most)
			}
			if taken := p.count(&p.taken) > 0; taken != c.claims {
				t.Errorf("slot taken: %v", taken)
			}
			end, stop := context.WithTimeout(context.Background(), 5*time.Second)
			defer stop()
			if err := p.Close(end); err != nil {
				t.Error(err)
			}
		})
	}
}
