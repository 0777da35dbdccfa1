package task

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"sluice.example/shared/clock"
	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
)

// away is a store that can be read and whose commits have no known outcome.
type away struct {
	Store
	view View
	docs []*partition.Partition
}

func (a away) Open(context.Context, string, int) (View, error) { return a.view, nil }
func (a away) Partitions(context.Context, string, []partition.ID) ([]*partition.Partition, error) {
	return a.docs, nil
}
func (a away) Commit(context.Context, string, partition.Change) error {
	return fmt.Errorf("commit: %w", lease.ErrStore)
}

// holder is a session that holds P and trusts its lease, over a store that is away.
func holder(a away) *session {
	c := connector.Connector{Name: "c", Target: connector.Started, Life: "L", Epoch: 1}
	a.view.Connector, a.view.Plan = c, partition.Plan{Slots: 1}
	s := &session{
		w: &Worker{Store: a, Clock: clock.System, Logger: slog.New(slog.DiscardHandler)}, name: "c", conn: c, queue: newQueue(10),
		held: make(map[partition.ID]*holding), counted: true, pipe: &pipeline{},
		grant: lease.Grant{TrustedUntil: time.Now().Add(time.Hour)}, renewed: time.Now(), beat: time.Now(),
	}
	s.settings.Lease = time.Hour
	s.log = s.w.Logger
	s.saw(a.view, time.Now())
	h := newHolding(s, &partition.Partition{Token: "P", Start: noon, State: partition.Ready, Held: true})
	s.held[h.p.ID()] = h
	return s
}

// A release that may have been applied lets another slot claim the partition without a fence: whoever wrote it must not go
// on, however good its lease is (I2, I9).
func TestReleaseOfUnknownOutcomeEndsTheSession(t *testing.T) {
	t.Parallel()
	s := holder(away{view: View{Assignment: partition.Assignment{Number: 2}}})
	if err := s.tend(t.Context()); !errors.Is(err, errBroken) {
		t.Errorf("tend: %v, holds %d", err, len(s.held))
	}
}

// A finish of unknown outcome leaves a partition that the documents may still count as ours, and children that may not be
// born: the session must not go on as if it held nothing (I4).
func TestFinishOfUnknownOutcomeEndsTheSessionAlsoInATend(t *testing.T) {
	t.Parallel()
	s := holder(away{})
	for _, h := range s.held {
		h.p.Position = offset.Position{State: offset.Finished, Offset: noon, Closed: true}
		if err := s.finish(t.Context(), h); !errors.Is(err, errBroken) || !errors.Is(err, lease.ErrStore) {
			t.Fatal(err)
		}
	}
	if err := s.tended(t.Context(), errors.Join(errBroken, lease.ErrStore)); err == nil {
		t.Error("the session goes on")
	}
	if err := s.tended(t.Context(), errors.Join(lease.ErrConflict, lease.ErrStore)); err == nil {
		t.Error("the session goes on after a conflict")
	}
	if err := s.tended(t.Context(), lease.ErrStore); err != nil {
		t.Errorf("a store that cannot be read ends a session whose lease is good: %v", err)
	}
}
