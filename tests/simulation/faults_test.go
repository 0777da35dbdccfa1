package simulation

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"sluice.example/shared/changestream"
	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
	"sluice.example/shared/task"
)

// process is what dies: every call of a worker to the outside goes through it. A dead process's calls neither reach
// anything nor return anything but errDead; a paused one's return late, or are made late.
type process struct {
	mu     sync.Mutex
	rnd    *rand.Rand
	dead   bool
	death  chan struct{}
	frozen time.Time // until when it is stopped
	storm  *storm
}

var errDead = errors.New("process is dead")

func newProcess(s *storm, seed uint64) *process {
	return &process{rnd: rand.New(rand.NewPCG(seed, 1)), death: make(chan struct{}), storm: s}
}

// step stands before and after each call: the process may die here, or stop whole for longer than its lease, as under
// SIGSTOP: every call that comes meanwhile waits as well. A delivery is where it hurts most, so it happens there more often.
func (p *process) step(ctx context.Context, delivery bool) error {
	p.mu.Lock()
	if p.storm.raging() && !p.dead {
		if p.rnd.IntN(1000) < p.storm.killPerMille {
			p.dead = true
			close(p.death)
		}
		odds := p.storm.pausePerMille
		if delivery {
			odds *= 20
		}
		if p.rnd.IntN(1000) < odds {
			p.frozen = time.Now().Add(p.storm.lease + time.Duration(p.rnd.Int64N(int64(2*p.storm.lease))))
		}
	}
	stop := time.Until(p.frozen)
	p.mu.Unlock()
	if stop > 0 { // a frozen process does not notice that its context ended
		select {
		case <-time.After(stop):
		case <-p.death:
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return errDead
	}
	return nil
}

// through makes a call that may not be made, or whose answer may not arrive.
func through[T any](ctx context.Context, p *process, call func() (T, error)) (T, error) {
	return passing(ctx, p, false, call)
}

func passing[T any](ctx context.Context, p *process, delivery bool, call func() (T, error)) (T, error) {
	var zero T
	if err := p.step(ctx, delivery); err != nil {
		return zero, err
	}
	v, err := call()
	if serr := p.step(ctx, delivery); serr != nil {
		return zero, serr
	}
	return v, err
}

// shakyStore is the store as a shaky process reaches it.
type shakyStore struct {
	task.Store
	p *process
}

func (s shakyStore) Open(ctx context.Context, name string, slot int) (task.View, error) {
	return through(ctx, s.p, func() (task.View, error) { return s.Store.Open(ctx, name, slot) })
}

func (s shakyStore) Slot(ctx context.Context, name string, slot int) (lease.Slot, error) {
	return through(ctx, s.p, func() (lease.Slot, error) { return s.Store.Slot(ctx, name, slot) })
}

func (s shakyStore) HeldBy(ctx context.Context, name string, slot int) ([]*partition.Partition, error) {
	return through(ctx, s.p, func() ([]*partition.Partition, error) { return s.Store.HeldBy(ctx, name, slot) })
}

func (s shakyStore) Partitions(ctx context.Context, name string, ids []partition.ID) ([]*partition.Partition, error) {
	return through(ctx, s.p, func() ([]*partition.Partition, error) { return s.Store.Partitions(ctx, name, ids) })
}

func (s shakyStore) Commit(ctx context.Context, name string, change partition.Change) error {
	_, err := through(ctx, s.p, func() (struct{}, error) { return struct{}{}, s.Store.Commit(ctx, name, change) })
	return err
}

// shakyKafka is Kafka as a shaky process reaches it; sabotage takes rules out, to show that they are needed.
type shakyKafka struct {
	task.Kafka
	p *process
}

func (k shakyKafka) Open(ctx context.Context, id string, cfg connector.Settings) (delivery.Sink, error) {
	if k.p.storm.sabotage == withoutFence {
		// An id of its own for each producer: nobody fences anybody, only leases stand between two owners.
		id += "-" + strconv.FormatInt(k.p.storm.unique.Add(1), 10)
	}
	return through(ctx, k.p, func() (delivery.Sink, error) {
		sink, err := k.Kafka.Open(ctx, id, cfg)
		if err != nil {
			return nil, err
		}
		k.p.storm.keep(sink)
		open := func() (delivery.Sink, error) {
			s, err := k.Kafka.Open(context.WithoutCancel(ctx), id, cfg)
			if err == nil {
				k.p.storm.keep(s)
			}
			return s, err
		}
		return &shakySink{Sink: sink, p: k.p, again: open}, nil
	})
}

func (k shakyKafka) Fence(ctx context.Context, id string, cfg connector.Settings) error {
	_, err := through(ctx, k.p, func() (struct{}, error) {
		if k.p.storm.sabotage == withoutFence {
			return struct{}{}, nil
		}
		return struct{}{}, k.Kafka.Fence(ctx, id, cfg)
	})
	return err
}

func (k shakyKafka) Tail(ctx context.Context, cfg connector.Settings, from map[string]delivery.Place) (map[string]task.Found, error) {
	return through(ctx, k.p, func() (map[string]task.Found, error) { return k.Kafka.Tail(ctx, cfg, from) })
}

// shakySink delivers from a shaky process.
type shakySink struct {
	delivery.Sink
	p     *process
	again func() (delivery.Sink, error)
}

func (s *shakySink) Deliver(ctx context.Context, b delivery.Batch) ([]delivery.Place, error) {
	return passing(ctx, s.p, true, func() ([]delivery.Place, error) {
		places, err := s.Sink.Deliver(ctx, b)
		if err != nil && s.p.storm.sabotage == producerAnew {
			if sink, aerr := s.again(); aerr == nil { // what rule 6 forbids: a new producer under the old claim
				s.Sink = sink
				return s.Sink.Deliver(ctx, b)
			}
		}
		return places, err
	})
}

// Close does nothing for a dead process: its transaction stays open until somebody fences it.
func (s *shakySink) Close(ctx context.Context) {
	s.p.mu.Lock()
	dead := s.p.dead
	s.p.mu.Unlock()
	if !dead {
		s.Sink.Close(ctx)
	}
}

// shakySource reads Spanner from a shaky process.
type shakySource struct {
	task.Source
	p *process
}

func (s shakySource) Open(ctx context.Context, cfg connector.Settings) (task.Stream, error) {
	return through(ctx, s.p, func() (task.Stream, error) {
		stream, err := s.Source.Open(ctx, cfg)
		if err != nil {
			return nil, err
		}
		return shakyStream{stream, s.p}, nil
	})
}

type shakyStream struct {
	task.Stream
	p *process
}

func (s shakyStream) Read(ctx context.Context, q changestream.Query) iter.Seq2[changestream.Record, error] {
	return func(yield func(changestream.Record, error) bool) {
		for rec, err := range s.Stream.Read(ctx, q) {
			if serr := s.p.step(ctx, false); serr != nil {
				yield(changestream.Record{}, serr)
				return
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}
