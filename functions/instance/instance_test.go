package instance

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"sluice.example/shared/clock"
	"sluice.example/shared/scheduler"
)

// slicer is an app whose slot runs as the real one does: until its budget ends or the context does.
type slicer struct {
	slice  time.Duration
	opened int
	ran    int
}

func (s *slicer) REST() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
}

func (s *slicer) Tick(ctx context.Context) error { return s.RunSlot(ctx, scheduler.Wake{}) }

func (s *slicer) RunSlot(ctx context.Context, _ scheduler.Wake) error {
	s.ran++
	budget := clock.NewBudget(ctx, time.Now(), s.slice, 500*time.Millisecond)
	timer := time.NewTimer(budget.Left(time.Now()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestDeadlines is FN-05 with a slice of 20 s, on virtual time.
func TestDeadlines(t *testing.T) {
	const none = -1 << 40
	for name, c := range map[string]struct {
		left     time.Duration
		runs     int
		min, max time.Duration
	}{
		"missing":     {left: none, runs: 1, min: 20 * time.Second, max: 20 * time.Second},
		"now":         {left: 0, runs: 0},
		"in the past": {left: -time.Hour, runs: 0},
		"very far":    {left: 900 * time.Second, runs: 1, min: 20 * time.Second, max: 20 * time.Second},
		"short":       {left: 4 * time.Second, runs: 1, min: time.Second, max: 4*time.Second - time.Millisecond},
		"too short":   {left: Least - time.Millisecond, runs: 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.left != none {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.left)
					defer cancel()
				}
				s := &slicer{slice: 20 * time.Second}
				lazy := New(func(context.Context) (App, error) { return s, nil })
				start := time.Now()
				err := Within(ctx, "worker", func(ctx context.Context) error { return lazy.RunSlot(ctx, scheduler.Wake{}) })
				took := time.Since(start)
				if err != nil || s.ran != c.runs || took < c.min || took > c.max {
					t.Errorf("ran %d times, took %v, %v; want %d times, %v to %v", s.ran, took, err, c.runs, c.min, c.max)
				}
			})
		})
	}
}

func TestCallerThatHangsUpDoesNotEndTheSlice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		hangUp := time.AfterFunc(5*time.Second, cancel)
		defer hangUp.Stop()
		s := &slicer{slice: 20 * time.Second}
		start := time.Now()
		err := Within(ctx, "worker", func(ctx context.Context) error { return s.RunSlot(ctx, scheduler.Wake{}) })
		if took := time.Since(start); err != nil || took != 20*time.Second {
			t.Errorf("took %v, %v; want the whole slice", took, err)
		}
	})
}

func TestAppIsOpenedOnceAndAgainAfterAnError(t *testing.T) {
	s, down := &slicer{}, true
	lazy := New(func(ctx context.Context) (App, error) {
		s.opened++
		if _, ok := ctx.Deadline(); ok {
			t.Error("the app would end with the invocation that opened it")
		}
		if down {
			return nil, errors.New("bootstrap.servers is not set")
		}
		return s, nil
	})
	ask := func() int {
		w := httptest.NewRecorder()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		lazy.REST().ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		if w.Code == http.StatusServiceUnavailable && w.Body.String() != `{"error_code":503,"message":"bootstrap.servers is not set"}`+"\n" {
			t.Errorf("body %q", w.Body)
		}
		return w.Code
	}
	if err := lazy.Tick(t.Context()); err == nil {
		t.Error("a tick without an app succeeded")
	}
	if got := ask(); got != http.StatusServiceUnavailable {
		t.Errorf("REST without an app answered %d", got)
	}
	down = false
	for range 3 {
		if got := ask(); got != http.StatusOK {
			t.Errorf("REST answered %d", got)
		}
	}
	if s.opened != 3 {
		t.Errorf("opened %d times, want 3: twice in vain, then once", s.opened)
	}
}

func TestWaitForTheAppEndsWithTheInvocation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		lazy := New(func(context.Context) (App, error) { <-release; return &slicer{}, nil })
		first := make(chan error)
		go func() { first <- lazy.Tick(t.Context()) }()
		synctest.Wait() // the first holds the turn
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := lazy.Tick(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("second invocation: %v, want its deadline", err)
		}
		close(release)
		if err := <-first; err != nil {
			t.Error(err)
		}
	})
}
