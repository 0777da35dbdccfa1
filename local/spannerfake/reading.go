package spannerfake

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// reading is a partition query as it runs. It belongs to one call.
type reading struct {
	q      *Query
	d      *Database
	s      *stream
	p      *partition
	number int64     // of the next record of the history
	last   time.Time // what the next heartbeat is counted from
	beat   time.Time // the newest heartbeat
	said   bool      // something was returned
	put    func(rows []*structpb.Value, r resume) error
}

// rowsAtOnce is how many change records go into one message at most.
const rowsAtOnce = 200

// run returns the partition's records from the query's start to its end, in order, each once, and then:
//
//  1. the partition ended within the query: its children, and a clean end;
//  2. the query's end has passed: a heartbeat at that end when nothing else was returned, and a clean end;
//  3. the caller went away, or what is put fails: that error.
//
// Until then it waits for commits and sends a heartbeat whenever there was nothing for the query's interval. The lock is
// held only while looking. That nothing was found and that the floor is raised happen under one hold of it, which makes
// both heartbeats and ends exact.
func (r *reading) run(ctx context.Context) error {
	for {
		more, err := r.look(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// look returns what there is, or waits until there may be more. It tells whether there may be more.
func (r *reading) look(ctx context.Context) (more bool, err error) {
	r.d.mu.Lock()
	now := r.d.server.Now()
	end := r.q.End
	if end.IsZero() {
		end = time.Unix(1<<40, 0)
	}
	if r.number < r.p.history.gone {
		earliest := r.s.earliest(now)
		r.d.mu.Unlock()
		return false, tooOld(earliest, r.q.Start) // a slow reader was overtaken by retention
	}
	if found := r.p.history.from(r.number, end, rowsAtOnce); len(found) > 0 {
		r.number += int64(len(found))
		r.d.mu.Unlock()
		return true, r.records(found, now)
	}
	switch {
	case r.s.dropped:
		r.d.mu.Unlock()
		return false, status.Errorf(codes.NotFound, "Change Stream not found: %s", r.s.name)
	case !r.p.end.IsZero() && !r.p.end.After(end):
		row := childrenRow(r.p.end, 0, r.p.children)
		r.d.mu.Unlock()
		return false, r.put([]*structpb.Value{row}, r.mark())
	case !end.After(now):
		r.d.settle(end)
		r.d.mu.Unlock()
		if r.said {
			return false, nil
		}
		return false, r.heartbeat(end)
	}
	next := r.last.Add(r.q.Heartbeat)
	if !next.After(now) {
		r.d.settle(now)
		r.d.mu.Unlock()
		return true, r.heartbeat(now)
	}
	changed := r.p.waiting()
	r.d.mu.Unlock()
	return true, pause(ctx, changed, earlier(next, end).Sub(now))
}

// pause waits for a signal, at most so long. A clock that is not the system's may not be there yet when it ends; the
// caller looks again.
func pause(ctx context.Context, signal <-chan struct{}, most time.Duration) error {
	timer := time.NewTimer(max(most, 100*time.Microsecond))
	defer timer.Stop()
	select {
	case <-signal:
	case <-timer.C:
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	return nil
}

func (r *reading) records(found []*change, now time.Time) error {
	rows := make([]*structpb.Value, len(found))
	for i, c := range found {
		rows[i] = dataRow(c)
	}
	r.last, r.said = now, true
	return r.put(rows, r.mark())
}

func (r *reading) heartbeat(at time.Time) error {
	r.last, r.beat, r.said = at, at, true
	return r.put([]*structpb.Value{heartbeatRow(at)}, r.mark())
}

// roots answers the query without a token: the partitions at its start, one row each as the emulator gives them.
func (r *reading) roots(ctx context.Context) error {
	for {
		now := r.d.server.Now()
		if !r.q.Start.After(now) {
			break
		}
		if err := pause(ctx, nil, r.q.Start.Sub(now)); err != nil {
			return err
		}
	}
	r.d.mu.Lock()
	r.d.settle(r.q.Start) // or a split could still come before it
	var rows []*structpb.Value
	for i, p := range r.s.then(r.q.Start) {
		rows = append(rows, childrenRow(r.q.Start, i, []*partition{{token: p.token}}))
	}
	r.d.mu.Unlock()
	return r.put(rows, resume{})
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
