// Command aws is the Lambda bootstrap of all three functions; SLUICE_FUNCTION says which one this deployment is. The
// REST function is for a Function URL in RESPONSE_STREAM mode.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdaurl"

	"sluice.example/functions/connect"
	"sluice.example/functions/instance"
)

// open makes the app; tests give another before the first invocation.
var open = instance.Open

// app is this environment's, opened by the first invocation and kept while the environment is warm.
var app = instance.New(func(ctx context.Context) (instance.App, error) { return open(ctx) })

func main() {
	if err := start(os.Getenv("SLUICE_FUNCTION")); err != nil {
		fmt.Fprintln(os.Stderr, "sluice:", err)
		os.Exit(1)
	}
}

// start serves invocations until the platform ends the process. It returns only for a name that it does not know.
func start(function string) error {
	switch function {
	case "connect":
		lambdaurl.Start(connect.Handler(app), lambdaurl.WithDetectContentType(true))
	case "worker":
		lambda.Start(runWorker)
	case "scheduler":
		lambda.Start(runScheduler)
	}
	return fmt.Errorf("SLUICE_FUNCTION is %q: it must be connect, worker or scheduler", function)
}
