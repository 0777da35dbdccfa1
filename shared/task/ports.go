package task

import (
	"context"

	"sluice.example/shared/changestream"
	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
	"sluice.example/shared/tableschema"
)

// Store is what a task asks of the store of leases. Errors wrap lease.ErrConflict or lease.ErrStore.
type Store interface {
	// Open reads the documents that a slot acts on, in one round trip: connector, plan, slot, assignment. A connector that does not exist has an empty
	// Name; a missing slot or assignment has a zero Version. The slot carries ReadAt, the store's time.
	Open(ctx context.Context, name string, slot int) (View, error)
	// Slot reads one slot.
	Slot(ctx context.Context, name string, slot int) (lease.Slot, error)
	// HeldBy reads every unfinished partition whose document says that the slot holds it, whatever the generation.
	HeldBy(ctx context.Context, name string, slot int) ([]*partition.Partition, error)
	// Partitions reads partitions by id; those that do not exist are left out.
	Partitions(ctx context.Context, name string, ids []partition.ID) ([]*partition.Partition, error)
	// Commit writes the change, all or nothing, see partition.Change. A commit whose answer was lost but which was applied
	// counts as applied.
	Commit(ctx context.Context, name string, change partition.Change) error
}

// View is what a slot acts on.
type View struct {
	Connector  connector.Connector
	Plan       partition.Plan // for the low watermark; a zero Version when there is none yet
	Slot       lease.Slot
	Assignment partition.Assignment
}

// Kafka is what a task asks of Kafka.
type Kafka interface {
	// Open makes the slot's sink and takes its producer id at once, which fences whoever used the transactional id
	// before.
	Open(ctx context.Context, transactionalID string, cfg connector.Settings) (delivery.Sink, error)
	// Fence takes the producer id of another slot's transactional id away, and returns when its open transaction is
	// committed or aborted whole.
	Fence(ctx context.Context, transactionalID string, cfg connector.Settings) error
	// Partitions is how many partitions a data topic has; the topic is created when it does not exist, with the
	// connector's topic.creation.* settings.
	Partitions(ctx context.Context, topic string, cfg connector.Settings) (int32, error)
	// Tail reads the offsets topic from each place up to the end as it is now, read_committed, and returns the newest
	// position of each token that has one there. A token with a zero place is read from the beginning.
	Tail(ctx context.Context, cfg connector.Settings, from map[string]delivery.Place) (map[string]Found, error)
}

// Found is a position read from the offsets topic. Gone tells of a tombstone.
type Found struct {
	Position offset.Position
	Place    delivery.Place
	Gone     bool
}

// Source opens a connector's change stream. An error that wraps changestream.ErrTransient may go away by itself.
type Source interface {
	Open(ctx context.Context, cfg connector.Settings) (Stream, error)
}

// Stream is an opened change stream.
type Stream interface {
	changestream.Reader
	// Tables describes the tables that the stream watches, as they are now.
	Tables(ctx context.Context) ([]tableschema.Table, error)
	Close()
}
