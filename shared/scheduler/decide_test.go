package scheduler

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
)

var noon = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

func settings() connector.Settings {
	return connector.Settings{Name: "c1", TasksMax: 2, TasksMin: 1, DesiredPartitions: 2, WatermarkPeriod: time.Second, StampInterval: 10 * time.Second, FinishedRetention: 2 * time.Hour}
}

func started() Snapshot {
	c := connector.Connector{Name: "c1", Target: connector.Started, Life: "L", Epoch: 1, Version: noon}
	return Snapshot{Connector: c, Plan: partition.Plan{Life: "L", Slots: 2, Version: noon, Source: "///"}, ReadAt: noon}
}

func ready(token string) *partition.Partition {
	return &partition.Partition{Token: token, Start: noon, State: partition.Ready, Clean: true, DueAt: noon, Version: noon}
}

func assigned(d Decision) map[int][]partition.ID {
	out := make(map[int][]partition.ID)
	for _, c := range d.Changes {
		for _, a := range c.Assignments {
			out[a.Slot] = a.Partitions
		}
	}
	return out
}

func TestReadyPartitionsAreSpreadAndTheirSlotsWoken(t *testing.T) {
	t.Parallel()
	snap := started()
	for i := range 5 {
		snap.Due = append(snap.Due, ready(fmt.Sprint("P", i)))
	}
	d := Decide(snap, settings(), nil)
	got := assigned(d)
	if len(got[0])+len(got[1]) != 5 || len(got[0])-len(got[1]) > 1 || len(got[1])-len(got[0]) > 1 {
		t.Errorf("assignments %v", got)
	}
	if fmt.Sprint(d.Wake) != "[0 1]" {
		t.Errorf("woken %v", d.Wake)
	}
}

func TestAFailedSlotGetsNothingNewAndIsNotWoken(t *testing.T) {
	t.Parallel()
	snap := started()
	snap.Slots = []lease.Slot{{Number: 0, Generation: 3, Free: true, State: lease.Failed, Life: "L", Epoch: 1}}
	snap.Assignments = []partition.Assignment{{Slot: 0, Number: 1, Partitions: []partition.ID{partition.IDOf("P0")}}}
	snap.Due = []*partition.Partition{ready("P0"), ready("P1"), ready("P2")}
	d := Decide(snap, settings(), nil)
	if got := assigned(d); len(got[1]) != 2 || got[0] != nil {
		t.Errorf("assignments %v", got)
	}
	if fmt.Sprint(d.Wake) != "[1]" {
		t.Errorf("woken %v", d.Wake)
	}
	snap.Connector.Epoch = 2 // restarted
	if d := Decide(snap, settings(), nil); fmt.Sprint(d.Wake) != "[0 1]" {
		t.Errorf("woken after a restart %v", d.Wake)
	}
}

func TestStoppedTakesEverything(t *testing.T) {
	t.Parallel()
	snap := started()
	snap.Connector.Target = connector.Stopped
	snap.Assignments = []partition.Assignment{{Slot: 0, Partitions: []partition.ID{partition.IDOf("P0")}}}
	d := Decide(snap, settings(), nil)
	if got := assigned(d); len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("assignments %v", got)
	}
	if plan := planOf(d); plan == nil || plan.Slots != 0 || len(d.Wake) != 0 {
		t.Errorf("plan %v, woken %v", plan, d.Wake)
	}
}

func planOf(d Decision) *partition.Plan {
	for _, c := range d.Changes {
		if c.Plan != nil {
			return c.Plan
		}
	}
	return nil
}

func TestAChildIsPromotedWhenTheLastParentIsFinished(t *testing.T) {
	t.Parallel()
	snap := started()
	child := partition.Born(offset.Child{Token: "C", Start: noon, Parents: []string{"A", "B"}}, "A", noon)
	snap.Due = []*partition.Partition{child}
	a := &partition.Partition{Token: "A", State: partition.Finished}
	b := &partition.Partition{Token: "B", State: partition.Ready}
	kin := map[string]*partition.Partition{"A": a, "B": b}
	if d := Decide(snap, settings(), kin); len(d.Changes) != 0 {
		t.Errorf("promoted early: %v", d.Changes)
	}
	b.State = partition.Finished
	d := Decide(snap, settings(), kin)
	if len(d.Changes) == 0 || d.Changes[0].Partitions[0].State != partition.Ready || len(assigned(d)) != 1 {
		t.Errorf("not promoted: %+v", d.Changes)
	}
	if child.State != partition.Created {
		t.Error("Decide changed what it was given")
	}
}

// LC-03, WM-01: the low watermark never goes back, and an unknown bound stops it.
func TestLC03LowWatermarkOnlyAdvances(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		snap := started()
		low := time.Time{}
		for i := range rapid.IntRange(1, 20).Draw(t, "ticks") {
			snap.Unheld = noon.Add(time.Duration(rapid.IntRange(-100, 100).Draw(t, fmt.Sprint("at", i))) * time.Second)
			if plan := planOf(Decide(snap, settings(), nil)); plan != nil {
				snap.Plan = *plan
			}
			if snap.Plan.LowWatermark.Before(low) {
				t.Fatalf("went back from %v to %v", low, snap.Plan.LowWatermark)
			}
			low = snap.Plan.LowWatermark
		}
	})
}

// FN-09: of two ticks for the same moment one sends stamps: the other's plan has another version.
func TestFN09StampsOncePerInterval(t *testing.T) {
	t.Parallel()
	st := settings()
	st.LowWatermark = true
	snap := started()
	snap.Unheld = noon
	d := Decide(snap, st, nil)
	if !d.Stamp || planOf(d) == nil {
		t.Fatalf("first tick: stamp %v", d.Stamp)
	}
	snap.Plan = *planOf(d)
	if d := Decide(snap, st, nil); d.Stamp {
		t.Error("a second tick of the same moment stamps again")
	}
}

func TestFinishedPartitionsAreForgottenWhenTheirChildrenHaveBegun(t *testing.T) {
	t.Parallel()
	snap := started()
	done := &partition.Partition{Token: "A", State: partition.Finished, Clean: true, DueAt: noon}
	done.Position.Children = []offset.Child{{Token: "C", Start: noon}}
	snap.Due = []*partition.Partition{done}
	snap.Assignments = []partition.Assignment{{Slot: 1, Partitions: []partition.ID{done.ID()}}}
	d := Decide(snap, settings(), nil)
	if got := assigned(d); got[1] == nil && len(got) != 1 || len(got[1]) != 0 {
		t.Errorf("still assigned: %v", got)
	}
	seen := *done
	seen.Clean = false
	snap.Due = []*partition.Partition{&seen}
	child := ready("C")
	if d := Decide(snap, settings(), map[string]*partition.Partition{"C": child}); len(d.Forget) != 0 {
		t.Error("forgotten before its child has begun")
	}
	child.Position.Offset = noon
	if d := Decide(snap, settings(), map[string]*partition.Partition{"C": child}); len(d.Forget) != 1 {
		t.Error("not forgotten")
	}
}

func TestBalanceIsEvenAndSticky(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		snap, st := started(), settings()
		st.TasksMax = rapid.IntRange(1, 6).Draw(t, "slots")
		n := rapid.IntRange(0, 30).Draw(t, "partitions")
		for i := range n {
			snap.Due = append(snap.Due, ready(fmt.Sprint("P", i)))
		}
		for range 3 {
			d := Decide(snap, st, nil)
			got := make(map[int]partition.Assignment)
			for _, a := range snap.Assignments {
				got[a.Slot] = a
			}
			for _, c := range d.Changes {
				for _, a := range c.Assignments {
					got[a.Slot] = *a
				}
			}
			snap.Assignments = nil
			for _, a := range got {
				snap.Assignments = append(snap.Assignments, a)
			}
		}
		d := Decide(snap, st, nil)
		if len(assigned(d)) != 0 {
			t.Fatalf("a settled desk was changed: %v", assigned(d))
		}
		low, high, total := n, 0, 0
		by := make(map[int]int)
		for _, a := range snap.Assignments {
			by[a.Slot] = len(a.Partitions)
		}
		for k := range st.TasksMax {
			low, high, total = min(low, by[k]), max(high, by[k]), total+by[k]
		}
		if total != n || n > 0 && high-low > 1 {
			t.Fatalf("%d of %d partitions assigned, %d to %d a slot", total, n, low, high)
		}
	})
}

// A settled partition is not looked at for hours: it must have left its assignment by then, whatever breaks in between.
func TestFinishedPartitionLeavesItsAssignmentBeforeItIsSettled(t *testing.T) {
	t.Parallel()
	snap := started()
	done := &partition.Partition{Token: "A", State: partition.Finished, Clean: true, DueAt: noon}
	snap.Due = []*partition.Partition{done}
	snap.Assignments = []partition.Assignment{{Slot: 1, Partitions: []partition.ID{done.ID()}}}
	d := Decide(snap, settings(), nil)
	if len(d.Changes) < 2 || len(d.Changes[0].Assignments) != 1 || len(d.Changes[1].Partitions) != 1 {
		t.Errorf("order of changes: %+v", d.Changes)
	}
}

// Partitions for which nothing can be done must not hide those for which something can.
func TestFullSnapshotMakesRoom(t *testing.T) {
	t.Parallel()
	snap := started()
	snap.Slots = []lease.Slot{{Number: 0, Generation: 3, Free: true, State: lease.Failed, Life: "L", Epoch: 1}}
	kin := map[string]*partition.Partition{"A": {Token: "A", State: partition.Ready}}
	for i := range DueLimit - 2 {
		snap.Due = append(snap.Due, partition.Born(offset.Child{Token: fmt.Sprint("C", i), Start: noon, Parents: []string{"A"}}, "", noon))
	}
	snap.Due = append(snap.Due, ready("broken"), ready("fine"))
	snap.Assignments = []partition.Assignment{{Slot: 0, Partitions: []partition.ID{partition.IDOf("broken")}}, {Slot: 1, Partitions: []partition.ID{partition.IDOf("fine")}}}
	put := make(map[string]bool)
	d := Decide(snap, settings(), kin)
	for _, c := range d.Changes {
		for _, p := range c.Partitions {
			put[p.Token] = p.DueAt.After(noon)
		}
	}
	if len(put) != DueLimit-1 || !put["broken"] || put["fine"] || !d.Again {
		t.Errorf("%d put off, those of a failed slot: %v, those about to be claimed: %v", len(put), put["broken"], put["fine"])
	}
	snap.Due = snap.Due[1:]
	if d := Decide(snap, settings(), kin); len(d.Changes) != 0 {
		t.Errorf("put off although all are seen: %d changes", len(d.Changes))
	}
}
