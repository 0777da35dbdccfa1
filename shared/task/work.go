package task

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sluice.example/shared/clock"
	"sluice.example/shared/delivery"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
)

const (
	pollEvery    = time.Second // how often the slot's documents are read,
	pollSoon     = 100 * time.Millisecond
	eagerFor     = time.Second     // and how long more often, after a partition finished
	pendingLimit = 8 << 20         // bytes of converted messages that may wait, for one slot
	batchLimit   = 4 << 20         // bytes of one delivery, about
	idleFlush    = time.Minute     // a checkpoint older than this is written even without data,
	restFlush    = 5 * time.Second // and at a slice's end one older than this
)

// work reads and delivers until the budget is spent. All readers have ended when it returns, and everything they put into
// the queue is delivered, unless the session is lost or broken.
func (s *session) work(ctx context.Context, budget clock.Budget) (err error) {
	reading, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		s.rest()
	}()
	left := time.NewTimer(budget.Left(s.w.Clock.Now()))
	defer left.Stop()
	poll := time.NewTimer(pollEvery)
	defer poll.Stop()
	for {
		s.startReaders(reading, budget.End)
		select {
		case <-s.queue.ready:
			busy := len(s.held)
			if err = s.deliver(ctx, batchLimit); len(s.held) < busy {
				poll.Reset(s.nextLook())
			}
		case <-poll.C:
			err = s.tend(ctx)
			poll.Reset(s.nextLook())
		case <-s.nudged:
			err = s.tend(ctx)
		case <-left.C:
			stop()
			s.rest()
			return s.close(ctx)
		case <-ctx.Done():
			stop()
			s.rest()
			return s.close(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// startReaders gives each partition its reader.
func (s *session) startReaders(ctx context.Context, end time.Time) {
	for _, h := range s.held {
		if h.done != nil || h.over {
			continue
		}
		rctx, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		h.stop, h.done = cancel, done
		go func() {
			defer close(done)
			h.read(rctx, end)
		}()
	}
}

// rest waits until no reader runs; their contexts have ended.
func (s *session) rest() {
	for _, h := range s.held {
		h.rest()
	}
}

// rest ends the partition's reader and waits for it.
func (h *holding) rest() {
	if h.done == nil {
		return
	}
	h.stop()
	<-h.done
	h.stop, h.done = nil, nil
}

// close ends a slice: what was read is delivered, checkpoints that only time moved are written.
func (s *session) close(ctx context.Context) error {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.w.Margin)
	defer cancel()
	for s.queue.waiting() {
		if err := s.deliver(end, batchLimit); err != nil {
			return err
		}
	}
	return s.flush(end, restFlush)
}

// nextLook is when to look at the documents again: soon after a partition finished, for its children are being assigned.
func (s *session) nextLook() time.Duration {
	if s.w.Clock.Now().Before(s.eager) {
		return pollSoon
	}
	return pollEvery
}

// tend is what a session does about once a second: look at its documents, renew in time, mirror its bound.
func (s *session) tend(ctx context.Context) error {
	now := s.w.Clock.Now()
	err := s.look(ctx)
	if err == nil && now.Sub(s.renewed) >= s.settings.Lease/3 {
		err = s.renew(ctx)
	}
	if err == nil && s.settings.LowWatermark && now.Sub(s.beat) >= pollEvery {
		err = s.mirror(ctx)
	}
	if err == nil {
		err = s.flush(ctx, idleFlush)
	}
	if err == nil {
		s.readTrouble(ctx)
	}
	return s.tended(ctx, err)
}

// tended is what an error of tend means: while the lease is good, reading and delivering go on without the store. But what
// broke the session or met somebody else's write ends it, though the store failed as well: what it holds and what the
// documents say may differ by then.
func (s *session) tended(ctx context.Context, err error) error {
	ends := errors.Is(err, errBroken) || errors.Is(err, lease.ErrConflict)
	if errors.Is(err, lease.ErrStore) && !ends && s.grant.Trusted(s.w.Clock.Now()) {
		s.complain(ctx, err)
		return nil
	}
	return err
}

// lookWithin and writeWithin bound calls to the store while readers run: a store that does not answer must not keep what is
// read from being delivered.
const (
	lookWithin  = 5 * time.Second
	writeWithin = 10 * time.Second
)

// look reads the documents and follows them.
func (s *session) look(ctx context.Context) error {
	asked := s.w.Clock.Now()
	bounded, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	view, err := s.w.Store.Open(bounded, s.name, s.n)
	if err != nil {
		return err
	}
	s.saw(view, asked)
	_, err = s.follow(ctx, view)
	return err
}

// mirror raises the slot's bound, so that the low watermark follows within about a second.
func (s *session) mirror(ctx context.Context) error {
	next := s.slot
	s.count(&next)
	if next.Lowest.Equal(s.slot.Lowest) {
		return nil
	}
	return s.write(ctx, partition.Change{})
}

// flush writes checkpoints that are older than age behind what is covered.
func (s *session) flush(ctx context.Context, age time.Duration) error {
	var b delivery.Batch
	var hs []*holding
	for _, h := range s.held {
		if h.idle().Offset.Sub(h.p.Checkpoint()) >= age {
			b.Offsets = append(b.Offsets, delivery.Entry{Key: offset.Key(s.name, h.p.Token), Value: h.idle().Marshal()})
			hs = append(hs, h)
		}
	}
	if len(hs) == 0 {
		return nil
	}
	if err := s.trust(ctx); err != nil {
		return err
	}
	places, err := s.send(ctx, b)
	if err != nil {
		return err
	}
	for i, h := range hs {
		h.p.Position, h.p.Place = h.idle(), places[i]
	}
	return nil
}

// deliver makes one portion of the queue visible, with the checkpoints that cover it, and acts on finished partitions.
func (s *session) deliver(ctx context.Context, limit int) error {
	if err := s.trust(ctx); err != nil {
		s.queue.signal() // nothing was taken: what waits is delivered when the lease is good again
		return err
	}
	p := s.queue.take(limit)
	err := s.hand(ctx, p)
	var large *delivery.TooLarge
	if errors.As(err, &large) {
		err = s.pieces(ctx, p, err)
	}
	if err != nil {
		return err
	}
	if f := s.queue.fault(); f != nil {
		return f
	}
	return nil
}

// pieces makes a portion visible that has a message too large for Kafka, chunk by chunk: what was read before that message
// and what other partitions have is delivered before the task fails. failure is what the whole met; nothing of it is visible.
func (s *session) pieces(ctx context.Context, p portion, failure error) error {
	for _, r := range p.runs {
		for _, c := range r.chunks {
			err := s.hand(ctx, portion{runs: []run{{r.h, []chunk{c}}}, records: len(c.messages), newest: c.newest})
			var large *delivery.TooLarge
			if errors.As(err, &large) {
				failure = err
				break // the partition's later chunks must not come before this one
			}
			if err != nil {
				return err
			}
		}
	}
	return failure
}

// hand makes a portion visible, see deliver.
func (s *session) hand(ctx context.Context, p portion) error {
	var b delivery.Batch
	var moved []run
	for _, r := range p.runs {
		last := r.last()
		n := len(b.Messages)
		for _, c := range r.chunks {
			b.Messages = append(b.Messages, c.messages...)
		}
		if len(b.Messages) == n && !last.finished {
			r.h.pass(last.cursor) // only time passed
			continue
		}
		b.Offsets = append(b.Offsets, delivery.Entry{Key: offset.Key(s.name, r.h.p.Token), Value: r.position().Marshal()})
		moved = append(moved, r)
	}
	if len(moved) > 0 {
		began := s.w.Clock.Now()
		places, err := s.send(ctx, b)
		if err != nil {
			return err
		}
		s.busy = s.busy || p.records > 0
		if f := s.w.Events.Delivered; f != nil {
			f(s.name, s.n, p.records, s.w.Clock.Now().Sub(began), p.newest)
		}
		for i, r := range moved {
			r.h.p.Position, r.h.p.Place = r.position(), places[i]
			r.h.pass(r.last().cursor)
		}
		for _, r := range moved {
			if r.last().finished {
				if err := s.finish(ctx, r.h); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// position is the checkpoint that a run ends at.
func (r run) position() offset.Position {
	pos := r.last().cursor.Position(r.h.p)
	if r.last().finished {
		pos.State, pos.Children = offset.Finished, r.last().children
	}
	return pos
}

// trust makes sure that the lease is trusted (I3). One that is not any more is renewed, which fails when anybody wrote the
// slot in between.
func (s *session) trust(ctx context.Context) error {
	if s.grant.Trusted(s.w.Clock.Now()) {
		return nil
	}
	return s.renew(ctx)
}

// send is one delivery. After an error nothing is known but what the offsets topic says, and the session ends (S6).
func (s *session) send(ctx context.Context, b delivery.Batch) ([]delivery.Place, error) {
	places, err := s.sink.Deliver(ctx, b)
	var large *delivery.TooLarge
	switch {
	case err == nil:
		s.well()
		return places, nil
	case errors.Is(err, delivery.ErrFenced):
		return nil, err
	case errors.As(err, &large):
		return nil, &Failure{err}
	}
	return nil, errors.Join(errBroken, fmt.Errorf("deliver: %w", err))
}

// finish writes the end of a partition and the birth of its children as one commit (I5). Kafka already has it. A child
// that another parent of a merge has written is left as it is.
func (s *session) finish(ctx context.Context, h *holding) error {
	h.rest()
	s.queue.forget(h)
	delete(s.held, h.p.ID())
	due := s.atMost(s.w.Clock.Now())
	for range finishTries {
		doc := *h.p
		doc.State, doc.Held, doc.Clean, doc.DueAt = partition.Finished, false, true, due
		change := partition.Change{Partitions: []*partition.Partition{&doc}}
		known, err := s.known(ctx, doc.Position.Children)
		if err != nil {
			return errors.Join(errBroken, err)
		}
		for _, c := range doc.Position.Children {
			if !known[c.Token] {
				change.Partitions = append(change.Partitions, partition.Born(c, doc.Token, due))
			}
		}
		err = s.write(ctx, change)
		if err == nil {
			s.eager = s.w.Clock.Now().Add(eagerFor)
			s.log.Info("partition finished", "partition", doc.ID(), "children", len(doc.Position.Children))
			if f := s.w.Events.Finished; f != nil {
				f(s.name, s.n, doc.Token, len(doc.Position.Children))
			}
			return nil
		}
		if !errors.Is(err, lease.ErrConflict) {
			return errors.Join(errBroken, err)
		}
		if lost, lerr := s.lost(ctx); lerr != nil || lost {
			return errors.Join(err, lerr)
		}
	}
	return errors.Join(errBroken, errors.New("finish of a partition met too many conflicts"))
}

// finishTries bounds the races with the other parents of a merge.
const finishTries = 8

// known tells which of the children have a document.
func (s *session) known(ctx context.Context, children []offset.Child) (map[string]bool, error) {
	known := make(map[string]bool, len(children))
	if len(children) == 0 {
		return known, nil
	}
	ids := make([]partition.ID, len(children))
	for i, c := range children {
		ids[i] = partition.IDOf(c.Token)
	}
	docs, err := s.w.Store.Partitions(ctx, s.name, ids)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		known[d.Token] = true
	}
	return known, nil
}

// hiccup notes a failure that a reader is retrying; calm that it is over.
func (s *session) hiccup(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readErr = err
}

func (s *session) calm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readErr = nil
}

// readTrouble shows people what readers are retrying; it is never an error of the session.
func (s *session) readTrouble(ctx context.Context) {
	s.mu.Lock()
	err := s.readErr
	s.mu.Unlock()
	if err != nil {
		s.complain(ctx, err)
	} else {
		s.well()
	}
}
