package scheduler

import (
	"context"
	"errors"
	"fmt"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
)

// begin plans a connector for the first time, or again after the store was lost. The offsets topic decides which: where
// it knows the connector, the partitions are rebuilt from it and the start time does not count; otherwise the root is
// made, together with the plan, so that no late scheduler can make another.
func (s *Scheduler) begin(ctx context.Context, snap Snapshot, st connector.Settings) error {
	found, err := s.Offsets.Offsets(ctx, st)
	if err != nil {
		return fmt.Errorf("read the offsets topic: %w", err)
	}
	plan := &partition.Plan{Life: snap.Connector.Life, Source: source(st), Slots: st.TasksMax, LastBeat: snap.ReadAt, Version: snap.Plan.Version}
	if len(found) == 0 {
		start := st.StartTime
		if start.IsZero() {
			// Now is when REST accepted the wish to run, by the store's clock: a change committed while the first planning
			// was still to come is the user's as well (I8).
			start = snap.Connector.Version
		}
		root := partition.Root(start, snap.ReadAt)
		s.Logger.Info("planning a new connector", "connector", st.Name, "start", start)
		err := s.Store.Commit(ctx, st.Name, partition.Change{Plan: plan, Partitions: []*partition.Partition{root}})
		if !errors.Is(err, lease.ErrConflict) {
			return err
		}
		return s.withoutRoot(ctx, plan, st, err)
	}
	s.Logger.Info("rebuilding a connector from the offsets topic", "connector", st.Name, "partitions", len(found))
	// A worker of before the loss may still be alive: its producer is taken away before the positions are read for good.
	for n := range st.TasksMax {
		if err := s.Offsets.Fence(ctx, transactionalID(st, n), st); err != nil {
			return fmt.Errorf("fence task %d: %w", n, err)
		}
	}
	if found, err = s.Offsets.Offsets(ctx, st); err != nil {
		return fmt.Errorf("read the offsets topic: %w", err)
	}
	if err := s.write(ctx, snap, st, found); err != nil {
		return err
	}
	return s.Store.Commit(ctx, st.Name, partition.Change{Plan: plan})
}

// withoutRoot makes the plan of a connector whose root exists although its plan is lost; conflict is what was met.
func (s *Scheduler) withoutRoot(ctx context.Context, plan *partition.Plan, st connector.Settings, conflict error) error {
	root := partition.Root(plan.LastBeat, plan.LastBeat)
	docs, err := s.Store.Partitions(ctx, st.Name, []partition.ID{root.ID()})
	if err != nil {
		return err
	}
	if len(docs) == 0 {
		return conflict
	}
	return s.Store.Commit(ctx, st.Name, partition.Change{Plan: plan})
}

// write creates the documents that the positions call for and that do not exist.
func (s *Scheduler) write(ctx context.Context, snap Snapshot, st connector.Settings, found map[string]Found) error {
	positions := make(map[string]offset.Position, len(found))
	for token, f := range found {
		positions[token] = f.Position
	}
	docs := partition.Rebuild(positions, snap.ReadAt)
	for len(docs) > 0 {
		n := min(chunk, len(docs))
		part := docs[:n]
		docs = docs[n:]
		ids := make([]partition.ID, n)
		for i, p := range part {
			ids[i] = p.ID()
			p.Place = found[p.Token].Place
		}
		known, err := s.Store.Partitions(ctx, st.Name, ids)
		if err != nil {
			return err
		}
		exists := make(map[string]bool, len(known))
		for _, k := range known {
			exists[k.Token] = true
		}
		var missing []*partition.Partition
		for _, p := range part {
			if !exists[p.Token] {
				missing = append(missing, p)
			}
		}
		if len(missing) == 0 {
			continue
		}
		if err := s.Store.Commit(ctx, st.Name, partition.Change{Partitions: missing}); err != nil {
			return err
		}
	}
	return nil
}

// restore brings back parents that the store has lost while a child waits for them, from the offsets topic. A parent that
// is not there either keeps its child waiting, and says so: starting the child could break the order of its keys (I5).
func (s *Scheduler) restore(ctx context.Context, snap Snapshot, st connector.Settings, kin map[string]*partition.Partition) error {
	missing := make(map[string]bool)
	for _, p := range snap.Due {
		if p.State == partition.Created {
			_, _, lost := partition.MayStart(p, kin)
			for _, token := range lost {
				missing[token] = true
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	found, err := s.Offsets.Offsets(ctx, st)
	if err != nil {
		return fmt.Errorf("read the offsets topic: %w", err)
	}
	for token := range found {
		if !missing[token] {
			delete(found, token)
		}
	}
	if len(found) == 0 {
		s.Logger.Warn("partitions wait for parents that neither the store nor the offsets topic knows", "connector", st.Name, "parents", len(missing))
		return nil
	}
	if err := s.write(ctx, snap, st, found); err != nil {
		return err
	}
	return lease.ErrConflict // look again: they are there now
}
