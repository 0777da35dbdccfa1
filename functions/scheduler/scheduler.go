// Package scheduler is the scheduler function: one invocation is one tick. Ticks that come twice or at once are
// harmless, so it asks nothing of the request but that it came.
package scheduler

import (
	"context"
	"net/http"

	"sluice.example/functions/instance"
)

// App is what the function needs of the app.
type App interface {
	Tick(ctx context.Context) error
}

// Run is one tick in the time the platform gives, see instance.Within.
func Run(ctx context.Context, app App) error {
	return instance.Within(ctx, "scheduler", app.Tick)
}

// Handler ticks at every request, whatever its method and body, and answers 204, or 500 with the reason.
func Handler(app App) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := Run(r.Context(), app); err != nil {
			instance.Fail(w, http.StatusInternalServerError, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
