package gcp

import (
	"context"
	"errors"
	"log/slog"

	"cloud.google.com/go/functions/metadata"

	"sluice.example/functions/worker"
)

// message is the payload of a Pub/Sub event; JSON has its data in base64.
type message struct {
	Data []byte `json:"data"`
}

// runEvent runs the slot that a Pub/Sub message names. Events come at least once and in no order, which a slot bears: a
// wake for one that is running or gone does nothing. A message that is no wake is logged and given up, since an error
// would bring it back until it expires. The event's id is logged, to be found in the platform's own logs.
func runEvent(ctx context.Context, m message) error {
	log := slog.Default()
	if meta, err := metadata.FromContext(ctx); err == nil {
		log = log.With("event", meta.EventID)
	}
	wake, err := worker.Decode(m.Data)
	if errors.Is(err, worker.ErrWake) {
		log.ErrorContext(ctx, "message given up", "error", err)
		return nil
	}
	log.InfoContext(ctx, "woken", "connector", wake.Connector, "slot", wake.Slot)
	return worker.Run(ctx, app, wake)
}
