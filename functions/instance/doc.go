// Package instance is what one warm copy of a function keeps between invocations: the app, opened at the first
// invocation that needs it and shared by the later ones; and how much of the platform's time an invocation may use.
package instance

import (
	"context"
	"net/http"

	"sluice.example/shared/scheduler"
)

// App is the product as the three functions use it. Its methods are safe for concurrent use.
type App interface {
	REST() http.Handler
	RunSlot(ctx context.Context, w scheduler.Wake) error
	Tick(ctx context.Context) error
}
