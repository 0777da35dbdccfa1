package firestorefake_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the process that TestKilledProcessLosesNothing kills.
func TestMain(m *testing.M) {
	if path := os.Getenv(victimEnv); path != "" {
		fmt.Fprintln(os.Stderr, victim(path))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
