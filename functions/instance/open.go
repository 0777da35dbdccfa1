package instance

import (
	"context"
	"fmt"
	"os"

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
	return wired{opened}, nil
}

// wired is the app as functions use it.
type wired struct{ *app.App }

// RunSlot drops the outcome: it is for a process that decides itself when to run the slot again.
func (w wired) RunSlot(ctx context.Context, wake scheduler.Wake) error {
	_, err := w.App.RunSlot(ctx, wake)
	return err
}
