package task

import (
	"context"
	"errors"
	"sync"
	"time"

	"sluice.example/shared/changestream"
	"sluice.example/shared/delivery"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
)

// holding is one partition held by a session. Its reader, a goroutine of the invocation, owns cursor, window and family;
// the session's goroutine owns the rest and touches the reader's part only while no reader runs.
type holding struct {
	s *session
	p *partition.Partition // the document; Position and Place are what Kafka has

	mirrored offset.Position // what the store has

	mu      sync.Mutex
	covered time.Time        // every change up to it is delivered, durable checkpoint or not
	passed  partition.Cursor // the newest cursor that deliveries have reached

	cursor partition.Cursor
	window partition.Window[group]
	family partition.Family
	beatAt time.Time // when the last heartbeat message was made
	rang   bool      // a live query that may not be believed has something to tell: ask again up to now
	bell   bool      // the running query is such a live one
	sure   time.Time // everything up to it was returned by queries that may be believed
	over   bool      // the last chunk is in the queue: there is nothing more to read

	stop context.CancelFunc // of the running reader; nil: none runs
	done chan struct{}
}

// group is the messages of one data change record.
type group struct {
	messages []delivery.Message
	size     int
}

func newHolding(s *session, p *partition.Partition) *holding {
	h := &holding{s: s, p: p}
	h.reset()
	return h
}

// reset puts the reading back to the checkpoint.
func (h *holding) reset() {
	h.cursor = partition.CursorOf(h.p)
	h.window.Drop()
	h.family = partition.Family{}
	h.rang, h.over = false, false
	h.sure = h.cursor.Through
	h.mirrored = h.p.Position
	h.pass(h.cursor)
}

// pass notes that deliveries have reached the cursor.
func (h *holding) pass(c partition.Cursor) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.passed = c
	if c.Through.After(h.covered) {
		h.covered = c.Through
	}
}

// idle is the checkpoint that time alone may have moved ahead of the durable one.
func (h *holding) idle() offset.Position {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.passed.Position(h.p)
}

// through is the partition's part in the low watermark.
func (h *holding) through() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.covered
}

// read runs queries until its context ends, the partition is finished, or a person is needed.
func (h *holding) read(ctx context.Context, end time.Time) {
	pause, back := pauseFirst, time.Duration(0)
	for ctx.Err() == nil {
		now := h.s.w.Clock.Now()
		if !now.Before(end) {
			return
		}
		err := h.query(ctx, now, end)
		var out *changestream.OutOfRange
		switch {
		case err == nil:
			pause = pauseFirst
			if h.s.settings.SliceMode == "poll" {
				sleep(ctx, pollPause) // such a query ends at once
			}
			continue
		case errors.Is(err, errFinished) || errors.Is(err, errSlice) || ctx.Err() != nil:
			return
		case errors.As(err, &out):
			var ok bool
			if h.cursor, ok = h.cursor.Refused(out.Start); ok {
				// Going back usually finds the children at once. Where it does not, it must not become a loop.
				sleep(ctx, back)
				back = min(2*back+pauseFirst, pauseMost)
				continue
			}
			h.s.queue.fail(h, asFailure(err))
			return
		case !passing(err):
			h.s.queue.fail(h, asFailure(err))
			return
		}
		h.s.log.Warn("reading a partition again", "partition", changestream.Short(h.p.Token), "error", err, "after", pause)
		h.s.hiccup(err)
		sleep(ctx, pause)
		pause = min(2*pause, pauseMost)
	}
}

// sleep pauses a reader, not beyond its context.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Between failed queries.
const (
	pauseFirst = 100 * time.Millisecond
	pauseMost  = 5 * time.Second
	pollPause  = 500 * time.Millisecond // between queries that did not fail, where all of them are polls
)

var (
	errFinished = errors.New("partition finished")
	errSlice    = errors.New("slice is over") // the live query has come to its end, and a further one would return at once
)

// query runs one query and moves the cursor. See partition.Cursor for what its end means.
func (h *holding) query(ctx context.Context, now, sliceEnd time.Time) error {
	// In Spanner's time, as the store tells it: a worker whose clock is wrong must neither ask for the future nor stop short.
	q, live := h.plan(h.s.atLeast(now), h.s.atLeast(sliceEnd))
	if limit := h.s.settings.EndTime; !limit.IsZero() && h.cursor.Start.After(limit) {
		return h.finish(ctx, nil)
	}
	if f := h.s.w.Events.Query; f != nil {
		f(h.s.name, h.s.n, h.p.Token, q.Start, q.End)
	}
	h.window.Drop()
	h.family = partition.Family{}
	h.rang, h.bell = false, live && !h.s.stream.Exact()
	var last time.Time
	for rec, err := range h.s.stream.Read(ctx, q) {
		if err != nil {
			return err
		}
		if h.bell && rec.Heartbeat == nil && !(rec.Data != nil && h.known(rec.Time())) {
			// This query only rings the bell: what it returns ahead of time may have holes. A query whose end has passed
			// reads on from where the last of its kind ended.
			h.rang = true
			sleep(ctx, settling)
			return nil
		}
		if t := rec.Time(); t.After(last) {
			last = t
		}
		if err := h.take(ctx, rec); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	h.s.calm()
	early := h.s.atMost(h.s.w.Clock.Now()).Before(q.End)
	if err := h.ended(ctx, q.End, last, early); err != nil {
		return err
	}
	if !live {
		h.sure = later(h.sure, q.End)
	}
	if live && !early {
		return errSlice
	}
	return nil
}

// known tells whether a record at t was returned before. Where heartbeats of live queries cannot be believed, what they
// closed does not count: a change that such a query skipped is found by the next one whose end has passed.
func (h *holding) known(t time.Time) bool {
	if h.s.stream.Exact() {
		return h.cursor.Repeated(t)
	}
	return !t.After(h.sure)
}

// plan chooses the next query: bounded by now when much is to be caught up or only such a query can be believed (poll),
// else open until the slice's end (tail). An idle partition costs one query a slice.
func (h *holding) plan(now, sliceEnd time.Time) (q changestream.Query, live bool) {
	st := h.s.settings
	behind := now.Sub(h.cursor.Start)
	poll := st.SliceMode == "poll" || h.p.Token == changestream.RootToken || h.rang
	if st.SliceMode != "tail" && !h.s.stream.Exact() {
		poll = poll || behind > staleAfter
	}
	q = changestream.Query{Token: h.p.Token, Start: h.cursor.Start, Heartbeat: min(st.Heartbeat, tailHeartbeat)}
	if poll {
		q.End = now
		if !h.s.stream.Exact() {
			// An emulator may give a commit its timestamp a moment before a query can see it.
			q.End = now.Add(-settling)
			if from := later(h.sure, h.p.Start); from.Before(q.Start) {
				q.Start = from
			}
		}
	} else {
		q.End, live = sliceEnd, true
		if !h.s.stream.Exact() {
			q.Heartbeat = min(st.Heartbeat, bellHeartbeat) // it closes no burst, and an emulator pays dearly for each
		}
	}
	if !st.EndTime.IsZero() && st.EndTime.Before(q.End) {
		q.End = st.EndTime
		live = live && q.End.After(now)
	}
	if q.End.Before(q.Start) {
		q.End = q.Start
	}
	return q, live
}

const (
	// staleAfter is how old a cursor may be for a query that cannot be believed to start from it.
	staleAfter = 3 * time.Second
	// bellHeartbeat moves an idle partition on where live queries only ring the bell.
	bellHeartbeat = time.Second
	// settling is how long an emulator gets to show what it has committed.
	settling = 20 * time.Millisecond
	// tailHeartbeat closes the last change of a burst in a live query; the messages to the heartbeat topic keep to
	// heartbeat.interval.ms.
	tailHeartbeat = 100 * time.Millisecond
)

// take handles one record.
func (h *holding) take(ctx context.Context, rec changestream.Record) error {
	switch {
	case rec.Data != nil:
		t := rec.Data.CommitTimestamp
		if h.known(t) {
			return nil
		}
		g, err := h.convert(ctx, rec.Data)
		if err != nil {
			return err
		}
		c, ok, err := h.window.Add(t, g)
		if err != nil || !ok {
			return err
		}
		return h.close(ctx, c, h.cursor.Broke(c.Through))
	case rec.Heartbeat != nil:
		c := h.window.Close(rec.Heartbeat.Timestamp)
		return h.close(ctx, c, h.cursor.Broke(c.Through))
	case rec.Children != nil:
		h.family.Add(h.p.Token, rec.Children)
	}
	return nil
}

// close puts what became complete into the queue. Only then does the cursor move: a slice may end while the queue is full,
// and what did not get in has to be read again.
func (h *holding) close(ctx context.Context, c partition.Closed[group], next partition.Cursor) error {
	out := chunk{cursor: next}
	for _, g := range c.Items {
		out.messages = append(out.messages, g.messages...)
		out.size += g.size
	}
	if len(out.messages) > 0 {
		out.newest = c.Through
	}
	if beat, ok, err := h.heartbeat(ctx); err != nil {
		return err
	} else if ok {
		out.messages = append(out.messages, beat)
		out.size += beat.Size()
	}
	if err := h.s.queue.put(ctx, h, out); err != nil {
		return err
	}
	h.cursor = next
	if !h.bell {
		h.sure = later(h.sure, c.Through)
	}
	return nil
}

// ended acts on the clean end of a query (9.3); early: its end had not come yet.
func (h *holding) ended(ctx context.Context, end, last time.Time, early bool) error {
	limit := h.s.settings.EndTime
	switch {
	case !h.family.Empty():
		return h.finish(ctx, h.family.List(limit))
	case h.p.Token == changestream.RootToken:
		// The root has nothing but children; an answer without them cannot be the end of it (I5).
		return errors.Join(changestream.ErrTransient, errors.New("initial query of the change stream returned no partitions"))
	case !limit.IsZero() && !end.Before(limit) && !early:
		return h.finish(ctx, nil)
	case early && last.IsZero():
		return errors.Join(changestream.ErrTransient, errors.New("query of the change stream ended before its end time"))
	case early:
		// More may share the newest timestamp: a query from it whose end has passed closes it.
		h.cursor, h.rang = h.cursor.Early(last), true
		h.window.Drop()
		return nil
	case !last.IsZero():
		// Beyond the last that came the partition may have ended, and what its children hold is not covered (LC-01, I4).
		end = last
	}
	c := h.window.Close(end)
	return h.close(ctx, c, h.cursor.Ended(end, last))
}

// finish puts the partition's last chunk into the queue.
func (h *holding) finish(ctx context.Context, children []offset.Child) error {
	through := h.window.Close(h.cursor.Through)
	if len(children) > 0 {
		first := children[0].Start
		for _, c := range children {
			if c.Start.Before(first) {
				first = c.Start
			}
		}
		through.Through = later(through.Through, first.Add(-1))
	}
	out := chunk{cursor: h.cursor.Broke(through.Through), finished: true, children: children}
	for _, g := range through.Items {
		out.messages = append(out.messages, g.messages...)
		out.size += g.size
	}
	if len(out.messages) > 0 {
		out.newest = through.Through
	}
	if err := h.s.queue.put(ctx, h, out); err != nil {
		return err
	}
	h.over = true
	return errFinished
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
