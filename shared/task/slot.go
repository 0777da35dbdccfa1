package task

import (
	"context"
	"errors"
	"strconv"
	"time"

	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// taskID is the name of a slot in Connector.Restarts.
func taskID(slot int) string { return strconv.Itoa(slot) }

// write commits a change together with the slot's document: a session that lost its slot cannot write anything (I2). The
// slot's bound of what it holds goes with it.
func (s *session) write(ctx context.Context, change partition.Change) error {
	next := s.slot
	s.count(&next)
	change.Slots = append(change.Slots, &next)
	bounded, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	if err := s.w.Store.Commit(bounded, s.name, change); err != nil {
		return err
	}
	s.slot, s.beat = next, s.w.Clock.Now()
	return nil
}

// count writes into the slot's document how many partitions it holds and the lowest checkpoint among them. Lowered at
// any time, raised only when every partition that names the slot is in held.
func (s *session) count(d *lease.Slot) {
	var low time.Time
	for _, h := range s.held {
		if c := h.through(); low.IsZero() || c.Before(low) {
			low = c
		}
	}
	d.Holds = len(s.held)
	if s.counted || d.Lowest.IsZero() || (!low.IsZero() && low.Before(d.Lowest)) {
		d.Lowest = low
	}
}

// renew extends the lease and mirrors the checkpoints of the partitions that moved (S5). It also re-establishes trust
// after a pause: the store refuses it when anybody wrote the slot in between, and then the session is lost.
func (s *session) renew(ctx context.Context) error {
	asked := s.w.Clock.Now()
	s.slot.Expiry = s.atMost(asked).Add(s.settings.Lease)
	var moved []*partition.Partition
	for _, h := range s.held {
		if h.mirrored.Offset != h.p.Position.Offset {
			moved = append(moved, h.p)
		}
	}
	first := moved[:min(len(moved), claimChunk)]
	if err := s.write(ctx, partition.Change{Partitions: first}); err != nil {
		return err
	}
	s.grant = lease.NewGrant(s.slot, asked, s.settings.Lease)
	s.renewed = asked
	for chunk := range chunks(moved[len(first):], claimChunk) {
		if err := s.write(ctx, partition.Change{Partitions: chunk}); err != nil {
			return err
		}
	}
	for _, p := range moved {
		s.held[p.ID()].mirrored = p.Position
	}
	return nil
}

// release gives everything back cleanly: the next holder needs no Kafka read. Only called when nothing is in flight.
func (s *session) release(ctx context.Context) error {
	if !s.open() {
		return nil
	}
	all := make([]*holding, 0, len(s.held))
	for _, h := range s.held {
		all = append(all, h)
	}
	if !s.counted {
		// What an earlier generation left was not looked at; leave it to the scheduler.
		s.slot.Free = true
		return s.write(ctx, partition.Change{})
	}
	if err := s.releaseSome(ctx, all); err != nil {
		return err
	}
	s.slot.Free = true
	return s.write(ctx, partition.Change{})
}

// releaseSome gives partitions back cleanly. One that may have been given back is held no longer: another slot would claim
// it without a fence while we went on delivering. So a release whose outcome is unknown breaks the session.
func (s *session) releaseSome(ctx context.Context, hs []*holding) error {
	for chunk := range chunks(hs, claimChunk) {
		docs := make([]*partition.Partition, len(chunk))
		for i, h := range chunk {
			h.rest()
			s.queue.forget(h)
			h.reset()
			d := *h.p
			d.Held, d.Clean, d.DueAt = false, true, s.atMost(s.w.Clock.Now())
			docs[i] = &d
			delete(s.held, d.ID())
		}
		if err := s.write(ctx, partition.Change{Partitions: docs}); err != nil {
			return errors.Join(errBroken, err)
		}
	}
	return nil
}

// fail writes the failure and gives everything back. It says why in the task's trace; a task that failed is not run again
// before its configuration changes or somebody restarts it.
func (s *session) fail(ctx context.Context, f *Failure) error {
	if !s.open() {
		if s.grant.Generation == 0 {
			return f
		}
		s.slot.State, s.slot.Trace, s.slot.Free = lease.Failed, trace(f.Cause), true
		return s.write(ctx, partition.Change{})
	}
	s.slot.State, s.slot.Trace = lease.Failed, trace(f.Cause)
	return s.release(ctx)
}

// refuse writes the failure of a slot that was not even taken: its configuration cannot be read.
func (s *session) refuse(ctx context.Context, v View, f *Failure) error {
	if v.Slot.Live() && !s.w.mine(v.Slot) {
		return errElsewhere
	}
	d := v.Slot
	s.conn = v.Connector
	s.stamp(&d)
	d.Generation++
	d.State, d.Trace, d.Free, d.Owner = lease.Failed, trace(f.Cause), true, s.w.Owner
	if err := s.w.Store.Commit(ctx, s.name, partition.Change{Slots: []*lease.Slot{&d}}); err != nil {
		return err
	}
	return errElsewhere
}

// giveBack frees a slot that was taken but whose producer could not be had, and says why.
func (s *session) giveBack(ctx context.Context, why error) error {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.w.Margin+time.Second)
	defer cancel()
	s.slot.Free, s.slot.Trace = true, trace(why)
	err := s.w.Store.Commit(end, s.name, partition.Change{Slots: []*lease.Slot{&s.slot}})
	s.drop(end)
	return err
}

// trouble is a failure that may go away by itself.
type trouble struct {
	since time.Time
	told  bool
}

// complain notes a transient failure: after a while it is shown in the task's trace, the task goes on trying. That the store
// fails cannot be written there.
func (s *session) complain(ctx context.Context, err error) {
	now := s.w.Clock.Now()
	if s.trouble == nil {
		s.trouble = &trouble{since: now}
	}
	s.log.Warn("trying again", "error", err)
	if s.open() && !s.trouble.told && !errors.Is(err, lease.ErrStore) && now.Sub(s.trouble.since) > complainAfter {
		s.slot.Trace = trace(err)
		s.trouble.told = s.write(ctx, partition.Change{}) == nil
	}
}

// complainAfter is how long a failure lasts before people are shown it.
const complainAfter = 5 * time.Second

// well forgets a trouble that is over.
func (s *session) well() {
	if s.trouble != nil && s.trouble.told {
		s.slot.Trace = ""
	}
	s.trouble = nil
}

// trace is an error as the status shows it: the cause first, then the chain, as people expect of Connect.
func trace(err error) string {
	text := err.Error()
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(cause) {
		if c := cause.Error(); c != text {
			text += "\nCaused by: " + c
		}
	}
	return text
}

// mine tells whether a live lease may be taken all the same: it is one of this worker's own that was dropped, or one that
// a dead process left behind. It is not asked for leases that this worker's sessions hold.
func (w *Worker) mine(d lease.Slot) bool {
	w.mu.Lock()
	dropped := w.dropped[d.LeaseID]
	w.mu.Unlock()
	return dropped || w.Exclusive && d.Owner == w.Owner || w.Gone != nil && w.Gone(d.Owner)
}

// forgetLease remembers that the lease of a dropped session is nobody's.
func (w *Worker) forgetLease(d lease.Slot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.dropped) > 1000 {
		clear(w.dropped)
	}
	if w.dropped == nil {
		w.dropped = make(map[string]bool)
	}
	w.dropped[d.LeaseID] = true
}
