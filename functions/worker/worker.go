// Package worker is the worker function: one invocation runs one slot of one connector for one slice.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"sluice.example/functions/instance"
	"sluice.example/shared/scheduler"
)

// App is what the function needs of the app.
type App interface {
	RunSlot(ctx context.Context, w scheduler.Wake) error
}

// maxWake bounds the body of a wake, in bytes: a connector's name and a number.
const maxWake = 64 << 10

// Run runs the slot in the time the platform gives, see instance.Within.
func Run(ctx context.Context, app App, w scheduler.Wake) error {
	return instance.Within(ctx, "worker", func(ctx context.Context) error { return app.RunSlot(ctx, w) })
}

// Handler runs the slot that the body of a POST names and answers when the slice is over: 204, or 400 for a body that
// is no wake, or 500 with the reason.
func Handler(app App) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			instance.Fail(w, http.StatusMethodNotAllowed, errors.New("a wake is a POST"))
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxWake))
		if err != nil {
			instance.Fail(w, http.StatusBadRequest, fmt.Errorf("read wake: %w", err))
			return
		}
		wake, err := Decode(body)
		if err != nil {
			instance.Fail(w, http.StatusBadRequest, err)
			return
		}
		if err := Run(r.Context(), app, wake); err != nil {
			instance.Fail(w, http.StatusInternalServerError, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
