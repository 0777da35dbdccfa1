package task

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sluice.example/shared/clock"
	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
	"sluice.example/shared/envelope"
)

// Announcer publishes low-watermark stamps: one for each Kafka partition of the topic of each watched table that the
// table lists let through. Everything the stamp promises is in its topic before it, for the watermark only counts what
// was delivered. It keeps what it opened between calls; it is safe for concurrent use.
type Announcer struct {
	Kafka  Kafka
	Source Source
	Worker connector.Worker
	Clock  clock.Clock

	mu   sync.Mutex
	open map[string]*announcement
}

// announcement is what stamping one connector needs.
type announcement struct {
	life   string
	epoch  int64
	read   time.Time // when the schema was read
	stream Stream
	pipe   *pipeline
	sink   delivery.Sink
}

// schemaFor is how long a schema serves before it is read again.
const schemaFor = time.Minute

// Stamp sends the stamps of one connector. A stamp that was not sent is not sent again; the next one says more.
func (a *Announcer) Stamp(ctx context.Context, c connector.Connector, low time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, err := a.of(ctx, c)
	if err != nil {
		return err
	}
	var b delivery.Batch
	for _, v := range n.pipe.tables.Versions() {
		if !n.pipe.maker.Wants(v.Table) {
			continue
		}
		topic := envelope.DataTopic(&n.pipe.settings, v.Table)
		count, err := a.Kafka.Partitions(ctx, topic, n.pipe.settings)
		if err != nil {
			return fmt.Errorf("stamp table %s: %w", v.Table, err)
		}
		for k := range count {
			r := n.pipe.maker.Stamp(v, k, low)
			m, err := n.pipe.message(ctx, &r)
			if err != nil {
				return fmt.Errorf("stamp table %s: %w", v.Table, err)
			}
			b.Messages = append(b.Messages, m)
		}
	}
	if len(b.Messages) == 0 {
		return nil
	}
	if _, err := n.sink.Deliver(ctx, b); err != nil {
		a.forget(c.Name)
		return fmt.Errorf("send stamps: %w", err)
	}
	return nil
}

// of finds or opens what stamping the connector needs.
func (a *Announcer) of(ctx context.Context, c connector.Connector) (*announcement, error) {
	now := a.Clock.Now()
	if n := a.open[c.Name]; n != nil {
		if n.life == c.Life && n.epoch == c.Epoch {
			if now.Sub(n.read) < schemaFor {
				return n, nil
			}
			tables, err := n.stream.Tables(ctx)
			if err == nil {
				n.pipe.tables.Load(tables)
				n.read = now
			}
			return n, err
		}
		a.forget(c.Name)
	}
	st, err := connector.Parse(c.Config, a.Worker)
	if err != nil {
		return nil, err
	}
	n := &announcement{life: c.Life, epoch: c.Epoch, read: now}
	if n.stream, err = a.Source.Open(ctx, st); err != nil {
		return nil, err
	}
	n.pipe, err = newPipeline(ctx, st, a.Worker, "scheduler", nonce(), a.Clock.Now, n.stream)
	if err == nil {
		// Stamps commit no offsets and belong to no slot: a plain idempotent producer.
		plain := st
		plain.ExactlyOnce = false
		n.sink, err = a.Kafka.Open(ctx, "", plain)
	}
	if err != nil {
		n.stream.Close()
		return nil, errors.Join(err)
	}
	if a.open == nil {
		a.open = make(map[string]*announcement)
	}
	a.open[c.Name] = n
	return n, nil
}

func (a *Announcer) forget(name string) {
	if n := a.open[name]; n != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		n.sink.Close(ctx)
		n.stream.Close()
		delete(a.open, name)
	}
}

// Close gives everything up.
func (a *Announcer) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name := range a.open {
		a.forget(name)
	}
}
