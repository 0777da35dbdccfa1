package firestoretest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
	"sluice.example/shared/firestoredb"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
	"sluice.example/shared/task"
)

// noon is a time with nanoseconds, which Firestore would cut; second has the microseconds that it keeps.
var (
	noon   = time.Date(2020, 5, 6, 12, 0, 0, 123456789, time.UTC)
	second = time.Date(2020, 5, 6, 12, 0, 1, 123456000, time.UTC)
)

// name is a connector's name in these tests: one that cannot be a document id.
const name = "a/b"

func documentsComeBackAsTheyWere(t *testing.T, dial Dial) {
	s := open(t, dial, project(), "g")
	c := connector.Connector{
		Name: name, Config: map[string]string{"name": name, "a.b": "<&>"}, Target: connector.Paused,
		Life: "life", Epoch: 3, Generation: 2, Restarts: map[string]int64{"0": 7}, CreatedAt: noon,
	}
	mustPut(t, s, &c)
	slot := lease.Slot{
		Number: 2, Generation: 5, Owner: "w1", LeaseID: "l", Expiry: second, Free: true, Inited: 4, Lowest: noon, Holds: 3,
		State: lease.Failed, Trace: "trace\n", Life: "life", Epoch: 3, Assignment: 9,
	}
	p := partition.Partition{
		Token: "t", Parents: []string{"p1", "p2"}, Start: noon, State: partition.Ready,
		Position: offset.Position{
			Offset: noon.Add(1), Closed: true, LastSeen: noon.Add(2), Next: noon.Add(3), State: offset.Running, Start: noon,
			Parents: []string{"p1", "p2"}, Children: []offset.Child{{Token: "k", Start: noon.Add(4), Parents: []string{"t"}}},
		},
		Place: delivery.Place{Partition: 3, Offset: 4}, Slot: 2, Generation: 5, Clean: true, DueAt: second,
	}
	change := partition.Change{
		Plan:        &partition.Plan{Life: "life", Source: "s", Slots: 3, LowWatermark: noon, LastBeat: noon.Add(1), LastStamp: noon.Add(2), Trouble: "x"},
		Slots:       []*lease.Slot{&slot},
		Assignments: []*partition.Assignment{{Slot: 2, Number: 9, Partitions: []partition.ID{"b", "a"}}},
		Partitions:  []*partition.Partition{&p},
	}
	mustCommit(t, s, change)
	if p.Version.IsZero() || !p.Version.Equal(slot.Version) || !p.Version.Equal(change.Plan.Version) || !slot.ReadAt.Equal(slot.Version) {
		t.Errorf("versions of one commit: partition %v, slot %v read at %v, plan %v", p.Version, slot.Version, slot.ReadAt, change.Plan.Version)
	}

	view, err := s.Open(t.Context(), name, 2)
	if err != nil {
		t.Fatal(err)
	}
	if view.Slot.ReadAt.Before(slot.Version) {
		t.Errorf("slot read at %v, before its version %v", view.Slot.ReadAt, slot.Version)
	}
	slot.ReadAt = view.Slot.ReadAt
	want := task.View{Connector: c, Plan: *change.Plan, Slot: slot, Assignment: *change.Assignments[0]}
	if diff := cmp.Diff(want, view); diff != "" {
		t.Errorf("view (-want +got):\n%s", diff)
	}
	found, err := s.Partitions(t.Context(), name, []partition.ID{"none", p.ID()})
	if diff := cmp.Diff([]*partition.Partition{&p}, found); err != nil || diff != "" {
		t.Errorf("partitions: error %v (-want +got):\n%s", err, diff)
	}

	// The second write replaces what the first left, and takes back what became zero.
	p.Parents, p.Position.Children, p.Clean, p.DueAt = nil, nil, false, time.Time{}
	slot.Trace, slot.Free = "", false
	mustCommit(t, s, partition.Change{Slots: []*lease.Slot{&slot}, Partitions: []*partition.Partition{&p}})
	found, err = s.Partitions(t.Context(), name, []partition.ID{p.ID()})
	if diff := cmp.Diff([]*partition.Partition{&p}, found); err != nil || diff != "" {
		t.Errorf("partition written again: error %v (-want +got):\n%s", err, diff)
	}

	mustCommit(t, s, partition.Change{Remove: []*partition.Partition{&p}})
	found, err = s.Partitions(t.Context(), name, []partition.ID{p.ID()})
	if err != nil || len(found) != 0 || !p.Version.IsZero() {
		t.Errorf("after the removal: found %v, version %v, error %v", found, p.Version, err)
	}
}

func nothingThere(t *testing.T, dial Dial) {
	s := open(t, dial, project(), "g")
	view, err := s.Open(t.Context(), name, 4)
	if err != nil {
		t.Fatal(err)
	}
	if view.Slot.ReadAt.IsZero() {
		t.Error("a slot that does not exist tells no time")
	}
	want := task.View{Slot: lease.Slot{Number: 4, ReadAt: view.Slot.ReadAt}, Assignment: partition.Assignment{Slot: 4}}
	if diff := cmp.Diff(want, view); diff != "" {
		t.Errorf("view of nothing (-want +got):\n%s", diff)
	}
	c, err := s.Connector(t.Context(), name)
	if err != nil || c.Name != "" {
		t.Errorf("connector %+v, error %v; want none", c, err)
	}
	plan, slots, err := s.Tasks(t.Context(), name)
	if err != nil || !plan.Version.IsZero() || len(slots) != 0 {
		t.Errorf("plan %+v, slots %v, error %v; want none", plan, slots, err)
	}
	snapshot, err := s.Snapshot(t.Context(), name)
	if err != nil || snapshot.ReadAt.IsZero() || !snapshot.Unheld.IsZero() || snapshot.Connector.Name != "" {
		t.Errorf("snapshot %+v, error %v; want an empty one with a time", snapshot, err)
	}
	if err := s.Commit(t.Context(), name, partition.Change{}); err != nil {
		t.Errorf("empty change: %v", err)
	}
}

func connectorsHaveOneWriterAtATime(t *testing.T, dial Dial) {
	s := open(t, dial, project(), "g")
	for _, n := range []string{"z", "a/b", "__x__", "."} {
		mustPut(t, s, &connector.Connector{Name: n})
	}
	all, err := s.Connectors(t.Context())
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	if want := []string{".", "__x__", "a/b", "z"}; err != nil || !cmp.Equal(names, want) {
		t.Errorf("connectors %q, error %v; want %q", names, err, want)
	}

	if err := s.PutConnector(t.Context(), &connector.Connector{Name: "z"}); !errors.Is(err, lease.ErrConflict) {
		t.Errorf("second creation: %v, want a conflict", err)
	}
	mine, err := s.Connector(t.Context(), "z")
	if err != nil {
		t.Fatal(err)
	}
	other := mine
	other.Target = connector.Stopped
	mustPut(t, s, &other)
	if err := s.PutConnector(t.Context(), &mine); !errors.Is(err, lease.ErrConflict) {
		t.Errorf("write over another's: %v, want a conflict", err)
	}
	if err := s.DeleteConnector(t.Context(), &mine); !errors.Is(err, lease.ErrConflict) {
		t.Errorf("removal of another's: %v, want a conflict", err)
	}
	gone := other
	if err := s.DeleteConnector(t.Context(), &other); err != nil {
		t.Error(err)
	}
	if err := s.DeleteConnector(t.Context(), &gone); err != nil {
		t.Errorf("second removal: %v, want none", err)
	}
	if err := s.PutConnector(t.Context(), &mine); !errors.Is(err, lease.ErrConflict) {
		t.Errorf("write of a removed one: %v, want a conflict", err)
	}
}

func groupsDoNotMeet(t *testing.T, dial Dial) {
	shared := project()
	one, two := open(t, dial, shared, "g/1"), open(t, dial, shared, "g/2")
	mustPut(t, one, &connector.Connector{Name: "c"})
	mustPut(t, two, &connector.Connector{Name: "c"})
	if all, err := two.Connectors(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("one installation sees %v, error %v; want its own", all, err)
	}
}

func mustPut(t *testing.T, s *firestoredb.Store, c *connector.Connector) {
	t.Helper()
	if err := s.PutConnector(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func mustCommit(t *testing.T, s *firestoredb.Store, change partition.Change) {
	t.Helper()
	if err := s.Commit(t.Context(), name, change); err != nil {
		t.Fatal(err)
	}
}
