package firestoretest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"sluice.example/shared/firestoredb"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
)

func tokensThatAreReserved(t *testing.T, dial Dial) {
	s := open(t, dial, project(), "g")
	for _, token := range []string{"__8BAYEHAeZvPQAAAYLGOINy_example_AQf__", "a/b", ".", "..", ""} {
		p := &partition.Partition{Token: token, Start: noon, State: partition.Ready}
		mustCommit(t, s, partition.Change{Partitions: []*partition.Partition{p}})
		p.Held, p.Slot, p.Generation = true, 1, 1 // claim
		mustCommit(t, s, partition.Change{Partitions: []*partition.Partition{p}})
		p.Position.Offset = noon.Add(1) // checkpoint
		mustCommit(t, s, partition.Change{Partitions: []*partition.Partition{p}})
		p.Held, p.State = false, partition.Finished
		mustCommit(t, s, partition.Change{Partitions: []*partition.Partition{p}})
		found, err := s.Partitions(t.Context(), name, []partition.ID{p.ID()})
		if err != nil || len(found) != 1 || found[0].Token != token || found[0].State != partition.Finished {
			t.Errorf("token %q came back as %+v, error %v", token, found, err)
		}
	}
}

// claimRace is the case of two workers that start within milliseconds of each other, each with its own connection.
func claimRace(t *testing.T, dial Dial) {
	shared := project()
	workers := []*firestoredb.Store{open(t, dial, shared, "g"), open(t, dial, shared, "g")}
	for round := range 50 {
		p := partition.Partition{Token: fmt.Sprint(round), Start: noon, State: partition.Ready}
		mustCommit(t, workers[0], partition.Change{Partitions: []*partition.Partition{&p}})

		outcome := make([]error, len(workers))
		var ready, done sync.WaitGroup
		ready.Add(len(workers))
		for n, s := range workers {
			done.Go(func() {
				mine := p
				mine.Held, mine.Slot, mine.Generation = true, n, 1
				slot, err := s.Slot(t.Context(), name, n)
				ready.Done()
				ready.Wait()
				if err != nil {
					outcome[n] = err
					return
				}
				slot = slot.Take("w", "l", time.Minute)
				outcome[n] = s.Commit(t.Context(), name, partition.Change{Slots: []*lease.Slot{&slot}, Partitions: []*partition.Partition{&mine}})
			})
		}
		done.Wait()

		winner := -1
		for n, err := range outcome {
			switch {
			case err == nil && winner < 0:
				winner = n
			case err == nil:
				t.Fatalf("round %d: both claimed it", round)
			case !errors.Is(err, lease.ErrConflict):
				t.Fatalf("round %d: worker %d: %v, want a conflict", round, n, err)
			}
		}
		if winner < 0 {
			t.Fatalf("round %d: nobody claimed it", round)
		}
		found, err := workers[0].Partitions(t.Context(), name, []partition.ID{p.ID()})
		if err != nil || len(found) != 1 || found[0].Slot != winner {
			t.Fatalf("round %d: worker %d won, the document says %+v, error %v", round, winner, found, err)
		}
	}
}

func foreignWriteBreaksTheChain(t *testing.T, dial Dial) {
	shared := project()
	holder, thief := open(t, dial, shared, "g"), open(t, dial, shared, "g")
	slot := lease.Slot{Number: 1, Generation: 1}
	p := partition.Partition{Token: "t", Start: noon, Held: true, Slot: 1, Generation: 1}
	for range 3 {
		p.Position.Offset = p.Position.Offset.Add(time.Second)
		mustCommit(t, holder, partition.Change{Slots: []*lease.Slot{&slot}, Partitions: []*partition.Partition{&p}})
	}
	stolen, err := thief.Slot(t.Context(), name, 1)
	if err != nil {
		t.Fatal(err)
	}
	stolen = stolen.Take("thief", "l2", time.Minute)
	mustCommit(t, thief, partition.Change{Slots: []*lease.Slot{&stolen}})

	before := p
	p.Position.Offset = p.Position.Offset.Add(time.Second)
	err = holder.Commit(t.Context(), name, partition.Change{Slots: []*lease.Slot{&slot}, Partitions: []*partition.Partition{&p}})
	if !errors.Is(err, lease.ErrConflict) {
		t.Fatalf("the fenced holder's commit: %v, want a conflict", err)
	}
	if !p.Version.Equal(before.Version) {
		t.Errorf("a refused commit changed the version from %v to %v", before.Version, p.Version)
	}
	found, err := thief.Partitions(t.Context(), name, []partition.ID{p.ID()})
	if err != nil || len(found) != 1 || !found[0].Position.Offset.Equal(before.Position.Offset) {
		t.Errorf("the fenced holder's checkpoint is there: %+v, error %v", found, err)
	}
}

// mergeParentsCreateOneChild lets the parents of a merge finish at once: each creates the child unless another did, and
// takes itself off the child's parents in the same commit (I5).
func mergeParentsCreateOneChild(t *testing.T, dial Dial) {
	const parents = 4
	shared := project()
	child := partition.IDOf("child")
	var all sync.WaitGroup
	for n := range parents {
		s := open(t, dial, shared, "g")
		p := &partition.Partition{Token: fmt.Sprint("parent", n), Start: noon, State: partition.Ready, Held: true, Slot: n}
		mustCommit(t, s, partition.Change{Partitions: []*partition.Partition{p}})
		all.Go(func() {
			for try := range 50 {
				found, err := s.Partitions(t.Context(), name, []partition.ID{child})
				if err != nil {
					t.Error(err)
					return
				}
				c := &partition.Partition{Token: "child", Start: noon, State: partition.Created}
				for m := range parents {
					c.Parents = append(c.Parents, fmt.Sprint("parent", m))
				}
				if len(found) == 1 {
					c = found[0]
				}
				rest := c.Parents
				c.Parents = nil
				for _, token := range rest {
					if token != p.Token {
						c.Parents = append(c.Parents, token)
					}
				}
				if len(c.Parents) == 0 {
					c.State = partition.Ready
				}
				done := *p
				done.State, done.Held, done.Position.State = partition.Finished, false, offset.Finished
				err = s.Commit(t.Context(), name, partition.Change{Partitions: []*partition.Partition{&done, c}})
				if err == nil {
					return
				}
				if !errors.Is(err, lease.ErrConflict) {
					t.Errorf("parent %d, try %d: %v", n, try, err)
					return
				}
			}
			t.Errorf("parent %d never finished", n)
		})
	}
	all.Wait()
	s := open(t, dial, shared, "g")
	found, err := s.Partitions(t.Context(), name, []partition.ID{child})
	if err != nil || len(found) != 1 || found[0].State != partition.Ready || len(found[0].Parents) != 0 {
		t.Errorf("the child is %+v, error %v; want it ready, without parents", found, err)
	}
}
