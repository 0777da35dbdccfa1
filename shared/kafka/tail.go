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
	"sluice.example/shared/scheduler"
	"sluice.example/shared/task"
)

// Tail reads the offsets topic from each place up to the end as it is now, see task.Kafka. After a fence, whatever the
// loser committed is below that end. Failing to read, also for lack of time, is an error and never "nothing found" (LC-09).
//
// A place whose partition is not the key's own (the topic got more partitions) is read in both; what stands in the key's
// own wins.
func (k *Kafka) Tail(ctx context.Context, cfg connector.Settings, from map[string]delivery.Place) (map[string]task.Found, error) {
	found := make(map[string]task.Found)
	if len(from) == 0 {
		return found, nil
	}
	err := k.scan(ctx, cfg, cfg.OffsetsTopic, func(partitions int32) map[int32]int64 {
		starts := make(map[int32]int64)
		for token, place := range from {
			home := partitionOf(offset.Key(cfg.Name, token), partitions)
			if place.Partition != home {
				earlier(starts, home, 0)
			}
			if place.Partition < partitions && place != (delivery.Place{}) {
				earlier(starts, place.Partition, place.Offset)
			} else {
				earlier(starts, home, 0)
			}
		}
		return starts
	}, func(token string, f task.Found) {
		if _, asked := from[token]; asked {
			found[token] = f
		}
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func earlier(starts map[int32]int64, partition int32, offset int64) {
	if have, ok := starts[partition]; !ok || offset < have {
		starts[partition] = offset
	}
}

// Offsets reads every position of the connector, see scheduler.Offsets. A connector with an offsets topic of its own also
// has what the worker's topic knows and its own does not, as in Connect (KIP-618); such a position has the zero Place.
//
// A topic that does not exist is made, and then holds nothing. Any other trouble is an error (LC-09).
func (k *Kafka) Offsets(ctx context.Context, cfg connector.Settings) (map[string]scheduler.Found, error) {
	all := func(partitions int32) map[int32]int64 {
		starts := make(map[int32]int64, partitions)
		for p := range partitions {
			starts[p] = 0
		}
		return starts
	}
	newest := make(map[string]task.Found)
	cl, c, err := k.shared(adminKind, cfg.Config)
	if err != nil {
		return nil, err
	}
	for _, name := range k.offsetsTopics(cfg) {
		// Creating decides whether the topic exists: only the controller knows for certain that it does not.
		if err := k.ensureOffsets(ctx, cl, c, name); err != nil {
			return nil, c.explain("read offsets of connector "+cfg.Name, err)
		}
		err := k.scan(ctx, cfg, name, all, func(token string, f task.Found) {
			if name != cfg.OffsetsTopic {
				f.Place = delivery.Place{}
			}
			newest[token] = f
		})
		if err != nil {
			return nil, err
		}
	}
	found := make(map[string]scheduler.Found, len(newest))
	for token, f := range newest {
		if !f.Gone {
			found[token] = scheduler.Found{Position: f.Position, Place: f.Place}
		}
	}
	return found, nil
}

// offsetsTopics are the topics that may hold positions of a connector, the one that counts last.
func (k *Kafka) offsetsTopics(cfg connector.Settings) []string {
	if shared := k.worker["offset.storage.topic"]; shared != "" && shared != cfg.OffsetsTopic {
		return []string{shared, cfg.OffsetsTopic}
	}
	return []string{cfg.OffsetsTopic}
}

// scan reads an offsets topic and tells keep of each position of the connector, in such an order that the last told of a
// token is the one that counts.
func (k *Kafka) scan(ctx context.Context, cfg connector.Settings, name string, from func(partitions int32) map[int32]int64, keep func(string, task.Found)) error {
	cl, c, err := k.shared(consumerKind, cfg.Config)
	if err != nil {
		return err
	}
	t, err := lookUp(ctx, cl, name, false)
	if err != nil && kerr.IsRetriable(err) && !unknownTopic(err) {
		t, err = waitFor(ctx, cl, name, false, shownWithin)
	}
	if err != nil {
		if unknownTopic(err) {
			c.drop(name)
		}
		return c.explain("look up offsets topic "+name, err)
	}
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
		} else if f.Position, err = offset.Parse(r.Value); err != nil {
			return fmt.Errorf("offsets topic %s, partition %d, offset %d: %w", name, r.Partition, r.Offset, err)
		}
		if partitionOf(r.Key, t.partitions) == r.Partition {
			home[token] = f
		} else {
			strange[token] = f
		}
		return nil
	})
	if err != nil {
		return c.explain("read offsets topic "+name+" to its end", err)
	}
	for token, f := range strange {
		keep(token, f)
	}
	for token, f := range home {
		keep(token, f)
	}
	return nil
}

// empty tells of a tombstone. Debezium 3.6 and later write {} in its stead when they forget a finished partition, and a
// converter may write null.
func empty(value []byte) bool {
	v := bytes.TrimSpace(value)
	return len(v) == 0 || bytes.Equal(v, []byte("{}")) || bytes.Equal(v, []byte("null"))
}
