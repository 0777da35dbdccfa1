package instance

import (
	"context"
	"net/http"

	"sluice.example/shared/scheduler"
)

// Lazy is an App that opens the real one at its first use and keeps it. An error is given to the invocation that met
// it and forgotten: the next one tries again, because a platform keeps an instance whose set-up failed.
type Lazy struct {
	open func(ctx context.Context) (App, error)
	turn chan struct{} // holds one token; who has it may look at app. A lock that a deadline can end waiting for
	app  App
}

// New answers an App that is opened by open.
func New(open func(ctx context.Context) (App, error)) *Lazy {
	return &Lazy{open: open, turn: make(chan struct{}, 1)}
}

func (l *Lazy) get(ctx context.Context) (App, error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l.app == nil {
		// The app outlives this invocation, and its clients must not end with this invocation's context.
		app, err := l.open(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		l.app = app
	}
	return l.app, nil
}

// REST answers the REST API; 503 in Connect's form while the app cannot be opened.
func (l *Lazy) REST() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		app, err := l.get(r.Context())
		if err != nil {
			Fail(w, http.StatusServiceUnavailable, err)
			return
		}
		app.REST().ServeHTTP(w, r)
	})
}

// RunSlot opens the app if need be and runs the slot.
func (l *Lazy) RunSlot(ctx context.Context, w scheduler.Wake) error {
	app, err := l.get(ctx)
	if err != nil {
		return err
	}
	return app.RunSlot(ctx, w)
}

// Tick opens the app if need be and runs one tick.
func (l *Lazy) Tick(ctx context.Context) error {
	app, err := l.get(ctx)
	if err != nil {
		return err
	}
	return app.Tick(ctx)
}
