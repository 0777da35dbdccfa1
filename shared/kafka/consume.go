package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/delivery"
)

// Consumed is a record read from a topic.
type Consumed struct {
	Topic      string
	Partition  int32
	Offset     int64
	Timestamp  time.Time
	Key, Value []byte // nil: null
	Headers    []delivery.Header
}

// ConsumeOption changes what Consume reads.
type ConsumeOption struct{ opt kgo.Opt }

// Uncommitted also gives records of transactions that are open or were aborted.
func Uncommitted() ConsumeOption {
	return ConsumeOption{kgo.FetchIsolationLevel(kgo.ReadUncommitted())}
}

// Consume gives each record of a topic, as read_committed, from the beginning or from now on, until the context ends
// (nil) or each returns an error (that error). It uses a client of its own and no consumer group.
func (k *Kafka) Consume(ctx context.Context, topic string, fromBeginning bool, each func(Consumed) error, options ...ConsumeOption) error {
	values, err := k.layers(consumerKind, nil)
	if err != nil {
		return err
	}
	w, err := k.way(values)
	if err != nil {
		return err
	}
	start := kgo.NewOffset().AtEnd()
	if fromBeginning {
		start = kgo.NewOffset().AtStart()
	}
	opts := append(w.options(k), kgo.ConsumeTopics(topic), kgo.ConsumeStartOffset(start), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMaxWait(fetchWait), kgo.DisableFetchSessions())
	for _, o := range options {
		opts = append(opts, o.opt)
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return fmt.Errorf("consume topic %s: %w", topic, err)
	}
	defer cl.Close()
	if _, err := lookUp(ctx, cl, topic, false); err != nil && ctx.Err() == nil {
		if errors.Is(err, kerr.UnknownTopicOrPartition) {
			return fmt.Errorf("consume topic %s: %w", topic, err)
		}
		return k.cluster(w.bootstrap).explain("consume topic "+topic, err)
	}
	for ctx.Err() == nil {
		fetches := cl.PollFetches(ctx)
		for _, e := range fetches.Errors() {
			if ctx.Err() == nil && !kerr.IsRetriable(e.Err) {
				return k.cluster(w.bootstrap).explain("consume topic "+topic, e.Err)
			}
		}
		for _, r := range fetches.Records() {
			if err := each(recordOf(r)); err != nil {
				return err
			}
		}
	}
	return nil
}

func recordOf(r *kgo.Record) Consumed {
	out := Consumed{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Timestamp: r.Timestamp, Key: r.Key, Value: r.Value}
	for _, h := range r.Headers {
		out.Headers = append(out.Headers, delivery.Header{Key: h.Key, Value: h.Value})
	}
	return out
}
