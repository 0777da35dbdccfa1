package partition

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"sluice.example/shared/delivery"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
)

// ID names a partition's document: a hash of its token, because real tokens may be reserved document ids (they begin and
// end with two underscores) and are long.
type ID string

// IDOf is the id of a token.
func IDOf(token string) ID {
	sum := sha256.Sum256([]byte(token))
	return ID(hex.EncodeToString(sum[:16]))
}

// State of a partition in the store.
type State string

// A partition is Created while a parent is unfinished, Ready or held (see Held) afterwards, and Finished when its last
// record and its children are in Kafka (I5).
const (
	Created  State = "CREATED"
	Ready    State = "READY"
	Finished State = "FINISHED"
)

// Partition is the document of one partition. While Held is true only the holder writes it; otherwise the scheduler.
type Partition struct {
	Token   string
	Parents []string // tokens
	Start   time.Time
	State   State

	// Position is a cache of the partition's record in the offsets topic, never ahead of it; Place is where that record
	// stands, from where a claimer after an unclean holder reads on.
	Position offset.Position
	Place    delivery.Place

	// The last claim. Held is false after a release and after the scheduler took the partition from a dead holder; Clean
	// tells which: unclean needs the fence and the tail of the offsets topic (S2).
	Held       bool
	Slot       int
	Generation int64
	Clean      bool

	// DueAt is when the scheduler should look at the partition; zero while held.
	DueAt time.Time

	Version time.Time // of the document; zero: it does not exist
}

// ID is the name of the partition's document.
func (p *Partition) ID() ID { return IDOf(p.Token) }

// Checkpoint is the timestamp below which, or at which, nothing of the partition is left to deliver: its part in the low
// watermark. A partition that has not been read holds the watermark just before its start.
func (p *Partition) Checkpoint() time.Time {
	switch {
	case p.Position.Offset.IsZero():
		return p.Start.Add(-1)
	case !p.Position.Closed: // Debezium's: its own timestamp may be delivered in part
		return p.Position.Offset.Add(-1)
	}
	return p.Position.Offset
}

// Assignment is which partitions a slot should hold; the scheduler writes it, the slot's holder follows.
type Assignment struct {
	Slot       int
	Number     int64 // grows by one with each change
	Partitions []ID
	Version    time.Time
}

// Plan is what the scheduler keeps of a connector.
type Plan struct {
	Life         string // the connector's life this plan was made for
	Source       string // project/instance/database/stream that the partitions belong to; empty: never planned
	Slots        int    // how many tasks the connector has; ids are dense from 0
	LowWatermark time.Time
	LastBeat     time.Time // last time a scheduler went through the connector and wrote
	LastStamp    time.Time
	Trouble      string // why the connector cannot be planned; empty when it can
	Version      time.Time
}

// Change is what one commit writes: all or nothing. Each document's own Version is its precondition (zero: it must not
// exist); after a commit that succeeded each carries its new Version.
type Change struct {
	Plan        *Plan
	Slots       []*lease.Slot
	Assignments []*Assignment
	Partitions  []*Partition
	Remove      []*Partition
}
