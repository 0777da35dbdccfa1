package partition

import (
	"fmt"
	"time"
)

// Window holds back what a query returned at its newest timestamp until that timestamp is closed: other transactions
// may share it, and Spanner says that a timestamp is complete only by returning something later. A checkpoint may only
// ever stand at a closed timestamp. The zero Window is empty. Not safe for concurrent use.
type Window[T any] struct {
	open time.Time
	held []T
}

// Closed is a run of items that became complete at once, all of one timestamp, or none when only time has passed.
type Closed[T any] struct {
	Items   []T
	Through time.Time // everything up to and including it was returned
}

// Add takes an item at ts. When ts is later than what is held, the held items are complete and returned with ok true.
// It is an error for time to go back: Spanner promises commit order within a query.
func (w *Window[T]) Add(ts time.Time, item T) (c Closed[T], ok bool, err error) {
	switch {
	case ts.Before(w.open):
		return c, false, fmt.Errorf("change stream went back in time: %s after %s", ts.UTC().Format(time.RFC3339Nano), w.open.UTC().Format(time.RFC3339Nano))
	case ts.Equal(w.open) && len(w.held) > 0:
		w.held = append(w.held, item)
		return c, false, nil
	}
	c, ok = Closed[T]{Items: w.held, Through: w.open}, len(w.held) > 0
	w.open, w.held = ts, append([]T(nil), item)
	return c, ok, nil
}

// Close says that everything up to and including through was returned: a heartbeat at through, the clean end of a query
// whose end has passed, or (at one nanosecond before it) the start of the partition's children.
func (w *Window[T]) Close(through time.Time) Closed[T] {
	c := Closed[T]{Items: w.held, Through: through}
	if through.Before(w.open) {
		c.Through = w.open // the held items are complete all the same: nothing else can come
	}
	w.held = nil
	if through.After(w.open) {
		w.open = through
	}
	return c
}

// Drop forgets what is held: the query broke off, and what was not closed will be read again.
func (w *Window[T]) Drop() { w.held, w.open = nil, time.Time{} }
