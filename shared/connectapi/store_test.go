package connectapi_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// shelf is the contract of connectapi.Store in a few lines, with faults: what the API does with a store is tested here,
// and what the real one does in its own package.
type shelf struct {
	mu         sync.Mutex
	connectors map[string]connector.Connector
	plans      map[string]partition.Plan
	slots      map[string][]lease.Slot
	clock      time.Time
	writes     int

	cut      bool                                     // every call waits for its deadline
	fail     error                                    // every call fails with it
	onPut    func(c *connector.Connector) (err error) // before a write; may change the shelf through set
	loseNext bool                                     // the next write is made, and its answer is a conflict
}

func newShelf() *shelf {
	return &shelf{connectors: map[string]connector.Connector{}, plans: map[string]partition.Plan{}, slots: map[string][]lease.Slot{}, clock: time.Unix(1_800_000_000, 0).UTC()}
}

func (s *shelf) enter(ctx context.Context) error {
	s.mu.Lock()
	cut, fail := s.cut, s.fail
	s.mu.Unlock()
	if cut {
		<-ctx.Done()
		return fmt.Errorf("%w: %w", lease.ErrStore, ctx.Err())
	}
	return fail
}

func (s *shelf) Connectors(ctx context.Context) ([]connector.Connector, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.connectors), func(a, b connector.Connector) int { return strings.Compare(a.Name, b.Name) }), nil
}

func (s *shelf) Connector(ctx context.Context, name string) (connector.Connector, error) {
	if err := s.enter(ctx); err != nil {
		return connector.Connector{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connectors[name], nil
}

func (s *shelf) PutConnector(ctx context.Context, c *connector.Connector) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	hook := s.onPut
	s.mu.Unlock()
	if hook != nil {
		if err := hook(c); err != nil {
			return err
		}
	}
	return s.set(c)
}

func (s *shelf) set(c *connector.Connector) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.connectors[c.Name].Version.Equal(c.Version) {
		return fmt.Errorf("put %s: %w", c.Name, lease.ErrConflict)
	}
	s.clock = s.clock.Add(time.Microsecond)
	s.writes++
	stored := *c
	stored.Version = s.clock
	s.connectors[c.Name] = stored
	if s.loseNext {
		s.loseNext = false
		return fmt.Errorf("put %s: %w", c.Name, lease.ErrConflict)
	}
	c.Version = s.clock
	return nil
}

func (s *shelf) DeleteConnector(ctx context.Context, c *connector.Connector) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.connectors[c.Name].Version.Equal(c.Version) {
		return fmt.Errorf("delete %s: %w", c.Name, lease.ErrConflict)
	}
	delete(s.connectors, c.Name)
	return nil
}

func (s *shelf) Tasks(ctx context.Context, name string) (partition.Plan, []lease.Slot, error) {
	if err := s.enter(ctx); err != nil {
		return partition.Plan{}, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plans[name], slices.Clone(s.slots[name]), nil
}

// get is the stored connector, for tests to look at.
func (s *shelf) get(name string) connector.Connector {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connectors[name]
}

func (s *shelf) setCut(cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = cut
}

// run is what the scheduler and the tasks would have written: a plan of so many tasks, and their slots.
func (s *shelf) run(name string, tasks int, slots ...lease.Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans[name] = partition.Plan{Life: s.connectors[name].Life, Slots: tasks, Version: s.clock}
	for i := range slots {
		if slots[i].Life == "" {
			slots[i].Life = s.connectors[name].Life
		}
	}
	s.slots[name] = slots
}
