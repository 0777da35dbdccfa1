package spannerfake

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"
)

// partition is one partition of a change stream. All of it is guarded by the database's lock.
type partition struct {
	token     string
	low, high string    // positions: low <= p < high; high "" is the end of them all
	start     time.Time // its records have start <= timestamp
	end       time.Time // and timestamp < end; zero: it is alive
	parents   []string
	children  []*partition
	history   history
	wake      chan struct{} // closed when something is there to see; nil: nobody waits
}

// changed wakes who waits for the partition.
func (p *partition) changed() {
	if p.wake != nil {
		close(p.wake)
		p.wake = nil
	}
}

// waiting is closed at the next change.
func (p *partition) waiting() <-chan struct{} {
	if p.wake == nil {
		p.wake = make(chan struct{})
	}
	return p.wake
}

// over tells whether the partition ended at or before a time.
func (p *partition) over(at time.Time) bool { return !p.end.IsZero() && !p.end.After(at) }

// open makes the first partitions of a stream, which together cover every position. Keys as they are cannot be divided
// without knowing them, so that an ordered server's stream begins with one.
func (s *stream) open(at time.Time, n int) {
	if s.db.server.opts.Ordered {
		n = 1
	}
	for i := range n {
		p := &partition{token: s.db.server.token(), start: at}
		if i > 0 {
			p.low = between("", "", float64(i)/float64(n))
			s.alive[i-1].high = p.low
		}
		s.add(p)
	}
}

// between is the hashed position that has a fraction of those from low to high below it.
func between(low, high string, fraction float64) string {
	var l, width uint64
	if low != "" {
		l = binary.BigEndian.Uint64([]byte(low))
	}
	if high != "" {
		width = binary.BigEndian.Uint64([]byte(high))
	}
	if width -= l; width == 0 {
		width = math.MaxUint64 // all of them
	}
	return string(binary.BigEndian.AppendUint64(nil, l+uint64(float64(width)*fraction)))
}

// add makes a partition part of the stream, alive.
func (s *stream) add(p *partition) {
	s.byToken[p.token] = p
	s.ordered = append(s.ordered, p)
	at, _ := slices.BinarySearchFunc(s.alive, p.low, func(q *partition, low string) int { return strings.Compare(q.low, low) })
	s.alive = slices.Insert(s.alive, at, p)
}

// end ends partitions at a time and gives them their children.
func (s *stream) end(at time.Time, children []*partition, parents ...*partition) {
	for _, p := range parents {
		p.end, p.children = at, children
		s.alive = slices.DeleteFunc(s.alive, func(q *partition) bool { return q == p })
	}
	for _, c := range children {
		for _, p := range parents {
			c.parents = append(c.parents, p.token)
		}
		c.start = at
		s.add(c)
	}
	for _, p := range parents {
		p.changed()
	}
	// What ended long before anything that can be read is forgotten; its token is then unknown.
	old := at.Add(-2 * s.retention)
	s.ordered = slices.DeleteFunc(s.ordered, func(p *partition) bool {
		if !p.over(old) {
			return false
		}
		delete(s.byToken, p.token)
		return true
	})
}

// at finds the living partition of a position.
func (s *stream) at(position string) *partition {
	i, found := slices.BinarySearchFunc(s.alive, position, func(p *partition, pos string) int { return strings.Compare(p.low, pos) })
	if !found {
		i--
	}
	return s.alive[i]
}

// then lists the partitions that were alive at a time, which is what a query without a token returns.
func (s *stream) then(at time.Time) []*partition {
	var out []*partition
	for _, p := range s.ordered {
		if !p.start.After(at) && !p.over(at) {
			out = append(out, p)
		}
	}
	return out
}
