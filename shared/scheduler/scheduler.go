package scheduler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// Scheduler goes through connectors. Its fields are set before use and not changed; it is safe for concurrent use.
type Scheduler struct {
	Store    Store
	Offsets  Offsets
	Waker    Waker
	Announce Announcer
	Logger   *slog.Logger
	Worker   connector.Worker
	// Parallel bounds how many connectors are planned at once; zero: 8.
	Parallel int
}

// beginWithin bounds a first planning, so that a Kafka that does not answer is told of in time.
const beginWithin = 10 * time.Second

// rounds bounds how often one pass goes on because its own writes opened new work.
const rounds = 6

// Tick goes through every connector once. The error joins those of single connectors; each connector is tried.
func (s *Scheduler) Tick(ctx context.Context) error {
	all, err := s.Store.Connectors(ctx)
	if err != nil {
		return err
	}
	width := s.Parallel
	if width == 0 {
		width = 8
	}
	var wg sync.WaitGroup
	gate := make(chan struct{}, width)
	errs := make([]error, len(all))
	for i, c := range all {
		wg.Add(1)
		gate <- struct{}{}
		go func() {
			defer func() { <-gate; wg.Done() }()
			if err := s.Pass(ctx, c.Name); err != nil {
				errs[i] = fmt.Errorf("plan connector %s: %w", c.Name, err)
			}
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Pass plans one connector: as many rounds as find something to do, at most a few. Losing a race is not an error.
func (s *Scheduler) Pass(ctx context.Context, name string) error {
	for range rounds {
		snap, err := s.Store.Snapshot(ctx, name)
		if err != nil {
			return err
		}
		if snap.Connector.Name == "" {
			return nil
		}
		again, err := s.round(ctx, snap)
		if errors.Is(err, lease.ErrConflict) {
			continue
		}
		if err != nil || !again {
			return err
		}
	}
	return nil
}

// round is one look and what follows from it; again tells that another may find more to do.
func (s *Scheduler) round(ctx context.Context, snap Snapshot) (again bool, err error) {
	name := snap.Connector.Name
	settings, err := connector.Parse(snap.Connector.Config, s.Worker)
	if err != nil {
		return false, s.trouble(ctx, snap, err.Error())
	}
	if snap.Plan.Source == "" { // never planned
		if snap.Connector.Target != connector.Started {
			return false, nil // a connector created stopped or paused begins when it is resumed (RE-25)
		}
		bounded, cancel := context.WithTimeout(ctx, beginWithin)
		defer cancel()
		err := s.begin(bounded, snap, settings)
		if err != nil && !errors.Is(err, lease.ErrConflict) && !errors.Is(err, lease.ErrStore) && ctx.Err() == nil {
			return false, errors.Join(err, s.trouble(ctx, snap, err.Error()))
		}
		return true, err
	}
	if t := foreign(snap, settings); t != "" {
		return false, s.trouble(ctx, snap, t)
	}
	if again, err := s.recover(ctx, snap); again || err != nil {
		return again, err
	}
	kin, err := s.kin(ctx, snap, settings)
	if err != nil {
		return false, err
	}
	d := Decide(snap, settings, kin)
	if len(d.Forget) > 0 {
		if err := s.Offsets.Forget(ctx, settings, tokens(d.Forget)); err != nil {
			return false, err
		}
	}
	for _, change := range d.Changes {
		if err := s.Store.Commit(ctx, name, change); err != nil {
			return false, err
		}
	}
	if d.Stamp && s.Announce != nil {
		if err := s.Announce.Stamp(ctx, snap.Connector, d.Low); err != nil {
			s.Logger.Warn("low watermark stamps not sent", "connector", name, "error", err)
		}
	}
	for _, n := range d.Wake {
		if err := s.Waker.Wake(ctx, Wake{Connector: name, Slot: n}); err != nil {
			s.Logger.Warn("wake not sent", "connector", name, "task", n, "error", err)
		}
	}
	return d.Again, nil
}

// foreign tells when the stored partitions belong to another change stream than the configuration names now.
func foreign(snap Snapshot, st connector.Settings) string {
	if snap.Plan.Source == "" || snap.Plan.Source == source(st) {
		return ""
	}
	return fmt.Sprintf("the stored offsets belong to %s, the configuration names %s: set the old one again, or use another connector name", snap.Plan.Source, source(st))
}

func source(st connector.Settings) string {
	return st.Source()
}

// trouble notes why the connector cannot be planned, once. It shows as the connector's FAILED with its trace; the next tick
// tries again and takes it back.
func (s *Scheduler) trouble(ctx context.Context, snap Snapshot, text string) error {
	p := snap.Plan
	if p.Trouble == text && p.Life == snap.Connector.Life {
		return nil
	}
	s.Logger.Error("connector cannot be planned", "connector", snap.Connector.Name, "trouble", text)
	p.Trouble, p.Life = text, snap.Connector.Life
	return s.Store.Commit(ctx, snap.Connector.Name, partition.Change{Plan: &p})
}

// recover ends slots whose lease ran out, and takes back what dead slots held. The partitions stay unclean: whoever claims
// one fences the dead slot's producer first.
func (s *Scheduler) recover(ctx context.Context, snap Snapshot) (again bool, err error) {
	for _, slot := range snap.Slots {
		if slot.Live() || slot.Generation == 0 {
			continue
		}
		if !slot.Free {
			s.Logger.Info("ending a slot whose lease ran out", "connector", snap.Connector.Name, "task", slot.Number, "generation", slot.Generation, "owner", slot.Owner)
			slot.Free = true
			if err := s.Store.Commit(ctx, snap.Connector.Name, partition.Change{Slots: []*lease.Slot{&slot}}); err != nil {
				return false, err
			}
			again = true
		}
		if slot.Holds == 0 && slot.Lowest.IsZero() {
			continue
		}
		if err := s.takeBack(ctx, snap, slot); err != nil {
			return false, err
		}
		again = true
	}
	return again, nil
}

// chunk bounds the documents of one commit.
const chunk = 200

// takeBack sets a dead slot's partitions free and, when none is left, clears the slot's bound.
func (s *Scheduler) takeBack(ctx context.Context, snap Snapshot, slot lease.Slot) error {
	held, err := s.Store.HeldBy(ctx, snap.Connector.Name, slot.Number)
	if err != nil {
		return err
	}
	for len(held) > 0 {
		n := min(chunk, len(held))
		for _, p := range held[:n] {
			p.Held, p.Clean, p.DueAt = false, false, snap.ReadAt
		}
		if err := s.Store.Commit(ctx, snap.Connector.Name, partition.Change{Partitions: held[:n]}); err != nil {
			return err
		}
		held = held[n:]
	}
	slot.Holds, slot.Lowest = 0, time.Time{}
	return s.Store.Commit(ctx, snap.Connector.Name, partition.Change{Slots: []*lease.Slot{&slot}})
}

// kin reads the parents of waiting partitions, and parents and children of those that may be forgotten. Parents that the store
// has lost are restored from the offsets topic.
func (s *Scheduler) kin(ctx context.Context, snap Snapshot, st connector.Settings) (map[string]*partition.Partition, error) {
	kin := make(map[string]*partition.Partition)
	var ids []partition.ID
	seen := make(map[string]bool)
	want := func(token string) {
		if !seen[token] {
			seen[token] = true
			ids = append(ids, partition.IDOf(token))
		}
	}
	for _, p := range snap.Due {
		switch p.State {
		case partition.Created:
			for _, token := range p.Parents {
				want(token)
			}
		case partition.Finished:
			if ripe(p, snap.ReadAt, st) {
				for _, token := range p.Parents {
					want(token)
				}
				for _, c := range p.Position.Children {
					want(c.Token)
				}
			}
		}
	}
	docs, err := s.Store.Partitions(ctx, snap.Connector.Name, ids)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		kin[d.Token] = d
	}
	return kin, s.restore(ctx, snap, st, kin)
}

// transactionalID is a slot's, named as Connect names a task's (KIP-618).
func transactionalID(st connector.Settings, slot int) string {
	return st.TransactionalBase + strconv.Itoa(slot)
}

func tokens(ps []*partition.Partition) []string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = p.Token
	}
	return out
}
