package task

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"sluice.example/shared/clock"
	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
)

// Worker runs slots, one invocation at a time for each, and keeps what is worth keeping between invocations. Its fields
// are set before the first Run and not changed. It is safe for concurrent use.
type Worker struct {
	Store  Store
	Kafka  Kafka
	Source Source
	Clock  clock.Clock
	Logger *slog.Logger
	Worker connector.Worker // the worker's own settings
	Events Events

	// Owner is the worker id shown in statuses, host:port by custom. Exclusive says that no other live process uses it
	// (it listens on that port), so that a lease under that id that is not one of ours was left by a dead predecessor and
	// need not be waited for. Should that be wrong, the fence keeps the data right and the two take turns.
	Owner     string
	Exclusive bool
	// Gone, when set, tells that the process with another worker id is known to be dead, so that its lease need not be
	// waited for either. nil: nobody is known to be.
	Gone func(owner string) bool

	// Slice is how long one invocation works, unless its context ends first; Margin is what is kept for ending it.
	Slice  time.Duration
	Margin time.Duration

	mu       sync.Mutex
	sessions map[key]*session
	busy     map[key]chan struct{}
	dropped  map[string]bool // lease ids of our own broken sessions
	broke    map[key]error   // why the last session of a slot broke, to be shown until a delivery succeeds
}

type key struct {
	connector string
	slot      int
}

// Outcome tells what an invocation found.
type Outcome struct {
	Held int // partitions held at the end
	// Busy: changes were delivered, so another slice at once makes sense.
	Busy bool
	// Kept: the session was kept; the caller should come back before the lease runs out, or call Close.
	Kept bool
}

// Run works on one slot until the slice's budget is spent or there is nothing to do: the connector is gone, paused,
// stopped or failed, or somebody else holds the slot. Those are not errors. An error is a failure of a service; calling
// again may help.
//
// A second call for a slot that this worker is already running makes it look at its documents now, and returns at once: a
// wake may come twice, and it may come because something was assigned.
func (w *Worker) Run(ctx context.Context, name string, slot int) (Outcome, error) {
	k := key{name, slot}
	w.mu.Lock()
	if w.busy[k] != nil {
		w.mu.Unlock()
		w.Nudge(name, slot)
		return Outcome{}, nil
	}
	if w.busy == nil {
		w.busy, w.sessions = make(map[key]chan struct{}), make(map[key]*session)
	}
	nudged := make(chan struct{}, 1)
	w.busy[k] = nudged
	s := w.sessions[k]
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.busy, k)
		w.mu.Unlock()
	}()

	now := w.Clock.Now()
	budget := clock.NewBudget(ctx, now, w.Slice, w.Margin)
	if budget.Left(now) <= 0 {
		return Outcome{}, nil // too late to do anything cleanly (FN-05)
	}
	if s == nil {
		s = &session{w: w, name: name, n: slot, log: w.Logger.With("connector", name, "task", slot)}
	}
	s.nudged = nudged
	out, err := s.invoke(ctx, budget)
	w.mu.Lock()
	w.noteBreak(k, err)
	if s.open() {
		w.sessions[k] = s
	} else {
		delete(w.sessions, k)
	}
	w.mu.Unlock()
	return out, err
}

// noteBreak keeps the reason for which a session broke; mu is held.
func (w *Worker) noteBreak(k key, err error) {
	if w.broke == nil {
		w.broke = make(map[key]error)
	}
	if errors.Is(err, errBroken) {
		w.broke[k] = err
	} else if err == nil {
		delete(w.broke, k)
	}
}

// Takes tells whether this worker would take the slot: nobody holds it, or only somebody who is known to be gone.
func (w *Worker) Takes(d lease.Slot) bool { return !d.Live() || w.mine(d) }

// Nudge makes an invocation that works on the slot look at its documents now. Without one it does nothing.
func (w *Worker) Nudge(name string, slot int) {
	w.mu.Lock()
	nudge := w.busy[key{name, slot}]
	w.mu.Unlock()
	select {
	case nudge <- struct{}{}:
	default: // nobody works on it, or it was nudged already
	}
}

// Close gives back every slot the worker keeps, cleanly as far as ctx allows. No Run may be under way.
func (w *Worker) Close(ctx context.Context) error {
	w.mu.Lock()
	sessions := w.sessions
	w.sessions = make(map[key]*session)
	w.mu.Unlock()
	var wg sync.WaitGroup
	errs := make(chan error, len(sessions))
	for _, s := range sessions {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := s.release(ctx); err != nil && !errors.Is(err, lease.ErrConflict) {
				errs <- err
			}
			s.drop(ctx)
		}()
	}
	wg.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// transactionalID is the slot's, named as Connect names a task's (KIP-618).
func transactionalID(st connector.Settings, slot int) string {
	return st.TransactionalBase + strconv.Itoa(slot)
}

// nonce is a fresh lease id.
func nonce() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Failure is a fault that stops the task until a person acts: its text goes to the task's trace.
type Failure struct{ Cause error }

func (f *Failure) Error() string { return fmt.Sprintf("task cannot go on: %v", f.Cause) }
func (f *Failure) Unwrap() error { return f.Cause }

// asFailure wraps what is not a failure yet.
func asFailure(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{err}
}

// errLost ends a session that somebody else has taken over.
var errLost = errors.New("slot lost to a newer owner")

// errBroken ends a session whose last delivery has an unknown outcome.
var errBroken = errors.New("delivery broke off; the slot is taken anew")
