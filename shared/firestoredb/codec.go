package firestoredb

import (
	"time"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
)

// This file is the stored form of every document; testdata holds what it writes. A field's name is a promise to the
// documents that already exist. Fields that queries use are plain, all others are exempt from indexes, which
// infra/firestore/indexes.json says to Firestore. Version and ReadAt are the document's own times and no fields.

// commitField names the commit that wrote the document last, see outcome.go.
const commitField = "commit_id"

// The fields that queries use.
const (
	dueField       = "due_at"
	watermarkField = "watermark"
	heldField      = "lease_slot"
)

func codeConnector(c *coder, v *connector.Connector) {
	text(c, "name", &v.Name)
	document(c, "config", &v.Config, v.Config == nil)
	text(c, "target", &v.Target)
	text(c, "life", &v.Life)
	integer(c, "epoch", &v.Epoch)
	integer(c, "generation", &v.Generation)
	document(c, "restarts", &v.Restarts, v.Restarts == nil)
	moment(c, "created_at", &v.CreatedAt)
}

func codePlan(c *coder, v *partition.Plan) {
	text(c, "life", &v.Life)
	text(c, "source", &v.Source)
	integer(c, "slots", &v.Slots)
	moment(c, "low_watermark", &v.LowWatermark)
	moment(c, "last_beat", &v.LastBeat)
	moment(c, "last_stamp", &v.LastStamp)
	prose(c, "trouble", &v.Trouble)
}

func codeAssignment(c *coder, v *partition.Assignment) {
	integer(c, "slot", &v.Slot)
	integer(c, "number", &v.Number)
	texts(c, "partitions", &v.Partitions)
}

func codeSlot(c *coder, v *lease.Slot) {
	integer(c, "slot", &v.Number)
	integer(c, "generation", &v.Generation)
	text(c, "owner", &v.Owner)
	text(c, "lease_id", &v.LeaseID)
	stamp(c, "expiry", &v.Expiry)
	boolean(c, "free", &v.Free)
	integer(c, "inited", &v.Inited)
	moment(c, "lowest", &v.Lowest)
	integer(c, "holds", &v.Holds)
	text(c, "state", &v.State)
	prose(c, "trace", &v.Trace)
	text(c, "life", &v.Life)
	integer(c, "epoch", &v.Epoch)
	integer(c, "assignment", &v.Assignment)
}

func codePartition(c *coder, v *partition.Partition) {
	text(c, "token", &v.Token)
	texts(c, "parents", &v.Parents)
	moment(c, "start", &v.Start)
	text(c, "state", &v.State)
	codePosition(c, &v.Position)
	integer(c, "place_partition", &v.Place.Partition)
	integer(c, "place_offset", &v.Place.Offset)
	boolean(c, "held", &v.Held)
	integer(c, "slot", &v.Slot)
	integer(c, "generation", &v.Generation)
	boolean(c, "clean", &v.Clean)
	stamp(c, dueField, &v.DueAt)

	// A query finds no document without the field. The watermark is rounded down to what Firestore keeps, so that the
	// lowest of them never passes a checkpoint (I4).
	unfinished := v.State != partition.Finished
	c.derived(watermarkField, watermark(v), v.Held || !unfinished)
	c.derived(heldField, int64(v.Slot), !v.Held || !unfinished)
}

// watermark is the partition's checkpoint as a Firestore timestamp. Those begin with the year 1, whose first moment is
// Go's zero time: a partition without any start, which holds everything back, is put just after it.
func watermark(v *partition.Partition) time.Time {
	t := floor(v.Checkpoint())
	if first := (time.Time{}).Add(time.Microsecond); t.Before(first) {
		return first
	}
	return t
}

func codePosition(c *coder, v *offset.Position) {
	moment(c, "checkpoint", &v.Offset)
	boolean(c, "checkpoint_closed", &v.Closed)
	moment(c, "last_seen", &v.LastSeen)
	moment(c, "next", &v.Next)
	text(c, "checkpoint_state", &v.State)
	moment(c, "checkpoint_start", &v.Start)
	texts(c, "checkpoint_parents", &v.Parents)
	document(c, "children", &v.Children, v.Children == nil)
}
