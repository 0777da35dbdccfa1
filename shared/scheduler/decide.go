package scheduler

import (
	"sort"
	"strconv"
	"time"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// Decision is what one round writes and does.
type Decision struct {
	Changes []partition.Change
	Forget  []*partition.Partition // finished partitions to forget in the offsets topic, before Changes removes them
	Wake    []int                  // slots that should run
	Low     time.Time              // the low watermark; zero: none known
	Stamp   bool                   // this round won the right to send stamps, once Changes is written
	Again   bool                   // another round may find more to do
}

// Decide plans one connector from one moment's documents; kin holds parents and children by token. It is pure: the same
// snapshot gives the same decision, whoever looks.
func Decide(snap Snapshot, st connector.Settings, kin map[string]*partition.Partition) Decision {
	var d Decision
	plan := snap.Plan
	desk := newDesk(snap)

	promoted := d.promote(snap, kin)
	done, settled := d.settle(snap, st, kin)
	desk.remove(done)

	ready := desk.unassigned(append(promoted, readyOnes(snap.Due)...))
	plan.Slots = slots(snap, st, desk, len(ready))
	switch snap.Connector.Target {
	case connector.Stopped:
		desk.clear()
		plan.Slots = 0
	default:
		desk.fit(plan.Slots)
		desk.balance(ready, plan.Slots, failed(snap))
	}
	for _, a := range desk.changed() {
		d.Changes = append(d.Changes, partition.Change{Assignments: []*partition.Assignment{a}})
		d.Again = true
	}
	// After the assignments: a finished partition that was settled is not looked at for long, and would stay in one.
	d.Changes = append(d.Changes, settled...)
	d.makeRoom(snap, desk, promoted)

	d.watermark(snap, st, &plan)
	plan.Life, plan.Source, plan.Trouble = snap.Connector.Life, source(st), ""
	if planMoved(snap.Plan, plan) {
		plan.LastBeat = snap.ReadAt
		d.Changes = append(d.Changes, partition.Change{Plan: &plan})
	}
	d.wake(snap, desk, plan.Slots)
	return d
}

// planMoved tells whether the plan is worth writing.
func planMoved(old, now partition.Plan) bool {
	old.Version, now.Version = time.Time{}, time.Time{}
	return old != now
}

// promote makes children ready whose parents are all finished (I5).
func (d *Decision) promote(snap Snapshot, kin map[string]*partition.Partition) []*partition.Partition {
	var ready []*partition.Partition
	for _, p := range snap.Due {
		if p.State != partition.Created || p.Held {
			continue
		}
		if ok, _, _ := partition.MayStart(p, kin); ok {
			p := *p
			p.State, p.DueAt = partition.Ready, snap.ReadAt
			ready = append(ready, &p)
		}
	}
	for i := 0; i < len(ready); i += chunk {
		d.Changes = append(d.Changes, partition.Change{Partitions: ready[i:min(i+chunk, len(ready))]})
		d.Again = true
	}
	return ready
}

// settle handles finished partitions: at first sight they leave their assignment and get a date of removal; when that has
// come and every child has begun, they are forgotten.
func (d *Decision) settle(snap Snapshot, st connector.Settings, kin map[string]*partition.Partition) (done []partition.ID, changes []partition.Change) {
	var change partition.Change
	for _, p := range snap.Due {
		if p.State != partition.Finished {
			continue
		}
		done = append(done, p.ID())
		q := *p
		switch {
		case p.Clean: // not seen before
			q.Clean, q.DueAt = false, snap.ReadAt.Add(st.FinishedRetention)
			change.Partitions = append(change.Partitions, &q)
		case ripe(p, snap.ReadAt, st) && partition.MayForget(p, kin):
			d.Forget = append(d.Forget, &q)
			change.Remove = append(change.Remove, &q)
		case ripe(p, snap.ReadAt, st):
			q.DueAt = snap.ReadAt.Add(time.Minute)
			change.Partitions = append(change.Partitions, &q)
		}
	}
	if len(change.Partitions)+len(change.Remove) > 0 {
		changes = append(changes, change)
	}
	return done, changes
}

// lookAgain is when a partition for which nothing could be done is looked at again, where others wait to be looked at.
const lookAgain = 10 * time.Second

// makeRoom puts off partitions for which nothing can be done now, when a snapshot is full of due ones: those that wait for
// parents, and those that no slot may claim. Otherwise they would hide the rest for ever, their own parents included.
func (d *Decision) makeRoom(snap Snapshot, desk *desk, promoted []*partition.Partition) {
	if len(snap.Due) < DueLimit {
		return
	}
	moved := make(map[partition.ID]bool)
	for _, p := range promoted {
		moved[p.ID()] = true
	}
	broken := failed(snap)
	var later []*partition.Partition
	for _, p := range snap.Due {
		slot, ok := desk.at[p.ID()]
		idle := !ok || broken[slot] || snap.Connector.Target != connector.Started
		if p.Held || moved[p.ID()] || p.State != partition.Created && (p.State != partition.Ready || !idle) {
			continue
		}
		q := *p
		q.DueAt = snap.ReadAt.Add(lookAgain)
		later = append(later, &q)
	}
	for i := 0; i < len(later); i += chunk {
		d.Changes = append(d.Changes, partition.Change{Partitions: later[i:min(i+chunk, len(later))]})
		d.Again = true
	}
}

// ripe tells whether the date of removal of a finished partition has come.
func ripe(p *partition.Partition, now time.Time, _ connector.Settings) bool {
	return !p.Clean && !p.DueAt.After(now)
}

// watermark moves the low watermark forward, never back (I4), and decides about stamps.
func (d *Decision) watermark(snap Snapshot, st connector.Settings, plan *partition.Plan) {
	if low, ok := partition.LowWatermark(snap.Slots, snap.Unheld); ok && low.After(plan.LowWatermark) && low.Sub(plan.LowWatermark) >= st.WatermarkPeriod {
		plan.LowWatermark = low
	}
	d.Low = plan.LowWatermark
	if st.LowWatermark && !d.Low.IsZero() && snap.Connector.Target == connector.Started && snap.ReadAt.Sub(plan.LastStamp) >= st.StampInterval {
		plan.LastStamp = snap.ReadAt
		d.Stamp = true
	}
}

// slots is how many tasks the connector has.
func slots(snap Snapshot, st connector.Settings, desk *desk, waiting int) int {
	if !st.Scaler {
		return st.TasksMax
	}
	inWork := waiting + desk.total()
	current := snap.Plan.Slots
	if current == 0 {
		current = st.TasksMin
	}
	idle := 0
	for n := range current {
		if len(desk.ids[n]) == 0 {
			idle++
		}
	}
	return connector.Scale(current, st.DesiredPartitions, st.TasksMax, st.TasksMin, inWork, idle)
}

// failed are the slots that must not get more work.
func failed(snap Snapshot) map[int]bool {
	out := make(map[int]bool)
	for _, s := range snap.Slots {
		if s.State == lease.Failed && s.Life == snap.Connector.Life && s.Epoch >= snap.Connector.EpochOf(strconv.Itoa(s.Number)) {
			out[s.Number] = true
		}
	}
	return out
}

// wake lists the slots that have partitions and nobody who works on them.
func (d *Decision) wake(snap Snapshot, desk *desk, count int) {
	if snap.Connector.Target != connector.Started {
		return
	}
	live, broken := make(map[int]bool), failed(snap)
	for _, s := range snap.Slots {
		live[s.Number] = s.Live()
	}
	for n := range count {
		if !broken[n] && len(desk.ids[n]) > 0 && (!live[n] || desk.moved[n]) {
			d.Wake = append(d.Wake, n)
		}
	}
}

func readyOnes(due []*partition.Partition) []*partition.Partition {
	var out []*partition.Partition
	for _, p := range due {
		if p.State == partition.Ready && !p.Held {
			out = append(out, p)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Start.Before(out[j].Start) })
	return out
}
