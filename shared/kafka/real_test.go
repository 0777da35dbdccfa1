//go:build real

package kafka

import (
	"os"
	"testing"
)

// TestOnReal runs the suite on the broker that KAFKA_BOOTSTRAP or CONNECT_BOOTSTRAP_SERVERS names.
func TestOnReal(t *testing.T) {
	t.Parallel()
	bootstrap := os.Getenv("KAFKA_BOOTSTRAP")
	if bootstrap == "" {
		bootstrap = os.Getenv("CONNECT_BOOTSTRAP_SERVERS")
	}
	if bootstrap == "" {
		t.Fatal("neither KAFKA_BOOTSTRAP nor CONNECT_BOOTSTRAP_SERVERS names a broker")
	}
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.test(t, bench{bootstrap: bootstrap})
		})
	}
}
