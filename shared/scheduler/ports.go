package scheduler

import (
	"context"
	"time"

	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
	"sluice.example/shared/partition"
)

// Store is what the scheduler asks of the store. Errors wrap lease.ErrConflict or lease.ErrStore.
type Store interface {
	// Connectors reads every connector, sorted by name.
	Connectors(ctx context.Context) ([]connector.Connector, error)
	// Snapshot reads what planning needs, all at one moment: a watermark computed from documents of different moments
	// could pass a partition on its way from one holder to another (I4).
	Snapshot(ctx context.Context, name string) (Snapshot, error)
	// HeldBy reads every unfinished partition whose document says that the slot holds it, whatever the generation.
	HeldBy(ctx context.Context, name string, slot int) ([]*partition.Partition, error)
	// Partitions reads partitions by id; those that do not exist are left out.
	Partitions(ctx context.Context, name string, ids []partition.ID) ([]*partition.Partition, error)
	// Commit writes the change, all or nothing, see partition.Change.
	Commit(ctx context.Context, name string, change partition.Change) error
}

// Snapshot is one connector's documents at one moment.
type Snapshot struct {
	Connector   connector.Connector // an empty Name: it was deleted meanwhile
	Plan        partition.Plan      // an empty Source: never planned
	Slots       []lease.Slot        // sorted by number
	Assignments []partition.Assignment
	Due         []*partition.Partition // those whose DueAt has come by ReadAt, finished ones too, the earliest first, at most DueLimit of them
	Unheld      time.Time              // the lowest checkpoint of unfinished partitions that nobody holds; zero: there are none
	ReadAt      time.Time              // the store's time
}

// DueLimit bounds how many partitions one snapshot carries; the rest are looked at next time.
const DueLimit = 500

// Offsets is what the scheduler asks of Kafka when it plans a connector for the first time or rebuilds a lost store.
type Offsets interface {
	// Fence takes the producer id of a slot away, see task.Kafka.
	Fence(ctx context.Context, transactionalID string, cfg connector.Settings) error
	// Offsets reads every position of the connector from the offsets topic up to its end as it is now.
	Offsets(ctx context.Context, cfg connector.Settings) (map[string]Found, error)
	// Forget writes tombstones for finished partitions that nothing refers to any more.
	Forget(ctx context.Context, cfg connector.Settings, tokens []string) error
}

// Found is a position read from the offsets topic.
type Found struct {
	Position offset.Position
	Place    delivery.Place
}

// Waker asks a worker to run a slot soon. A lost wake costs a tick, never a change.
type Waker interface {
	Wake(ctx context.Context, w Wake) error
}

// Wake names the slot to run.
type Wake struct {
	Connector string `json:"connector"`
	Slot      int    `json:"slot"`
}

// Announcer publishes low-watermark stamps.
type Announcer interface {
	Stamp(ctx context.Context, c connector.Connector, lowWatermark time.Time) error
}
