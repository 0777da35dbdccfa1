package task

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sluice.example/shared/changestream"
	"sluice.example/shared/clock"
	"sluice.example/shared/delivery"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
)

var noon = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

// full is a root partition whose slot's queue has no room left.
func full(t *testing.T) *holding {
	t.Helper()
	s := &session{w: &Worker{Clock: clock.System}, queue: newQueue(10)}
	h := newHolding(s, partition.Root(noon, noon))
	if err := s.queue.put(t.Context(), newHolding(s, &partition.Partition{Token: "other"}), chunk{size: 10}); err != nil {
		t.Fatal(err)
	}
	return h
}

// A slice may end while a reader waits for room. The session is kept, so the cursor must not stand behind what was never
// put into the queue (I1).
func TestChunkThatFoundNoRoomIsReadAgain(t *testing.T) {
	t.Parallel()
	h := full(t)
	before := h.cursor
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	at := noon.Add(time.Second)
	c := partition.Closed[group]{Items: []group{{messages: []delivery.Message{{Topic: "t"}}, size: 5}}, Through: at}
	if err := h.close(ended, c, h.cursor.Broke(at)); !errors.Is(err, context.Canceled) {
		t.Fatalf("close: %v", err)
	}
	if h.cursor != before || h.cursor.Repeated(at) {
		t.Errorf("the cursor moved from %v to %v, and the change is lost", before, h.cursor)
	}
	h.s.queue.take(100)
	if err := h.close(ended, c, h.cursor.Broke(at)); err != nil || !h.cursor.Repeated(at) {
		t.Errorf("with room: %v, cursor %v", err, h.cursor)
	}
}

// Between the last chunk of a partition and its delivery a slice may end: its reader must not start again, it would repeat
// what waits.
func TestFinishedPartitionIsNotReadAgain(t *testing.T) {
	t.Parallel()
	h := full(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.finish(ended, nil); !errors.Is(err, errFinished) || !h.over {
		t.Fatalf("finish: %v, over %v", err, h.over)
	}
	h.s.held = map[partition.ID]*holding{h.p.ID(): h}
	h.s.startReaders(t.Context(), noon)
	if h.done != nil {
		t.Error("a reader runs")
	}
	if h.reset(); h.over {
		t.Error("after going back to the checkpoint it is read no more")
	}
}

// The server may see the deadline of a query before our own context does.
func TestEndOfTimeIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, err := range []error{context.DeadlineExceeded, context.Canceled, errors.Join(changestream.ErrTransient, errors.New("x"))} {
		if !passing(err) {
			t.Errorf("%v fails the task", err)
		}
	}
	if passing(&changestream.Undecodable{Field: "f"}) {
		t.Error("an undecodable row passes")
	}
}

func TestForgettingMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		q := newQueue(10)
		a, b := new(holding), new(holding)
		if err := q.put(ctx, a, chunk{size: 10}); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- q.put(ctx, b, chunk{size: 10}) }()
		synctest.Wait()
		q.forget(a)
		if err := <-done; err != nil {
			t.Errorf("the reader of another partition waits for ever: %v", err)
		}
	})
}

func TestFaultOfAPartitionThatWasGivenAwayIsNotOurs(t *testing.T) {
	t.Parallel()
	q := newQueue(10)
	h := new(holding)
	q.fail(h, &Failure{errors.New("x")})
	q.forget(h)
	if f := q.fault(); f != nil {
		t.Error(f)
	}
}

// The children of one partition need not begin at one time; the earliest bounds what the parent covers (I4).
func TestFinishCoversUpToTheEarliestChild(t *testing.T) {
	t.Parallel()
	s := &session{w: &Worker{Clock: clock.System}, queue: newQueue(10)}
	h := newHolding(s, &partition.Partition{Token: "P", Start: noon})
	early := noon.Add(time.Second)
	if err := h.finish(t.Context(), []offset.Child{{Token: "A", Start: early.Add(time.Second)}, {Token: "B", Start: early}}); !errors.Is(err, errFinished) {
		t.Fatal(err)
	}
	if got := s.queue.take(100).runs[0].last().cursor.Through; !got.Before(early) {
		t.Errorf("covered through %v, a child starts at %v", got, early)
	}
}
