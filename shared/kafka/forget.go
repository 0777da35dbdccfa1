package kafka

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/connector"
	"sluice.example/shared/offset"
)

// Forget writes a tombstone for each token, see scheduler.Offsets. The worker's topic gets it before the connector's own:
// a position there would come back to life when the own one is gone (KIP-618). Repeating it is harmless.
func (k *Kafka) Forget(ctx context.Context, cfg connector.Settings, tokens []string) error {
	if len(tokens) == 0 {
		return nil
	}
	cl, c, err := k.shared(producerKind, cfg.Config)
	if err != nil {
		return err
	}
	for _, name := range k.offsetsTopics(cfg) {
		if err := k.ensureOffsets(ctx, cl, c, name); err != nil {
			return c.explain("forget partitions of connector "+cfg.Name, err)
		}
		records := make([]*kgo.Record, len(tokens))
		for i, token := range tokens {
			records[i] = &kgo.Record{Topic: name, Partition: anyPartition, Key: offset.Key(cfg.Name, token)}
		}
		if err := within(ctx, func() error { return cl.ProduceSync(ctx, records...).FirstErr() }); err != nil {
			return c.explain("forget partitions of connector "+cfg.Name, err)
		}
	}
	return nil
}

// within runs do and stops waiting for it when the context ends: the client keeps a record that is under way until it is
// answered. A tombstone that is written late does no harm.
func within(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
