package kafka

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"

	"sluice.example/shared/delivery"
)

// TestFirstDeliveryIsCommitted is about a race in the client, see sink.loaded: about one first delivery in 300 was called
// committed and was not. Each sink here is new, so that each has a topic to get to know.
func TestFirstDeliveryIsCommitted(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]kfake.Opt{"implicit": nil, "with AddPartitionsToTxn": {kfake.MaxVersions(kversion.V3_6_0())}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const sinks = 150
			b, _ := fake(t, opts...)
			k := b.kafka(t)
			cfg := b.connector(k)
			topic := b.name("data")
			for n := range sinks {
				s := open(t, k, cfg, fmt.Sprint(n))
				deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, fmt.Sprint(n), "v")}})
				s.Close(limited(t))
			}
			if got := len(committed(t, k, topic)); got != sinks {
				t.Errorf("%d of %d first deliveries are visible", got, sinks)
			}
		})
	}
}
