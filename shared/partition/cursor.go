package partition

import (
	"time"

	"sluice.example/shared/offset"
)

// Cursor is where the reading of a partition stands within one holding. It starts as the checkpoint and moves with what
// queries return; the checkpoint follows when Kafka has what was read.
//
// Three marks are kept apart, because a clean end of a query says nothing about the partition's own end (LC-01): a query
// past the partition's end may return nothing, or be refused, and its children would never be seen.
type Cursor struct {
	// Through is closed: everything up to and including it was returned. Records at or before it are repeats.
	Through time.Time
	// Seen is the newest timestamp at which Spanner returned anything, or where it said that the partition begins: the last
	// place where it is known to exist.
	Seen time.Time
	// Start is where the next query starts, inclusive.
	Start time.Time
}

// CursorOf is the cursor that a holder starts with.
func CursorOf(p *Partition) Cursor {
	pos := p.Position
	c := Cursor{Through: p.Start.Add(-1), Seen: p.Start, Start: p.Start}
	if pos.Offset.IsZero() {
		return c
	}
	c.Start = pos.Offset
	switch {
	case !pos.LastSeen.IsZero():
		c.Seen = pos.LastSeen
	case !pos.Closed:
		c.Seen = pos.Offset // Debezium's is the time of a record
	}
	if pos.Closed {
		c.Through = pos.Offset
	} else {
		// A Debezium offset: its own timestamp may be delivered in part, so it is read again.
		c.Through = pos.Offset.Add(-1)
	}
	if !pos.Next.IsZero() {
		c.Start = pos.Next
	}
	return c
}

// Position is the checkpoint that the cursor stands for; from carries what does not move.
func (c Cursor) Position(p *Partition) offset.Position {
	return offset.Position{
		Offset: c.Through, Closed: true, LastSeen: c.Seen, Next: c.Start,
		State: offset.Running, Start: p.Start, Parents: p.Parents,
	}
}

// Repeated tells whether a record at ts was returned before: starts are inclusive, so the timestamp that a query starts
// at comes again.
func (c Cursor) Repeated(ts time.Time) bool { return !ts.After(c.Through) }

// Broke is the cursor after a query broke off, when everything through was closed: the next one starts there again.
func (c Cursor) Broke(through time.Time) Cursor {
	if through.After(c.Through) {
		c.Through = through
		c.Seen = later(c.Seen, through)
		c.Start = through
	}
	return c
}

// Ended is the cursor after a query up to end came to a clean end without children, having returned last as its newest
// timestamp (zero: nothing at all), heartbeats and repeats included. The end had passed, so everything up to it is
// closed. Where to ask next:
//
//  1. something new was seen: there again, inclusive, for that is the last place where the partition is known to exist;
//  2. only the known came: just after it, which finds a heartbeat, a change or the children;
//  3. nothing came: at the end, so that an idle partition is not scanned from ever further back. Should the partition
//     have ended in between, Spanner refuses that start, and Refused goes back.
func (c Cursor) Ended(end, last time.Time) Cursor {
	switch {
	case last.After(c.Seen):
		c.Seen, c.Start = last, last
	case !last.IsZero():
		c.Start = last.Add(1)
	default:
		c.Start = end
	}
	c.Through = later(c.Through, end)
	return c
}

// Early is the cursor after a query came to a clean end before its end had passed, having returned last as its newest
// timestamp. Nothing says that this timestamp is complete, so it is not closed; but the partition is known to exist there,
// and the next query starts there.
func (c Cursor) Early(last time.Time) Cursor {
	if last.After(c.Start) {
		c.Seen, c.Start = later(c.Seen, last), last
	}
	return c
}

// Refused is the cursor after Spanner refused the start as out of range; ok is false when there is nowhere to go back
// to, and the refusal stands.
func (c Cursor) Refused(start time.Time) (_ Cursor, ok bool) {
	back := c.Start
	if c.Seen.Before(c.Start) {
		back = c.Seen
	}
	if !back.Before(start) {
		return c, false
	}
	c.Start = back
	return c, true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
