package task

import (
	"context"
	"sync"
	"time"

	"sluice.example/shared/delivery"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
)

// chunk is what became complete in one partition at once: the messages of one closed timestamp, or the mere passing of
// time. Its cursor is the checkpoint that covers it and everything before.
type chunk struct {
	messages []delivery.Message
	size     int
	newest   time.Time // commit timestamp of the messages
	cursor   partition.Cursor
	finished bool // the partition's last: its children are known, or the connector's end time has passed
	children []offset.Child
}

// queue stands between the readers of a slot and its deliveries. It bounds what waits in memory: a reader that has too
// much waiting blocks until a delivery has taken some.
type queue struct {
	mu      sync.Mutex
	chunks  map[*holding][]chunk
	order   []*holding // those with chunks, the one waiting longest first
	size    int
	limit   int
	space   chan struct{} // closed and replaced when something was taken
	ready   chan struct{} // holds one token while there is something to take
	failure *Failure      // the first of a reader
	failed  *holding
}

func newQueue(limit int) *queue {
	return &queue{chunks: make(map[*holding][]chunk), limit: limit, space: make(chan struct{}), ready: make(chan struct{}, 1)}
}

// put adds a chunk, waiting for room. A chunk larger than the limit is let in when nothing else waits.
func (q *queue) put(ctx context.Context, h *holding, c chunk) error {
	q.mu.Lock()
	for q.size > 0 && q.size+c.size > q.limit {
		space := q.space
		q.mu.Unlock()
		select {
		case <-space:
		case <-ctx.Done():
			return ctx.Err()
		}
		q.mu.Lock()
	}
	defer q.mu.Unlock()
	waiting := q.chunks[h]
	if len(waiting) == 0 {
		q.order = append(q.order, h)
	}
	if n := len(waiting); n > 0 && len(c.messages) == 0 && !c.finished && len(waiting[n-1].messages) == 0 {
		waiting[n-1] = c // only time passed, twice
	} else {
		waiting = append(waiting, c)
	}
	q.chunks[h] = waiting
	q.size += c.size
	q.signal()
	return nil
}

// fail notes that a reader met what a person must mend. What it put before is delivered first.
func (q *queue) fail(h *holding, f *Failure) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failure == nil {
		q.failure, q.failed = f, h
	}
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// portion is what one delivery covers: for each partition a run of its chunks.
type portion struct {
	runs    []run
	records int
	newest  time.Time
}

type run struct {
	h      *holding
	chunks []chunk
}

// last is the run's newest chunk; its cursor covers all of them.
func (r run) last() chunk { return r.chunks[len(r.chunks)-1] }

// take removes up to about limit bytes, whole chunks only, fairly over the partitions: all records of a timestamp share
// one delivery.
func (q *queue) take(limit int) portion {
	q.mu.Lock()
	defer q.mu.Unlock()
	var p portion
	size := 0
	for len(q.order) > 0 && (size < limit || len(p.runs) == 0) {
		h := q.order[0]
		waiting := q.chunks[h]
		n := 0
		for n < len(waiting) && (size < limit || n == 0) {
			size += waiting[n].size
			p.records += len(waiting[n].messages)
			if t := waiting[n].newest; t.After(p.newest) {
				p.newest = t
			}
			n++
		}
		p.runs = append(p.runs, run{h, waiting[:n:n]})
		q.order = q.order[1:]
		if n < len(waiting) {
			q.chunks[h] = waiting[n:]
			q.order = append(q.order, h)
			break
		}
		delete(q.chunks, h)
	}
	q.size -= size
	if len(q.order) > 0 {
		q.signal()
	}
	q.freed()
	return p
}

// freed wakes those who wait for room; mu is held.
func (q *queue) freed() {
	close(q.space)
	q.space = make(chan struct{})
}

// forget drops what waits of a partition that is no longer held, its failure included: whoever holds it next meets that.
func (q *queue) forget(h *holding) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range q.chunks[h] {
		q.size -= c.size
	}
	delete(q.chunks, h)
	for i, o := range q.order {
		if o == h {
			q.order = append(q.order[:i:i], q.order[i+1:]...)
			break
		}
	}
	if q.failed == h {
		q.failure, q.failed = nil, nil
	}
	q.freed()
}

// fault is the failure of a reader once nothing of that partition waits any more; nil before.
func (q *queue) fault() *Failure {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failure == nil || len(q.chunks[q.failed]) > 0 {
		return nil
	}
	return q.failure
}

// waiting tells whether anything waits.
func (q *queue) waiting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.order) > 0
}
