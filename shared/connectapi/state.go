package connectapi

import (
	"slices"
	"strconv"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// statusBody is a connector's status as answers show it. Version is always there; trace only when there is one.
type statusBody struct {
	Name      string        `json:"name"`
	Connector partStatus    `json:"connector"`
	Tasks     []taskStatus  `json:"tasks"`
	Type      connectorType `json:"type"`
}

type partStatus struct {
	State   string `json:"state"`
	Worker  string `json:"worker_id"`
	Version string `json:"version"`
	Trace   string `json:"trace,omitempty"`
}

type taskStatus struct {
	ID int `json:"id"`
	partStatus
}

type connectorType string

const source connectorType = "source"

// States that are shown and that nobody writes.
const (
	running    = "RUNNING"
	paused     = "PAUSED"
	stopped    = "STOPPED"
	failedTask = "FAILED"
	unassigned = "UNASSIGNED"
	restarting = "RESTARTING"
)

// view is what is stored about one connector, from which its status is told.
type view struct {
	connector connector.Connector
	plan      partition.Plan
	slots     []lease.Slot
	worker    string // shown where no worker has been yet
}

// planned tells whether the plan was made for this life of the connector: a re-created one starts without tasks.
func (v *view) planned() bool {
	return !v.plan.Version.IsZero() && v.plan.Life == v.connector.Life
}

// taskCount is how many tasks the connector has: none when it is stopped or not planned yet.
func (v *view) taskCount() int {
	if v.connector.Target == connector.Stopped || !v.planned() {
		return 0
	}
	return v.plan.Slots
}

// status tells the state of the connector and of each task, in the order of their ids.
func (v *view) status() statusBody {
	body := statusBody{Name: v.connector.Name, Connector: v.part(), Tasks: []taskStatus{}, Type: source}
	for n := range v.taskCount() {
		body.Tasks = append(body.Tasks, v.task(n))
	}
	return body
}

// part is the connector itself. What the user asked for is true at once; that it runs is true once it is planned. One
// that cannot be planned stays FAILED while paused, as a failed connector of the peer does, but not when stopped (RE-17).
func (v *view) part() partStatus {
	p := partStatus{State: unassigned, Worker: v.worker, Version: connector.PluginVersion}
	switch {
	case v.connector.Target == connector.Stopped:
		p.State = stopped
	case v.planned() && v.plan.Trouble != "":
		p.State, p.Trace = failedTask, v.plan.Trouble
	case v.connector.Target == connector.Paused:
		p.State = paused
	case v.planned():
		p.State = running
	}
	return p
}

// task is one task. A slot's state counts only for the life of the connector that it was written for. A failure of an
// earlier epoch is about to be tried again, which is what RESTARTING says; its trace stays until then.
func (v *view) task(n int) taskStatus {
	t := taskStatus{ID: n, partStatus: partStatus{State: unassigned, Worker: v.worker, Version: connector.PluginVersion}}
	slot := v.slot(n)
	if slot.Life == v.connector.Life && slot.State != "" {
		t.State, t.Trace = string(slot.State), slot.Trace
		if slot.Owner != "" {
			t.Worker = slot.Owner
		}
	}
	switch {
	case t.State == failedTask && slot.Epoch < v.connector.EpochOf(strconv.Itoa(n)):
		t.State = restarting
	case t.State != failedTask && v.connector.Target == connector.Paused:
		t.State = paused
	}
	return t
}

// slot is the document of slot n; the zero Slot when there is none.
func (v *view) slot(n int) lease.Slot {
	i := slices.IndexFunc(v.slots, func(s lease.Slot) bool { return s.Number == n })
	if i < 0 {
		return lease.Slot{Number: n}
	}
	return v.slots[i]
}
