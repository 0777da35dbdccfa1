package spannerfake

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// mostPartitions is how many a churned stream has at most.
const mostPartitions = 8

// Churn changes partitions of every stream of every database at intervals, splitting, merging and moving as a seed
// decides, until the server is closed or the returned function is called. It returns when the last change is made.
func (s *Server) Churn(every time.Duration, seed uint64) (stop func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	var once sync.Once
	stop = func() {
		once.Do(func() { close(done) })
		running.Wait()
	}
	random := rand.New(rand.NewPCG(seed, 0))
	running.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			for _, d := range s.all() {
				d.Shake(random)
			}
		}
	})
	s.mu.Lock()
	s.churning = append(s.churning, stop)
	s.mu.Unlock()
	return stop
}

// Shake makes one random change to the partitions of each stream: a split while there are few, a merge when there are
// many, now and then a move. It returns what it did, for a log.
func (d *Database) Shake(random *rand.Rand) []string {
	var did []string
	for _, name := range d.Streams() {
		var alive []string
		d.mu.Lock()
		if s := d.streams[name]; s != nil {
			for _, p := range s.alive { // by position, so that neighbours are side by side
				alive = append(alive, p.token)
			}
		}
		d.mu.Unlock()
		if len(alive) == 0 {
			continue
		}
		i := random.IntN(len(alive))
		what := random.IntN(10)
		switch {
		case what == 0:
			if _, _, err := d.Move(alive[i]); err == nil {
				did = append(did, "move "+alive[i])
			}
		case len(alive) > 1 && (len(alive) >= mostPartitions || what < 5):
			i = max(i, 1)
			if _, _, err := d.Merge(alive[i-1], alive[i]); err == nil {
				did = append(did, "merge "+alive[i-1]+" "+alive[i])
			}
		default:
			if _, _, _, err := d.Split(alive[i]); err == nil {
				did = append(did, "split "+alive[i])
			}
		}
	}
	return did
}

// Streams lists the database's change streams by name.
func (d *Database) Streams() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for name := range d.streams {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
