package firestoretest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// snapshotIsOfOneMoment moves a partition between the slot that holds it and nobody, and looks all the while: whoever
// looks must find it in one of the two places, or the low watermark passes it (I4).
func snapshotIsOfOneMoment(t *testing.T, dial Dial) {
	const rounds = 100
	shared := project()
	holder, planner := open(t, dial, shared, "g"), open(t, dial, shared, "g")
	slot := lease.Slot{Number: 0, Generation: 1}
	p := partition.Partition{Token: "t", Start: noon, State: partition.Ready}
	far := partition.Partition{Token: "far", Start: noon.Add(time.Hour), State: partition.Ready}
	mustCommit(t, holder, partition.Change{Slots: []*lease.Slot{&slot}, Partitions: []*partition.Partition{&p, &far}})

	stop := make(chan struct{})
	var looking sync.WaitGroup
	looks := 0
	looking.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			v, err := planner.Snapshot(t.Context(), name)
			if err != nil {
				t.Error(err)
				return
			}
			looks++
			unheld, held := v.Unheld.Before(noon), len(v.Slots) == 1 && v.Slots[0].Holds == 1
			if unheld == held {
				t.Errorf("look %d: lowest unheld %v, slots %+v: the partition is in none or both", looks, v.Unheld, v.Slots)
				return
			}
			if len(v.Slots) == 1 && v.Slots[0].Version.After(v.ReadAt) {
				t.Errorf("look %d at %v sees a version of %v", looks, v.ReadAt, v.Slots[0].Version)
			}
		}
	})
	for range rounds {
		p.Held = !p.Held
		slot.Holds, slot.Lowest = 0, time.Time{}
		if p.Held {
			slot.Holds, slot.Lowest = 1, p.Checkpoint()
		}
		if err := holder.Commit(t.Context(), name, partition.Change{Slots: []*lease.Slot{&slot}, Partitions: []*partition.Partition{&p}}); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	looking.Wait()
	if looks == 0 {
		t.Error("nobody looked")
	}
}

func snapshotOrdersWhatIsDue(t *testing.T, dial Dial) {
	s := open(t, dial, project(), "g")
	mustPut(t, s, &connector.Connector{Name: name, Life: "l"})
	change := partition.Change{Plan: &partition.Plan{Life: "l", Slots: 12}}
	for n := range 12 {
		change.Slots = append(change.Slots, &lease.Slot{Number: n, Generation: 1})
		change.Assignments = append(change.Assignments, &partition.Assignment{Slot: n, Number: 1})
	}
	for n := range 4 {
		change.Partitions = append(change.Partitions, &partition.Partition{
			Token: fmt.Sprint(n), Start: noon.Add(time.Duration(n) * time.Hour), State: partition.Ready, DueAt: second.Add(-time.Duration(n) * time.Minute),
		})
	}
	change.Partitions[0].State, change.Partitions[0].DueAt = partition.Finished, time.Now().Add(time.Hour) // not due yet
	change.Partitions[1].Held, change.Partitions[1].DueAt = true, time.Time{}
	change.Partitions[2].State = partition.Finished // due to be removed
	mustCommit(t, s, change)

	v, err := s.Snapshot(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*partition.Partition{change.Partitions[3], change.Partitions[2]}, v.Due); diff != "" {
		t.Errorf("due (-want +got):\n%s", diff)
	}
	// The lowest checkpoint of those that nobody holds is just before the start of partition 3, rounded down.
	if want := noon.Add(3*time.Hour - 1).Truncate(time.Microsecond); !v.Unheld.Equal(want) {
		t.Errorf("lowest unheld checkpoint %v, want %v", v.Unheld, want)
	}
	if v.Connector.Life != "l" || v.Plan.Slots != 12 || !v.Plan.Version.Equal(change.Plan.Version) || v.ReadAt.Before(v.Plan.Version) {
		t.Errorf("snapshot %+v", v)
	}
	for n := range 12 {
		if v.Slots[n].Number != n || v.Assignments[n].Slot != n {
			t.Fatalf("slots or assignments are not sorted: %+v, %+v", v.Slots, v.Assignments)
		}
	}
	plan, slots, err := s.Tasks(t.Context(), name)
	if err != nil || !cmp.Equal(plan, v.Plan) || len(slots) != 12 || slots[11].Number != 11 {
		t.Errorf("tasks: plan %+v, slots %+v, error %v", plan, slots, err)
	}
}

func heldByLeavesOutFinished(t *testing.T, dial Dial) {
	s := open(t, dial, project(), "g")
	held := func(token string, slot int, generation int64) *partition.Partition {
		return &partition.Partition{Token: token, Start: noon, State: partition.Ready, Held: true, Slot: slot, Generation: generation}
	}
	mine, older, other, finished, released := held("mine", 0, 2), held("older", 0, 1), held("other", 1, 2), held("finished", 0, 2), held("released", 0, 2)
	finished.State, released.Held = partition.Finished, false
	mustCommit(t, s, partition.Change{Partitions: []*partition.Partition{mine, older, other, finished, released}})
	found, err := s.HeldBy(t.Context(), name, 0)
	if err != nil || len(found) != 2 {
		t.Fatalf("held by slot 0: %v, error %v; want two", found, err)
	}
	for _, p := range found {
		if p.Token != "mine" && p.Token != "older" {
			t.Errorf("held by slot 0: %s", p.Token)
		}
	}
}
