package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sluice.example/shared/connector"
)

// Fence takes the producer id of a transactional id away from whoever has it, without becoming a producer. It returns nil
// only when what was open under the id is committed or aborted whole, every marker written: the coordinator answers
// CONCURRENT_TRANSACTIONS until then. The request carries no producer id of its own (-1), so it always wins and leaves the
// loser no way back (KIP-360). Repeating it is harmless.
func (k *Kafka) Fence(ctx context.Context, transactionalID string, cfg connector.Settings) error {
	p, err := k.producerPlan(cfg.Config, cfg.ExactlyOnce)
	if err != nil {
		return err
	}
	cl, c, err := k.shared(producerKind, cfg.Config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, openAtMost)
	defer cancel()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		req := kmsg.NewPtrInitProducerIDRequest()
		req.TransactionalID = &transactionalID
		req.TransactionTimeoutMillis = int32(p.transactionTimeout.Milliseconds())
		req.ProducerID, req.ProducerEpoch = -1, -1
		resp, err := req.RequestWith(ctx, cl)
		if err == nil {
			err = kerr.ErrorForCode(resp.ErrorCode)
		}
		if err == nil {
			return nil
		}
		if !errors.Is(err, kerr.ConcurrentTransactions) && !kerr.IsRetriable(err) {
			return c.explain("fence "+transactionalID, err)
		}
		if werr := wait(ctx, pause); werr != nil {
			return c.explain("fence "+transactionalID, errors.Join(werr, err))
		}
	}
}
