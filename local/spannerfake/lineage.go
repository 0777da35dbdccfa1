package spannerfake

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Partition is one partition as a test sees it.
type Partition struct {
	Token    string
	Start    time.Time
	End      time.Time // zero: alive
	Parents  []string
	Children []string
	Records  int // still readable
}

// Partitions lists the partitions of a stream, oldest first; nil when there is no such stream.
func (d *Database) Partitions(stream string) []Partition {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.streams[stream]
	if s == nil {
		return nil
	}
	var out []Partition
	for _, p := range s.ordered {
		q := Partition{Token: p.token, Start: p.start, End: p.end, Parents: slices.Clone(p.parents), Records: len(p.history.records)}
		for _, c := range p.children {
			q.Children = append(q.Children, c.token)
		}
		out = append(out, q)
	}
	return out
}

// PartitionOf is the token of the living partition that a row's next change goes to.
func (d *Database) PartitionOf(stream, table string, key ...any) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.streams[stream]
	if s == nil {
		return "", fmt.Errorf("find partition: no change stream %s", stream)
	}
	at, err := d.positionOf(table, key)
	if err != nil {
		return "", err
	}
	return s.at(at).token, nil
}

// Split ends a partition in the middle of its range. Its two children begin at the returned time.
func (d *Database) Split(token string) (left, right string, at time.Time, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, p, err := d.living(token)
	if err != nil {
		return "", "", at, err
	}
	middle := between(p.low, p.high, 0.5)
	if d.server.opts.Ordered {
		if middle, err = d.median(p); err != nil {
			return "", "", at, err
		}
	}
	return d.split(s, p, middle)
}

// SplitAt ends a partition at a key: it and those after it go to the right child. When positions are hashes, those
// after it are as good as any.
func (d *Database) SplitAt(token, table string, key ...any) (left, right string, at time.Time, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, p, err := d.living(token)
	if err != nil {
		return "", "", at, err
	}
	position, err := d.positionOf(table, key)
	if err != nil {
		return "", "", at, err
	}
	return d.split(s, p, position)
}

func (d *Database) split(s *stream, p *partition, position string) (left, right string, at time.Time, err error) {
	if position <= p.low || p.high != "" && position >= p.high {
		return "", "", at, fmt.Errorf("split partition %s: the key is not within it", p.token)
	}
	l := &partition{token: d.server.token(), low: p.low, high: position}
	r := &partition{token: d.server.token(), low: position, high: p.high}
	at = d.next()
	s.end(at, []*partition{l, r}, p)
	return l.token, r.token, at, nil
}

// Merge ends two neighbours. Their one child begins at the returned time and is reported by both.
func (d *Database) Merge(tokenA, tokenB string) (child string, at time.Time, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, a, err := d.living(tokenA)
	if err != nil {
		return "", at, err
	}
	other, b, err := d.living(tokenB)
	if err != nil {
		return "", at, err
	}
	low, high := a, b
	if low.low > high.low {
		low, high = high, low
	}
	if s != other || low.high != high.low || a == b {
		return "", at, fmt.Errorf("merge partitions %s and %s: they are not neighbours", tokenA, tokenB)
	}
	c := &partition{token: d.server.token(), low: low.low, high: high.high}
	at = d.next()
	s.end(at, []*partition{c}, a, b)
	return c.token, at, nil
}

// Move ends a partition; one child takes all of it, as when Spanner moves data between servers.
func (d *Database) Move(token string) (child string, at time.Time, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, p, err := d.living(token)
	if err != nil {
		return "", at, err
	}
	c := &partition{token: d.server.token(), low: p.low, high: p.high}
	at = d.next()
	s.end(at, []*partition{c}, p)
	return c.token, at, nil
}

// living finds a partition that has not ended.
func (d *Database) living(token string) (*stream, *partition, error) {
	for _, s := range d.streams {
		if p := s.byToken[token]; p != nil {
			if !p.end.IsZero() {
				return nil, nil, fmt.Errorf("partition %s ended at %s", token, stamp(p.end))
			}
			return s, p, nil
		}
	}
	return nil, nil, fmt.Errorf("no partition %s", token)
}

// median is the position of the middle row of a partition's range.
func (d *Database) median(p *partition) (string, error) {
	var all []string
	for _, t := range d.tables {
		if t.parent != nil {
			continue
		}
		for _, r := range t.rows.byKey {
			if at := d.position(t, r); at > p.low && (p.high == "" || at < p.high) {
				all = append(all, at)
			}
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("split partition %s: no row lies in it, so its middle is unknown", p.token)
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}

// token is the name of a new partition: as long and made of such characters as production's.
func (s *Server) token() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	random := rand.New(rand.NewPCG(s.opts.Seed, s.named.Add(1)))
	b := []byte("__8B")
	for range 114 {
		b = append(b, letters[random.IntN(len(letters))])
	}
	b[len(b)-1] = 'A' // the marks at the end are two
	return string(append(b, '_', '_'))
}
