package cases

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"sluice.example/shared/changestream"
	"sluice.example/shared/clock"
	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
	"sluice.example/shared/spannerdb"
	"sluice.example/shared/tableschema"
	"sluice.example/shared/task"
)

// process is a worker process: everything it does to the outside goes through its gate, and is noted.
type process struct {
	*task.Worker
	w    *world
	stop context.CancelFunc
	done chan struct{}
	ctx  context.Context

	// What a case breaks; nil: nothing. Set before the first Run.
	onDeliver func(ctx context.Context, b delivery.Batch) error
	onTail    func(ctx context.Context) error
	onCommit  func(c partition.Change, commit func(partition.Change) error) error

	mu        sync.Mutex
	frozen    chan struct{} // closed when it goes on; nil: it runs
	dead      bool
	last      bool // the loop begins no further slice
	queries   []changestream.Query
	refusals  int
	taken     int
	claimed   int
	lost      int
	delivered int
	outcome   task.Outcome
	errs      []error
}

var errDead = errors.New("process is dead")

// start makes a process. Nothing runs yet.
func (w *world) start(owner string, slice, skew time.Duration) *process {
	store, k := w.newStore(), w.newKafka()
	p := &process{w: w}
	p.Worker = &task.Worker{
		Store: gatedStore{store, p}, Kafka: gatedKafka{k, p}, Source: gatedSource{p}, Clock: clock.Skewed{Clock: clock.System, By: skew},
		Logger: w.log.With("worker", owner), Worker: w.worker(), Owner: owner, Slice: slice, Margin: time.Second,
		Events: task.Events{
			Taken:   func(string, int, int64) { p.note(func() { p.taken++ }) },
			Claimed: func(_ string, _, n int) { p.note(func() { p.claimed += n }) },
			Lost:    func(string, int) { p.note(func() { p.lost++ }) },
		},
	}
	p.ctx, p.stop = context.WithCancel(context.Background())
	w.t.Cleanup(func() {
		p.stop()
		p.thaw()
		if p.done != nil {
			<-p.done
		}
		end, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		p.Close(end)
		store.Close()
		k.Close()
	})
	return p
}

// run is one slice of the only task.
func (p *process) run() (task.Outcome, error) {
	out, err := p.Run(p.ctx, name, 0)
	p.note(func() {
		p.outcome = out
		if err != nil && p.ctx.Err() == nil {
			p.errs = append(p.errs, err)
		}
	})
	return out, err
}

// loop runs slices back to back.
func (p *process) loop() *process {
	p.done = make(chan struct{})
	go func() {
		defer close(p.done)
		for p.ctx.Err() == nil && !p.lastOne() {
			if out, err := p.run(); err != nil || !out.Kept {
				pause(p.ctx, 30*time.Millisecond)
			}
		}
	}()
	return p
}

// end stops the loop and gives everything back cleanly.
func (p *process) end() {
	p.w.t.Helper()
	p.stop()
	<-p.done
	end, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := p.Close(end); err != nil {
		p.w.t.Errorf("close: %v", err)
	}
}

// kill is SIGKILL: from now on nothing of the process reaches anything.
func (p *process) kill() {
	p.note(func() { p.dead = true })
	p.stop()
	p.thaw()
}

// freeze is SIGSTOP, thaw SIGCONT.
func (p *process) freeze() {
	p.note(func() {
		if p.frozen == nil {
			p.frozen = make(chan struct{})
		}
	})
}

func (p *process) thaw() {
	p.note(func() {
		if p.frozen != nil {
			close(p.frozen)
			p.frozen = nil
		}
	})
}

// gate stands before and after every call. A frozen process does not notice that a context ended.
func (p *process) gate() error {
	p.mu.Lock()
	frozen := p.frozen
	p.mu.Unlock()
	if frozen != nil {
		<-frozen
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return errDead
	}
	return nil
}

func (p *process) note(what func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what()
}

func (p *process) lastOne() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// count reads a number that is noted.
func (p *process) count(n *int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return *n
}

// asked lists the queries of a token so far.
func (p *process) asked(token string) []changestream.Query {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []changestream.Query
	for _, q := range p.queries {
		if q.Token == token {
			list = append(list, q)
		}
	}
	return list
}

func (p *process) failures() []error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]error(nil), p.errs...)
}

func gated[T any](p *process, call func() (T, error)) (T, error) {
	var zero T
	if err := p.gate(); err != nil {
		return zero, err
	}
	v, err := call()
	if gerr := p.gate(); gerr != nil {
		return zero, gerr
	}
	return v, err
}

type gatedStore struct {
	task.Store
	p *process
}

func (s gatedStore) Open(ctx context.Context, name string, slot int) (task.View, error) {
	return gated(s.p, func() (task.View, error) { return s.Store.Open(ctx, name, slot) })
}

func (s gatedStore) Slot(ctx context.Context, name string, slot int) (lease.Slot, error) {
	return gated(s.p, func() (lease.Slot, error) { return s.Store.Slot(ctx, name, slot) })
}

func (s gatedStore) HeldBy(ctx context.Context, name string, slot int) ([]*partition.Partition, error) {
	return gated(s.p, func() ([]*partition.Partition, error) { return s.Store.HeldBy(ctx, name, slot) })
}

func (s gatedStore) Partitions(ctx context.Context, name string, ids []partition.ID) ([]*partition.Partition, error) {
	return gated(s.p, func() ([]*partition.Partition, error) { return s.Store.Partitions(ctx, name, ids) })
}

func (s gatedStore) Commit(ctx context.Context, name string, change partition.Change) error {
	_, err := gated(s.p, func() (struct{}, error) {
		if s.p.onCommit != nil {
			return struct{}{}, s.p.onCommit(change, func(c partition.Change) error { return s.Store.Commit(context.WithoutCancel(ctx), name, c) })
		}
		return struct{}{}, s.Store.Commit(ctx, name, change)
	})
	return err
}

type gatedKafka struct {
	task.Kafka
	p *process
}

func (k gatedKafka) Open(ctx context.Context, id string, cfg connector.Settings) (delivery.Sink, error) {
	return gated(k.p, func() (delivery.Sink, error) {
		sink, err := k.Kafka.Open(ctx, id, cfg)
		if err != nil {
			return nil, err
		}
		k.p.w.t.Cleanup(func() { sink.Close(context.Background()) })
		return gatedSink{sink, k.p}, nil
	})
}

func (k gatedKafka) Fence(ctx context.Context, id string, cfg connector.Settings) error {
	_, err := gated(k.p, func() (struct{}, error) { return struct{}{}, k.Kafka.Fence(ctx, id, cfg) })
	return err
}

func (k gatedKafka) Tail(ctx context.Context, cfg connector.Settings, from map[string]delivery.Place) (map[string]task.Found, error) {
	return gated(k.p, func() (map[string]task.Found, error) {
		if k.p.onTail != nil {
			if err := k.p.onTail(ctx); err != nil {
				return nil, err
			}
		}
		return k.Kafka.Tail(ctx, cfg, from)
	})
}

type gatedSink struct {
	delivery.Sink
	p *process
}

func (s gatedSink) Deliver(ctx context.Context, b delivery.Batch) ([]delivery.Place, error) {
	if s.p.onDeliver != nil {
		if err := s.p.onDeliver(ctx, b); err != nil {
			return nil, err
		}
	}
	places, err := gated(s.p, func() ([]delivery.Place, error) { return s.Sink.Deliver(ctx, b) })
	if err == nil {
		s.p.note(func() { s.p.delivered += len(b.Messages) })
	}
	return places, err
}

// Close does nothing for a dead process: what it left open stays until somebody fences it.
func (s gatedSink) Close(ctx context.Context) {
	if s.p.gate() == nil {
		s.Sink.Close(ctx)
	}
}

type gatedSource struct{ p *process }

func (s gatedSource) Open(ctx context.Context, cfg connector.Settings) (task.Stream, error) {
	return gated(s.p, func() (task.Stream, error) {
		conn, err := s.p.w.spanner.Conn()
		if err != nil {
			return nil, err
		}
		d, err := spannerdb.Open(ctx, cfg, spannerdb.Conn(conn), spannerdb.Exact(true))
		if err != nil {
			return nil, err
		}
		return &gatedStream{Database: d, reader: d.Reader(cfg.ChangeStream), name: cfg.ChangeStream, p: s.p}, nil
	})
}

type gatedStream struct {
	*spannerdb.Database
	reader changestream.Reader
	name   string
	p      *process
}

func (s *gatedStream) Exact() bool { return s.reader.Exact() }

func (s *gatedStream) Tables(ctx context.Context) ([]tableschema.Table, error) {
	return s.Database.Tables(ctx, s.name)
}

func (s *gatedStream) Read(ctx context.Context, q changestream.Query) iter.Seq2[changestream.Record, error] {
	s.p.note(func() { s.p.queries = append(s.p.queries, q) })
	return func(yield func(changestream.Record, error) bool) {
		for rec, err := range s.reader.Read(ctx, q) {
			if gerr := s.p.gate(); gerr != nil {
				yield(changestream.Record{}, gerr)
				return
			}
			var out *changestream.OutOfRange
			if errors.As(err, &out) {
				s.p.note(func() { s.p.refusals++ })
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}
