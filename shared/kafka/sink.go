package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
)

// sink delivers for one slot, see delivery.Sink. It is used by one goroutine at a time.
type sink struct {
	k             *Kafka
	cl            *kgo.Client
	cluster       *cluster
	cfg           connector.Settings
	plan          *plan
	transactional bool
	ends          endCounter
	dead          error // why; set once, together with closing the client
}

// outcome is what became of a batch.
type outcome struct {
	places []delivery.Place
	err    error
}

// withoutTransaction bounds a delivery whose caller does not, where no transaction timeout does: Java's delivery timeout.
const withoutTransaction = 2 * time.Minute

// Deliver makes a batch visible, see delivery.Sink. An empty batch costs nothing: no transaction is opened for it.
//
// ErrFenced while messages are sent is certain: the broker took none of them. A fence met by a commit whose request had
// to be sent again could hide that the first one was applied; that is an error of kind 4, outcome unknown.
func (s *sink) Deliver(ctx context.Context, b delivery.Batch) ([]delivery.Place, error) {
	if s.dead != nil {
		return nil, s.dead
	}
	if len(b.Messages) == 0 && len(b.Offsets) == 0 {
		return nil, nil
	}
	if err := s.accepts(&b); err != nil {
		return nil, s.die(err)
	}
	bound := s.plan.transactionTimeout // the broker aborts what is open for longer
	if !s.transactional {
		bound = withoutTransaction
	}
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	done := make(chan outcome, 1)
	go func() { done <- s.deliver(ctx, b) }()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		select {
		case o = <-done: // just in time
		default:
			// The client waits for answers to what is in flight, whatever the context says, because it must know
			// their sequence numbers. Closing it ends that; the outcome is unknown (KF-01).
			o = outcome{err: ctx.Err()}
		}
	}
	var large *delivery.TooLarge
	switch {
	case o.err == nil:
		return o.places, nil
	case errors.As(o.err, &large):
		return nil, o.err
	case errors.Is(o.err, delivery.ErrFenced):
		return nil, s.die(o.err)
	}
	return nil, s.die(s.cluster.explain("deliver for connector "+s.cfg.Name, o.err))
}

// accepts refuses what must not be sent: messages in a topic of offsets (KIP-618 does so too).
func (s *sink) accepts(b *delivery.Batch) error {
	if len(b.Offsets) > 0 && s.cfg.OffsetsTopic == "" {
		return fmt.Errorf("deliver for connector %s: no offsets topic is set", s.cfg.Name)
	}
	for i := range b.Messages {
		if t := b.Messages[i].Topic; t == s.cfg.OffsetsTopic || t == s.k.worker["offset.storage.topic"] && t != "" {
			return fmt.Errorf("deliver for connector %s: topic %s holds offsets, no change may be sent to it: change topic names or the offsets topic", s.cfg.Name, t)
		}
	}
	return nil
}

// deliver makes the topics exist and then sends, again in smaller pieces if a broker refuses the size of a record batch
// none of whose messages is too large by itself.
func (s *sink) deliver(ctx context.Context, b delivery.Batch) outcome {
	known := make(map[string]bool)
	for i := range b.Messages {
		if t := b.Messages[i].Topic; !known[t] {
			known[t] = true
			if _, err := s.k.ensure(ctx, s.cl, s.cluster, t, s.cfg); err != nil {
				return outcome{err: err}
			}
		}
	}
	for {
		send := s.atLeastOnce
		if s.transactional {
			send = s.transaction
		}
		places, err := send(ctx, b)
		if errors.Is(err, errSmaller) {
			continue
		}
		if unknownTopic(err) {
			s.cluster.forget() // somebody deleted a topic: the next sink looks again
		}
		return outcome{places, err}
	}
}

// die closes the client for good. The first reason stays.
func (s *sink) die(err error) error {
	s.dead = fmt.Errorf("%w: %w", errDead, err)
	if errors.Is(err, delivery.ErrFenced) {
		s.dead = err
	}
	s.cl.Close()
	return err
}

// Close gives the client up. Between deliveries no transaction is open, so there is nothing to wait for.
func (s *sink) Close(context.Context) {
	if s.dead == nil {
		_ = s.die(errClosed)
	}
}

// endCounter counts EndTxn requests that left, so that a fence met by a second one is not taken for certain.
type endCounter struct{ n atomic.Int64 }

const endTxnKey = 26

// OnBrokerWrite implements kgo.HookBrokerWrite.
func (c *endCounter) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	if key == endTxnKey {
		c.n.Add(1)
	}
}
