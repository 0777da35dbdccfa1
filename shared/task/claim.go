package task

import (
	"context"
	"errors"
	"fmt"

	"sluice.example/shared/delivery"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
)

// claimChunk bounds the documents of one commit.
const claimChunk = 200

// adopt makes what the session holds what the assignment says: what is no longer assigned is released, what is newly
// assigned and claimable is claimed.
func (s *session) adopt(ctx context.Context, a partition.Assignment) error {
	assigned := make(map[partition.ID]bool, len(a.Partitions))
	for _, id := range a.Partitions {
		assigned[id] = true
	}
	if !s.counted {
		if err := s.inherit(ctx, assigned); err != nil {
			return err
		}
	}
	var leave []*holding
	for id, h := range s.held {
		if !assigned[id] {
			leave = append(leave, h)
		}
	}
	if err := s.releaseSome(ctx, leave); err != nil {
		return err
	}
	var want []partition.ID
	for _, id := range a.Partitions {
		if s.held[id] == nil {
			want = append(want, id)
		}
	}
	s.slot.Assignment = a.Number
	if len(want) == 0 {
		return nil
	}
	docs, err := s.w.Store.Partitions(ctx, s.name, want)
	if err != nil {
		return err
	}
	var claimable []*partition.Partition
	for _, p := range docs {
		if !p.Held && p.State == partition.Ready {
			claimable = append(claimable, p)
		}
	}
	return s.claim(ctx, claimable)
}

// inherit accounts for partitions that an earlier generation of this slot left behind: those still assigned are claimed,
// the others set free, unclean. Only then may the slot's lower bound be raised (I4).
func (s *session) inherit(ctx context.Context, assigned map[partition.ID]bool) error {
	for range inheritTries {
		left, err := s.w.Store.HeldBy(ctx, s.name, s.n)
		if err != nil {
			return err
		}
		var mine, others []*partition.Partition
		for _, p := range left {
			switch {
			case s.held[p.ID()] != nil:
			case assigned[p.ID()] && p.State == partition.Ready:
				mine = append(mine, p)
			default:
				others = append(others, p)
			}
		}
		if len(mine)+len(others) == 0 {
			s.counted = true
			return nil
		}
		for chunk := range chunks(others, claimChunk) {
			for _, p := range chunk {
				p.Held, p.Clean, p.DueAt = false, false, s.atMost(s.w.Clock.Now())
			}
			if err := s.write(ctx, partition.Change{Partitions: chunk}); err != nil {
				return err
			}
		}
		// The scheduler may be taking the same partitions back; whoever writes first has its way, and we look again.
		if err := s.claim(ctx, mine); err != nil {
			return err
		}
	}
	return lease.ErrConflict
}

// inheritTries bounds the races with schedulers over what an earlier generation held.
const inheritTries = 5

// claim takes partitions that nobody holds (S1, S2). The predecessors that did not end cleanly are fenced before the
// claim: should this process die in between, the next claimer still finds the old name in the document. After it the
// offsets topic is read up to its end, for the cached checkpoint may be older than what the predecessor committed.
func (s *session) claim(ctx context.Context, docs []*partition.Partition) error {
	for chunk := range chunks(docs, claimChunk) {
		var unclean []*partition.Partition
		for _, p := range chunk {
			if !p.Clean {
				unclean = append(unclean, p)
			}
		}
		if err := s.fence(ctx, unclean); err != nil {
			return err
		}
		hs := make([]*holding, len(chunk))
		for i, p := range chunk {
			p.Held, p.Clean, p.Slot, p.Generation = true, false, s.n, s.slot.Generation
			hs[i] = newHolding(s, p)
			s.held[p.ID()] = hs[i]
		}
		if err := s.write(ctx, partition.Change{Partitions: chunk}); err != nil {
			for _, p := range chunk {
				delete(s.held, p.ID())
			}
			if errors.Is(err, lease.ErrConflict) {
				if lost, oerr := s.lost(ctx); oerr != nil || lost {
					return errors.Join(err, oerr)
				}
				continue // somebody else wrote one of the partitions; the next look sorts it out
			}
			return err
		}
		s.log.Debug("claimed", "partitions", len(chunk), "unclean", len(unclean))
		if f := s.w.Events.Claimed; f != nil {
			f(s.name, s.n, len(chunk))
		}
		if err := s.catchUp(ctx, unclean); err != nil {
			return err
		}
	}
	return nil
}

// fence takes the producer ids away from the slots that held the partitions last, unless a newer generation of the slot
// has done so by taking its own. Our own older generations were fenced when the sink was opened.
func (s *session) fence(ctx context.Context, unclean []*partition.Partition) error {
	newest := make(map[int]int64)
	for _, p := range unclean {
		if p.Slot != s.n && p.Generation > 0 {
			newest[p.Slot] = max(newest[p.Slot], p.Generation)
		}
	}
	for slot, generation := range newest {
		d, err := s.w.Store.Slot(ctx, s.name, slot)
		if err != nil {
			return err
		}
		if d.Inited > generation {
			continue
		}
		s.log.Info("fencing an unclean predecessor", "predecessor", slot, "its_generation", generation)
		if err := s.w.Kafka.Fence(ctx, transactionalID(s.settings, slot), s.settings); err != nil {
			return fmt.Errorf("fence task %d: %w", slot, err)
		}
	}
	return nil
}

// catchUp reads what the predecessors committed beyond the cached checkpoints. What it finds wins; a partition found
// finished is finished in the store now, children included. Failing to read is never the same as finding nothing (LC-09).
func (s *session) catchUp(ctx context.Context, unclean []*partition.Partition) error {
	if len(unclean) == 0 {
		return nil
	}
	from := make(map[string]delivery.Place, len(unclean))
	for _, p := range unclean {
		from[p.Token] = p.Place
	}
	found, err := s.w.Kafka.Tail(ctx, s.settings, from)
	if err != nil {
		return errors.Join(errBroken, fmt.Errorf("read the offsets topic: %w", err))
	}
	for _, p := range unclean {
		f, ok := found[p.Token]
		if !ok {
			continue
		}
		h := s.held[p.ID()]
		if f.Gone { // forgotten after its finish: it must not be read again
			f.Position = offset.Position{State: offset.Finished, Offset: p.Checkpoint(), Closed: true, Start: p.Start, Parents: p.Parents}
		}
		if f.Position.Start.IsZero() {
			f.Position.Start = p.Start
		}
		p.Position, p.Place = f.Position, f.Place
		h.reset()
		if f.Position.State == offset.Finished {
			if err := s.finish(ctx, h); err != nil {
				return err
			}
		}
	}
	return nil
}

// lost re-reads the slot after a conflict and tells whether it was the slot that was written by somebody else.
func (s *session) lost(ctx context.Context) (bool, error) {
	d, err := s.w.Store.Slot(ctx, s.name, s.n)
	if err != nil {
		return false, err
	}
	return !d.Version.Equal(s.slot.Version), nil
}

// chunks yields pieces of at most n.
func chunks[T any](list []T, n int) func(yield func([]T) bool) {
	return func(yield func([]T) bool) {
		for len(list) > 0 {
			k := min(n, len(list))
			if !yield(list[:k:k]) {
				return
			}
			list = list[k:]
		}
	}
}
