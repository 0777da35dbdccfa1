package instance

import (
	"context"
	"fmt"
	"os"
	"sync"

	"sluice.example/shared/app"
	"sluice.example/shared/scheduler"
)

// Open wires the app from the worker properties file that SLUICE_PROPERTIES names, if any, and the CONNECT_* variables
// of the environment. It reaches no service; an error names the setting that cannot be used.
func Open(ctx context.Context) (App, error) {
	properties, err := app.LoadProperties(os.Getenv("SLUICE_PROPERTIES"), os.Environ())
	if err != nil {
		return nil, fmt.Errorf("load worker properties: %w", err)
	}
	opened, err := app.Open(ctx, properties, app.Options{})
	if err != nil {
		return nil, fmt.Errorf("open app: %w", err)
	}
	return &wired{App: opened}, nil
}

// wired is the app as functions use it.
type wired struct {
	*app.App
	mu       sync.Mutex
	prepared bool
}

// RunSlot drops the outcome: it is for a process that decides itself when to run the slot again.
func (w *wired) RunSlot(ctx context.Context, wake scheduler.Wake) error {
	_, err := w.App.RunSlot(ctx, wake)
	return err
}

// Tick makes the internal topics before the first tick of an instance. The scheduler does it for all three functions,
// because nothing else happens before a first tick has planned it.
func (w *wired) Tick(ctx context.Context) error {
	if err := w.prepare(ctx); err != nil {
		return err
	}
	return w.App.Tick(ctx)
}

func (w *wired) prepare(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.prepared {
		return nil
	}
	if err := w.App.Prepare(ctx); err != nil {
		return fmt.Errorf("prepare internal topics: %w", err)
	}
	w.prepared = true
	return nil
}
