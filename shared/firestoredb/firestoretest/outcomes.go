package firestoretest

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"sluice.example/shared/connector"
	"sluice.example/shared/firestoredb"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// lostReplyIsAdopted loses the reply of a creation, an update and a removal. The client sends each again, which meets its
// own traces; the caller must not notice.
func lostReplyIsAdopted(t *testing.T, dial Dial) {
	f := &faults{}
	s := open(t, dial, project(), "g", f.option())
	slot := lease.Slot{Number: 1}
	p, old := partition.Partition{Token: "t", Start: noon}, partition.Partition{Token: "old", Start: noon}
	mustCommit(t, s, partition.Change{Partitions: []*partition.Partition{&old}})
	for generation := range int64(3) {
		slot.Generation = generation + 1
		change := partition.Change{Slots: []*lease.Slot{&slot}, Partitions: []*partition.Partition{&p}}
		if generation == 1 {
			change.Remove = []*partition.Partition{&old}
		}
		f.lose.Store(1)
		mustCommit(t, s, change)
		stored, err := s.Slot(t.Context(), name, 1)
		if err != nil || stored.Generation != slot.Generation || !stored.Version.Equal(slot.Version) || !p.Version.Equal(slot.Version) {
			t.Fatalf("stored slot %+v, error %v; ours is %+v, the partition's version %v", stored, err, slot, p.Version)
		}
	}
	f.lose.Store(1)
	mustCommit(t, s, partition.Change{Remove: []*partition.Partition{&p}})

	c := connector.Connector{Name: name}
	f.lose.Store(1)
	mustPut(t, s, &c)
	f.lose.Store(1)
	if err := s.DeleteConnector(t.Context(), &c); err != nil {
		t.Errorf("removal whose reply was lost: %v", err)
	}
}

// lostReplyIsAdoptedThoughChanged has another writer come between: the commit stands, and only the next write of the
// document that was written over meets the conflict.
func lostReplyIsAdoptedThoughChanged(t *testing.T, dial Dial) {
	shared := project()
	other := open(t, dial, shared, "g")
	f := &faults{}
	s := open(t, dial, shared, "g", f.option(), afterCommit(func() {
		stolen, err := other.Slot(t.Context(), name, 1)
		if err == nil {
			stolen = stolen.Take("thief", "l", time.Minute)
			err = other.Commit(t.Context(), name, partition.Change{Slots: []*lease.Slot{&stolen}})
		}
		if err != nil {
			t.Errorf("the other writer: %v", err)
		}
	}))
	f.lose.Store(1)
	slot, p := lease.Slot{Number: 1, Generation: 1}, partition.Partition{Token: "t", Start: noon}
	mustCommit(t, s, partition.Change{Slots: []*lease.Slot{&slot}, Partitions: []*partition.Partition{&p}})
	mustCommit(t, s, partition.Change{Partitions: []*partition.Partition{&p}})
	if err := s.Commit(t.Context(), name, partition.Change{Slots: []*lease.Slot{&slot}}); !errors.Is(err, lease.ErrConflict) {
		t.Errorf("the next write of the slot: %v, want a conflict", err)
	}
}

func abortedThreeTimes(t *testing.T, dial Dial) {
	f := &faults{code: codes.Aborted}
	s := open(t, dial, project(), "g", f.option())
	f.refuse.Store(3)
	mustCommit(t, s, partition.Change{Slots: []*lease.Slot{{Number: 1, Generation: 1}}})
	if n := f.commits.Load(); n != 4 {
		t.Errorf("took %d commits, want 4", n)
	}
}

func abortedForEver(t *testing.T, dial Dial) {
	f := &faults{code: codes.Aborted}
	f.refuse.Store(always)
	refusedInTime(t, open(t, dial, project(), "g", f.option()))
	if n := f.commits.Load(); n < 4 || n > 20 {
		t.Errorf("took %d commits, want a few and at most 20", n)
	}
}

func unavailableIsNoConflict(t *testing.T, dial Dial) {
	f := &faults{code: codes.Unavailable}
	f.refuse.Store(always)
	refusedInTime(t, open(t, dial, project(), "g", f.option()))
}

func exhaustedIsNoConflict(t *testing.T, dial Dial) {
	f := &faults{code: codes.ResourceExhausted}
	f.refuse.Store(always)
	refusedInTime(t, open(t, dial, project(), "g", f.option()))
}

// refusedInTime expects a commit to fail as one of the store, with time left to do something about it.
func refusedInTime(t *testing.T, s *firestoredb.Store) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	slot := lease.Slot{Number: 1, Generation: 1}
	err := s.Commit(ctx, name, partition.Change{Slots: []*lease.Slot{&slot}})
	if !errors.Is(err, lease.ErrStore) || errors.Is(err, lease.ErrConflict) {
		t.Errorf("got %v, want a failure of the store", err)
	}
	if ctx.Err() != nil {
		t.Errorf("the commit ended only with its context: %v", err)
	}
	if !slot.Version.IsZero() {
		t.Errorf("version is %v after a failure", slot.Version)
	}
}

func refusedBeforeItIsSent(t *testing.T, dial Dial) {
	f := &faults{}
	s := open(t, dial, project(), "g", f.option())
	slot := &lease.Slot{Number: 1}
	huge := make([]string, 10)
	for i := range huge {
		huge[i] = string(make([]byte, 1<<20))
	}
	for what, change := range map[string]partition.Change{
		"one document twice":           {Slots: []*lease.Slot{slot, slot}},
		"removal of what was not read": {Remove: []*partition.Partition{{Token: "t"}}},
		"more than a request takes":    {Partitions: []*partition.Partition{{Token: "t", Parents: huge}}},
	} {
		if err := s.Commit(t.Context(), name, change); !errors.Is(err, lease.ErrStore) {
			t.Errorf("%s: %v, want it refused", what, err)
		}
	}
	if n := f.commits.Load(); n != 0 {
		t.Errorf("%d commits were sent", n)
	}
}
