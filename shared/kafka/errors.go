package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/delivery"
)

var (
	errClosed = errors.New("kafka is closed")
	errDead   = errors.New("the sink is dead after an earlier error")
)

// fenced tells whether a newer owner has the producer id, or the broker ended our transaction in its own name, which is
// the same to us: under transaction.version 2 both are INVALID_PRODUCER_EPOCH or PRODUCER_FENCED (KIP-360, KIP-890).
func fenced(err error) bool {
	return errors.Is(err, kerr.ProducerFenced) || errors.Is(err, kerr.InvalidProducerEpoch) || errors.Is(err, kerr.InvalidProducerIDMapping)
}

// tooLarge tells whether a message or its batch is refused for its size, by the client or by the broker.
func tooLarge(err error) bool {
	return errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge)
}

// unreachable tells whether nobody answered, as opposed to an answer that is an error.
func unreachable(err error) bool {
	var answer *kerr.Error
	if errors.As(err, &answer) {
		return false
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, kgo.ErrRecordTimeout)
}

// explain wraps err once for the caller: what was tried, and, when nobody answered, whom was asked.
func (c *cluster) explain(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case unreachable(err):
		return fmt.Errorf("%s: no answer from the Kafka brokers at bootstrap.servers %s: %w", what, c.bootstrap, err)
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return fmt.Errorf("%s: the Kafka brokers at bootstrap.servers %s refuse the login (sasl.mechanism, sasl.jaas.config): %w", what, c.bootstrap, err)
	case errors.Is(err, kerr.InvalidTransactionTimeout):
		return fmt.Errorf("%s: transaction.timeout.ms is above the brokers' transaction.max.timeout.ms: %w", what, err)
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		return fmt.Errorf("%s: WRITE and DESCRIBE on the transactional id are needed: %w", what, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// asFenced gives a fencing error its kind.
func asFenced(what string, err error) error {
	return fmt.Errorf("%s: %w (%w)", what, delivery.ErrFenced, err)
}
