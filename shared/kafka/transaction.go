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

// abortFor is how long a sink that is dying anyway tries to abort, so that readers do not wait for the transaction
// timeout.
const abortFor = 2 * time.Second

// transaction sends a batch in one Kafka transaction (I1).
func (s *sink) transaction(ctx context.Context, b delivery.Batch) ([]delivery.Place, error) {
	if err := s.cl.BeginTransaction(); err != nil {
		if fenced(err) {
			return nil, asFenced("begin transaction", err)
		}
		return nil, fmt.Errorf("begin transaction: %w", err)
	}
	records := make([]*kgo.Record, 0, len(b.Messages)+len(b.Offsets))
	for i := range b.Messages {
		records = append(records, record(&b.Messages[i]))
	}
	for _, e := range b.Offsets {
		records = append(records, entry(s.cfg.OffsetsTopic, e))
	}
	if errs := s.produce(ctx, records); errs != nil {
		return nil, s.abort(ctx, records, errs)
	}
	if err := s.loaded(ctx, records); err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	before := s.ends.n.Load()
	// Not the caller's context: a commit that is cut off half-way is neither known nor ended. Deliver closes the client
	// when the caller's time is up, which ends this too.
	err := s.cl.EndTransaction(context.WithoutCancel(ctx), kgo.TryCommit)
	switch {
	case err == nil && s.ends.n.Load() == before:
		return nil, errNotEnded
	case err == nil:
		return placesOf(records[len(b.Messages):]), nil
	case fenced(err) && s.ends.n.Load()-before <= 1:
		return nil, asFenced("commit", err)
	case errors.Is(err, kerr.OperationNotAttempted), errors.Is(err, kerr.TransactionAbortable):
		s.roll(ctx)
		return nil, fmt.Errorf("commit: %w", err)
	}
	// Unconfirmed: the abort takes the producer id anew from our own epoch, which ends what is still open and loses
	// against whoever came after us.
	s.roll(ctx)
	return nil, fmt.Errorf("commit, outcome unknown: %w", err)
}

// errNotEnded is a transaction that the client calls ended although no EndTxn left.
var errNotEnded = errors.New("commit, outcome unknown: the client ended the transaction without asking the brokers")

// loaded waits until the client's own table of topics shows the partitions that records went to. Of a topic that is new to
// it, kgo sends the waiting records before it stores the partitions (v1.22.3, storePartitionsUpdate), and EndTransaction
// looks in that table for what is to be committed. With a fast broker and a slow processor the answers are there first:
// EndTransaction then finds nothing, commits nothing or aborts, and returns nil.
func (s *sink) loaded(ctx context.Context, records []*kgo.Record) error {
	for _, r := range records {
		for pause := 20 * time.Microsecond; ; pause = min(2*pause, 5*time.Millisecond) {
			// An error says nothing: it may be of the lookup before the one whose partitions are being stored.
			if leader, epoch, _ := s.cl.PartitionLeader(r.Topic, r.Partition); leader >= 0 || epoch >= 0 {
				break
			}
			if err := wait(ctx, pause); err != nil {
				return fmt.Errorf("wait for the partitions of topic %s to be known: %w", r.Topic, err)
			}
		}
	}
	return nil
}

// abort ends a transaction whose records failed, and says how the caller has to see it.
func (s *sink) abort(ctx context.Context, records []*kgo.Record, errs []error) error {
	if err := firstOf(errs, fenced); err != nil {
		return asFenced("send", err)
	}
	large := s.sizes(ctx, records, errs)
	unseen := s.settled(ctx, records, errs)
	rolled := errors.Join(unseen, s.roll(ctx))
	switch {
	case large != nil && rolled == nil:
		return large // the sink can go on, or try again in smaller pieces
	case large != nil && fenced(rolled):
		return asFenced("abort", rolled)
	case large != nil:
		return fmt.Errorf("abort after this: %v: %w", large, rolled)
	}
	return fmt.Errorf("send: %w", worst(errs))
}

// settled is loaded for a batch of which a part was sent: what the client does not see it does not abort, and the next
// transaction would make it visible.
func (s *sink) settled(ctx context.Context, records []*kgo.Record, errs []error) error {
	ctx, cancel := context.WithTimeout(ctx, abortFor)
	defer cancel()
	var sent []*kgo.Record
	for i, r := range records {
		if r.Partition >= 0 && (errs[i] == nil || tooLarge(errs[i])) {
			sent = append(sent, r)
		}
	}
	return s.loaded(ctx, sent)
}

// roll aborts the open transaction, within what is left of the caller's time and abortFor.
func (s *sink) roll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, abortFor)
	defer cancel()
	if err := s.cl.AbortBufferedRecords(ctx); err != nil {
		return err
	}
	return s.cl.EndTransaction(ctx, kgo.TryAbort)
}

// atLeastOnce makes messages visible first and the offsets that cover them after (OF-05).
func (s *sink) atLeastOnce(ctx context.Context, b delivery.Batch) ([]delivery.Place, error) {
	records := make([]*kgo.Record, len(b.Messages))
	for i := range b.Messages {
		records[i] = record(&b.Messages[i])
	}
	entries := make([]*kgo.Record, len(b.Offsets))
	for i, e := range b.Offsets {
		entries[i] = entry(s.cfg.OffsetsTopic, e)
	}
	for _, part := range [][]*kgo.Record{records, entries} {
		if errs := s.produce(ctx, part); errs != nil {
			if large := s.sizes(ctx, part, errs); large != nil {
				return nil, large
			}
			return nil, fmt.Errorf("send: %w", worst(errs))
		}
	}
	return placesOf(entries), nil
}

func placesOf(entries []*kgo.Record) []delivery.Place {
	places := make([]delivery.Place, len(entries))
	for i, r := range entries {
		places[i] = delivery.Place{Partition: r.Partition, Offset: r.Offset}
	}
	return places
}

func firstOf(errs []error, is func(error) bool) error {
	for _, err := range errs {
		if err != nil && is(err) {
			return err
		}
	}
	return nil
}

// worst is the error that tells most: records behind a failed one fail too, with errors about being in its way.
func worst(errs []error) error {
	var found error
	for _, err := range errs {
		var answer *kerr.Error
		if err != nil && (found == nil || errors.As(err, &answer)) {
			found = err
			if answer != nil {
				return found
			}
		}
	}
	return found
}
