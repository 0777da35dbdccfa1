// Package gcp registers the three functions with Google's functions framework: connect, worker and scheduler over
// HTTP, and worker-event for a wake that comes as a Pub/Sub message. Importing it is enough.
//
// With FUNCTION_TARGET set, as deployed, the framework serves that one at the root. Without it each is served at its
// own name, and connect below /connect/ as well, which the framework would not do for a path with something after it.
package gcp

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
	"github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"sluice.example/functions/connect"
	"sluice.example/functions/instance"
	"sluice.example/functions/scheduler"
	"sluice.example/functions/worker"
)

// open makes the app; tests give another before the first request.
var open = instance.Open

// app is this instance's, opened by the first invocation and kept while the instance is warm.
var app = instance.New(func(ctx context.Context) (instance.App, error) { return open(ctx) })

const eventTarget = "worker-event"

func init() {
	functions.HTTP("connect", connect.Handler(app).ServeHTTP)
	functions.HTTP("worker", worker.Handler(app).ServeHTTP)
	functions.HTTP("scheduler", scheduler.Handler(app).ServeHTTP)
	// What is registered by path has no name, and the framework serves the last such thing for any target that it does
	// not know. An unknown target must fail at start (FN-07), so register by path only where it is asked for.
	ctx := context.Background()
	switch os.Getenv("FUNCTION_TARGET") {
	case "":
		below := connect.Below("/connect", app)
		must(funcframework.RegisterHTTPFunctionContext(ctx, "/connect/", func(w http.ResponseWriter, r *http.Request) {
			below.ServeHTTP(w, r)
		}))
		must(funcframework.RegisterEventFunctionContext(ctx, "/"+eventTarget, runEvent))
	case eventTarget:
		must(funcframework.RegisterEventFunctionContext(ctx, "/", runEvent))
	}
}

// must ends the process at start, as the framework itself does for a function that it cannot register.
func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "register function:", err)
		os.Exit(1)
	}
}
