// Command cmd serves the Google functions on this machine as the platform does: on PORT (8080), the function that
// FUNCTION_TARGET names at the root, or without it each at its own name. LOCAL_ONLY=true listens on loopback alone.
package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"

	_ "sluice.example/functions/gcp"
)

func main() {
	host := ""
	if os.Getenv("LOCAL_ONLY") == "true" {
		host = "127.0.0.1"
	}
	if err := funcframework.StartHostPort(host, cmp.Or(os.Getenv("PORT"), "8080")); err != nil {
		fmt.Fprintln(os.Stderr, "serve functions:", err)
		os.Exit(1)
	}
}
