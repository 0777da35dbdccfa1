package task

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"sluice.example/shared/changestream"
	"sluice.example/shared/clock"
	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// session is one generation of one slot in one process. Everything but queue is touched by the invocation's own
// goroutine only; readers talk to it through queue.
type session struct {
	w    *Worker
	name string
	n    int
	log  *slog.Logger

	conn     connector.Connector
	settings connector.Settings
	slot     lease.Slot  // our document as last written
	grant    lease.Grant // zero: no slot held
	sink     delivery.Sink
	stream   Stream
	pipe     *pipeline
	held     map[partition.ID]*holding
	counted  bool // every partition that names this slot is in held: Lowest may be raised

	store   atomic.Pointer[storeTime]
	renewed time.Time // last write of the slot with a new expiry
	beat    time.Time // last write of the slot at all
	eager   time.Time // until when the documents are read often
	trouble *trouble
	queue   *queue
	nudged  chan struct{} // somebody asks to look at the documents now
	busy    bool          // this invocation delivered something

	mu      sync.Mutex
	readErr error // the last failure a reader met and is retrying
}

// open tells whether the session holds anything worth keeping.
func (s *session) open() bool { return s.sink != nil }

// invoke is one invocation, see Worker.Run.
func (s *session) invoke(ctx context.Context, budget clock.Budget) (Outcome, error) {
	s.busy = false
	ready, err := s.begin(ctx)
	if err == nil && ready {
		err = s.work(ctx, budget)
	}
	return s.settle(ctx, err)
}

// begin reads the documents and makes sure that the slot is ours; go is false when there is nothing to do.
func (s *session) begin(ctx context.Context) (bool, error) {
	asked := s.w.Clock.Now()
	view, err := s.w.Store.Open(ctx, s.name, s.n)
	if err != nil {
		return false, err
	}
	s.saw(view, asked)
	if s.open() {
		return s.follow(ctx, view)
	}
	if !wanted(view) || len(view.Assignment.Partitions) == 0 && view.Slot.Holds == 0 {
		return false, nil // an idle slot costs nothing
	}
	return true, s.take(ctx, view)
}

// wanted tells whether the slot of the view should run at all.
func wanted(v View) bool {
	c := v.Connector
	if c.Name == "" || c.Target != connector.Started || v.Slot.Number >= v.Plan.Slots {
		return false
	}
	return !(v.Slot.State == lease.Failed && v.Slot.Life == c.Life && v.Slot.Epoch >= c.EpochOf(taskID(v.Slot.Number)))
}

// storeTime is the store's time at a read that was asked for and answered at these times of our clock. What this worker's
// own clock says is never compared with anybody else's time (I3, FS-06).
type storeTime struct{ at, asked, answered time.Time }

// saw notes the store's time of a read that was asked for at asked.
func (s *session) saw(v View, asked time.Time) {
	s.store.Store(&storeTime{at: v.Slot.ReadAt, asked: asked, answered: s.w.Clock.Now()})
}

// atLeast is a time that the store's clock has reached when ours says now; atMost one that it has not passed.
func (s *session) atLeast(now time.Time) time.Time {
	t := s.store.Load()
	return t.at.Add(now.Sub(t.answered))
}

func (s *session) atMost(now time.Time) time.Time {
	t := s.store.Load()
	return t.at.Add(now.Sub(t.asked))
}

// take claims the slot and opens what it needs (S0): the commit, then the producer id at once, before anything is
// claimed or read. The stream is opened meanwhile; it needs no lease.
func (s *session) take(ctx context.Context, v View) error {
	settings, err := connector.Parse(v.Connector.Config, s.w.Worker)
	if err != nil {
		return s.refuse(ctx, v, &Failure{err})
	}
	if v.Plan.Source != "" && v.Plan.Source != settings.Source() {
		// Their tokens mean nothing to this change stream. The scheduler says so as the connector's trouble.
		s.log.Debug("the partitions belong to another change stream", "theirs", v.Plan.Source)
		return errForeign
	}
	if v.Slot.Live() && !s.w.mine(v.Slot) {
		s.log.Debug("slot is held", "owner", v.Slot.Owner, "until", v.Slot.Expiry)
		return errElsewhere
	}
	now := s.w.Clock.Now()
	taken := v.Slot.Take(s.w.Owner, nonce(), settings.Lease)
	s.conn, s.settings = v.Connector, settings
	s.stamp(&taken)
	if err := s.w.Store.Commit(ctx, s.name, partition.Change{Slots: []*lease.Slot{&taken}}); err != nil {
		s.w.forgetLease(taken) // should it have been applied all the same, the next try need not wait for its end
		return err
	}
	s.slot, s.grant = taken, lease.NewGrant(taken, s.store.Load().asked, settings.Lease)
	s.renewed, s.beat = now, now
	s.held, s.counted = make(map[partition.ID]*holding), false
	s.queue = newQueue(pendingLimit)
	s.log = s.w.Logger.With("connector", s.name, "task", s.n, "generation", taken.Generation)

	opened := make(chan error, 1)
	go func() { opened <- s.openStream(ctx) }()
	sink, err := s.w.Kafka.Open(ctx, transactionalID(settings, s.n), settings)
	streamErr := <-opened
	if err != nil {
		return errors.Join(err, s.giveBack(ctx, err))
	}
	s.sink = sink
	if streamErr != nil {
		var failure *Failure
		if errors.As(streamErr, &failure) {
			return streamErr
		}
		return errors.Join(streamErr, s.giveBack(ctx, streamErr))
	}
	// A late loser of the slot fails at its next commit, which carries Inited; until then it has claimed nothing.
	s.slot.Inited = taken.Generation
	if f := s.w.Events.Taken; f != nil {
		f(s.name, s.n, taken.Generation)
	}
	s.log.Info("took the slot")
	s.pipe.low.Store(watermark(v.Plan))
	return s.adopt(ctx, v.Assignment)
}

// openStream opens the change stream and reads the schema.
func (s *session) openStream(ctx context.Context) error {
	stream, err := s.w.Source.Open(ctx, s.settings)
	if err != nil {
		return streamFault(err)
	}
	s.stream = stream
	if s.pipe, err = newPipeline(ctx, s.settings, s.w.Worker, taskID(s.n), s.slot.LeaseID, s.w.Clock.Now, stream); err != nil {
		return streamFault(err)
	}
	return nil
}

// streamFault makes a failure of what cannot go away by itself.
func streamFault(err error) error {
	if passing(err) {
		return err
	}
	return &Failure{err}
}

// passing tells of errors that may go away by themselves. The end of somebody's time is one, also when our own context has
// not noticed yet: the deadline travels with a query, and the server may be the first to see that it has passed.
func passing(err error) bool {
	return changestream.Transient(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// stamp writes into the slot's document which connector its state belongs to, and that it runs.
func (s *session) stamp(d *lease.Slot) {
	d.Life, d.Epoch = s.conn.Life, s.conn.EpochOf(taskID(s.n))
	d.State, d.Trace = lease.Running, ""
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if err := s.w.broke[key{s.name, s.n}]; err != nil {
		d.Trace = trace(err)
		s.trouble = &trouble{since: s.w.Clock.Now(), told: true}
	}
}

// follow acts on a view read while the slot is ours: it is lost when somebody else wrote it; a new configuration, or no
// wish to run, gives it back.
func (s *session) follow(ctx context.Context, v View) (bool, error) {
	switch {
	case !v.Slot.Version.Equal(s.slot.Version):
		return false, errLost
	case v.Connector.Life != s.conn.Life, v.Connector.EpochOf(taskID(s.n)) != s.conn.EpochOf(taskID(s.n)), !wanted(v):
		return false, errReload
	}
	s.pipe.low.Store(watermark(v.Plan))
	return true, s.adopt(ctx, v.Assignment)
}

// errReload ends a session whose configuration or target state has changed.
var errReload = errors.New("connector changed")

// errElsewhere is the normal answer to a slot that somebody else holds.
var errElsewhere = errors.New("slot is held elsewhere")

// errForeign is the normal answer to a configuration that names another change stream than the stored partitions belong to.
var errForeign = errors.New("partitions belong to another change stream")

// settle ends an invocation: what err means for the session, for the slot's document and for the caller.
func (s *session) settle(ctx context.Context, err error) (Outcome, error) {
	var failure *Failure
	var conflict = errors.Is(err, lease.ErrConflict) || errors.Is(err, errLost) || errors.Is(err, delivery.ErrFenced)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.w.Margin+time.Second)
	defer cancel()
	switch {
	case err == nil && !s.open(), errors.Is(err, errElsewhere), errors.Is(err, errForeign):
		return Outcome{}, nil
	case err == nil && len(s.held) == 0 && !s.busy:
		return Outcome{}, s.leave(end, s.release(end))
	case err == nil:
		return Outcome{Held: len(s.held), Kept: true, Busy: s.busy}, nil
	case conflict:
		s.log.Info("lost the slot", "because", err)
		s.w.forgetLease(s.slot) // a commit whose answer was lost may have made us a stranger to ourselves
		if f := s.w.Events.Lost; f != nil {
			f(s.name, s.n)
		}
		s.drop(end)
		return Outcome{}, nil
	case errors.Is(err, errReload):
		return Outcome{}, s.leave(end, s.release(end))
	case errors.As(err, &failure):
		s.log.Error("task failed", "error", failure.Cause)
		return Outcome{}, s.leave(end, s.fail(end, failure))
	case errors.Is(err, errBroken):
		s.w.forgetLease(s.slot)
		s.drop(end)
		return Outcome{}, err
	case ctx.Err() != nil && s.open():
		return Outcome{Held: len(s.held), Kept: true}, nil // stopped from outside; the session is whole
	}
	s.complain(end, err)
	return Outcome{Held: len(s.held), Kept: s.open()}, err
}

// leave drops a session that was given back; err is what became of that. Where it is not known to have been, the lease must
// not be waited for.
func (s *session) leave(ctx context.Context, err error) error {
	if err != nil {
		s.w.forgetLease(s.slot)
	}
	s.drop(ctx)
	return err
}

// drop forgets everything without writing to the store.
func (s *session) drop(ctx context.Context) {
	if s.sink != nil {
		s.sink.Close(ctx)
	}
	if s.stream != nil {
		s.stream.Close()
	}
	s.sink, s.stream, s.pipe, s.held, s.grant = nil, nil, nil, nil, lease.Grant{}
}
