package connectapi

import (
	"context"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// Store is what the REST API asks of the store. Errors wrap lease.ErrConflict or lease.ErrStore.
type Store interface {
	// Connectors reads every connector, sorted by name.
	Connectors(ctx context.Context) ([]connector.Connector, error)
	// Connector reads one; an empty Name says that it does not exist.
	Connector(ctx context.Context, name string) (connector.Connector, error)
	// PutConnector writes a connector. Its Version is the precondition (zero: it must not exist); ErrConflict otherwise.
	PutConnector(ctx context.Context, c *connector.Connector) error
	// DeleteConnector removes the connector, under the same precondition. What else is stored about it stays until the
	// scheduler has taken it apart.
	DeleteConnector(ctx context.Context, c *connector.Connector) error
	// Tasks reads the plan and the slots of a connector, from which its status is told.
	Tasks(ctx context.Context, name string) (partition.Plan, []lease.Slot, error)
}

// Checker is the part of validation that needs a network: that the change stream exists and can be read. It answers
// within its context's time; problems are by key, in the words for the user.
type Checker interface {
	Check(ctx context.Context, s connector.Settings) map[string][]string
}

// Waker tells the scheduler that a connector changed, so that nobody waits for the next tick. It does not block.
type Waker interface {
	Changed(name string)
}
