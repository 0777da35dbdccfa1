package scheduler

import (
	"sort"

	"sluice.example/shared/partition"
)

// desk is the assignments of a connector while they are being changed: balanced, and sticky in that a partition moves only
// when its slot is gone or much fuller than another.
type desk struct {
	was   map[int]partition.Assignment
	ids   map[int][]partition.ID
	moved map[int]bool
	at    map[partition.ID]int
}

func newDesk(snap Snapshot) *desk {
	d := &desk{was: make(map[int]partition.Assignment), ids: make(map[int][]partition.ID), moved: make(map[int]bool), at: make(map[partition.ID]int)}
	for _, a := range snap.Assignments {
		d.was[a.Slot] = a
		d.ids[a.Slot] = append([]partition.ID(nil), a.Partitions...)
		for _, id := range a.Partitions {
			d.at[id] = a.Slot
		}
	}
	return d
}

// total is how many partitions are assigned.
func (d *desk) total() int { return len(d.at) }

// remove takes partitions out of whatever assignment they are in.
func (d *desk) remove(ids []partition.ID) {
	for _, id := range ids {
		n, ok := d.at[id]
		if !ok {
			continue
		}
		delete(d.at, id)
		list := d.ids[n]
		for i := range list {
			if list[i] == id {
				d.ids[n] = append(list[:i], list[i+1:]...)
				break
			}
		}
		d.moved[n] = true
	}
}

// add assigns a partition to a slot.
func (d *desk) add(id partition.ID, n int) {
	d.ids[n] = append(d.ids[n], id)
	d.at[id] = n
	d.moved[n] = true
}

// clear takes everything from everybody.
func (d *desk) clear() {
	for n, list := range d.ids {
		if len(list) > 0 {
			d.ids[n], d.moved[n] = nil, true
		}
	}
	clear(d.at)
}

// fit takes the partitions of slots that are no more. Their holders release them; they come back as unassigned.
func (d *desk) fit(count int) {
	for n, list := range d.ids {
		if n >= count && len(list) > 0 {
			d.remove(append([]partition.ID(nil), list...))
		}
	}
}

// unassigned are those of the partitions that no assignment has.
func (d *desk) unassigned(ps []*partition.Partition) []partition.ID {
	var out []partition.ID
	seen := make(map[partition.ID]bool)
	for _, p := range ps {
		if _, ok := d.at[p.ID()]; !ok && !seen[p.ID()] {
			seen[p.ID()] = true
			out = append(out, p.ID())
		}
	}
	return out
}

// balance gives the ready partitions to the emptiest slots, then evens out what differs by more than one. A failed slot
// gets nothing new and keeps what it has: its fault may lie in one of its partitions, and would only move.
func (d *desk) balance(ready []partition.ID, count int, failed map[int]bool) {
	var open []int
	for n := range count {
		if !failed[n] {
			open = append(open, n)
		}
	}
	if len(open) == 0 {
		return
	}
	for _, id := range ready {
		d.add(id, d.emptiest(open))
	}
	for range len(d.at) {
		low, high := d.emptiest(open), d.fullest(open)
		if len(d.ids[high])-len(d.ids[low]) <= 1 {
			return
		}
		list := d.ids[high]
		id := list[len(list)-1]
		d.remove([]partition.ID{id})
		d.add(id, low)
	}
}

func (d *desk) emptiest(open []int) int {
	best := open[0]
	for _, n := range open {
		if len(d.ids[n]) < len(d.ids[best]) {
			best = n
		}
	}
	return best
}

func (d *desk) fullest(open []int) int {
	best := open[0]
	for _, n := range open {
		if len(d.ids[n]) > len(d.ids[best]) {
			best = n
		}
	}
	return best
}

// changed are the assignments to write, by slot.
func (d *desk) changed() []*partition.Assignment {
	var out []*partition.Assignment
	for n := range d.moved {
		a := d.was[n]
		a.Slot = n
		a.Number++
		a.Partitions = d.ids[n]
		out = append(out, &a)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Slot < out[j].Slot })
	return out
}
