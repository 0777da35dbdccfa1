package kafka

import (
	"bytes"
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
	"sluice.example/shared/offset"
	"sluice.example/shared/task"
)

// scan reads an offsets topic and tells keep of each position of the connector, in such an order that the last told of a
// token is the one that counts. It returns the positions that it passed over because they cannot be parsed, by token.
func (k *Kafka) scan(ctx context.Context, cfg connector.Settings, name string, from func(partitions int32) starts, keep func(string, task.Found)) (map[string]error, error) {
	cl, c, err := k.shared(consumerKind, cfg.Config)
	if err != nil {
		return nil, err
	}
	t, err := lookUp(ctx, cl, name, false)
	if err != nil && kerr.IsRetriable(err) && !unknownTopic(err) {
		t, err = waitFor(ctx, cl, name, false, shownWithin)
	}
	if err != nil {
		if unknownTopic(err) {
			c.drop(name)
		}
		return nil, c.explain("look up offsets topic "+name, err)
	}
	passed := make(map[string]error)
	strange := make(map[string]task.Found) // from a partition that is not the key's
	home := make(map[string]task.Found)
	err = read(ctx, cl, name, t, from(t.partitions), func(r *kgo.Record) error {
		of, token, ok := offset.ParseKey(r.Key)
		if !ok || of != cfg.Name {
			return nil // another connector's, or another kind's
		}
		f := task.Found{Place: delivery.Place{Partition: r.Partition, Offset: r.Offset}}
		if empty(r.Value) {
			f.Gone = true
		} else if p, err := offset.Parse(r.Value); err != nil {
			passed[token] = fmt.Errorf("offsets topic %s, partition %d, offset %d: %w", name, r.Partition, r.Offset, err)
			k.log.Warn("passing over an offset that cannot be read", "connector", cfg.Name, "topic", name, "partition", r.Partition, "offset", r.Offset, "error", err)
			return nil
		} else {
			f.Position = p
		}
		if partitionOf(r.Key, t.partitions) == r.Partition {
			home[token] = f
		} else {
			strange[token] = f
		}
		return nil
	})
	if err != nil {
		return nil, c.explain("read offsets topic "+name+" to its end", err)
	}
	for token, f := range strange {
		keep(token, f)
	}
	for token, f := range home {
		keep(token, f)
	}
	return passed, nil
}

// empty tells of a tombstone. Debezium 3.6 and later write {} in its stead when they forget a finished partition, and a
// converter may write null.
func empty(value []byte) bool {
	v := bytes.TrimSpace(value)
	return len(v) == 0 || bytes.Equal(v, []byte("{}")) || bytes.Equal(v, []byte("null"))
}
