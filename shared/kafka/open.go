package kafka

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
)

// openAtMost bounds what is not bounded by the caller: a transaction coordinator that is never ready.
const openAtMost = time.Minute

// Open makes the sink of a slot. With exactly-once support it takes the producer id of the transactional id at once, and
// returns only when whatever was open under that id is committed or aborted whole (KIP-98: InitProducerID answers
// CONCURRENT_TRANSACTIONS until then). Without, the id only names the client. The offsets topic is made if it is missing.
// After an error nothing is open.
func (k *Kafka) Open(ctx context.Context, transactionalID string, cfg connector.Settings) (delivery.Sink, error) {
	if cfg.ExactlyOnce && transactionalID == "" {
		return nil, fmt.Errorf("open sink of connector %s: exactly-once delivery needs a transactional id", cfg.Name)
	}
	p, err := k.producerPlan(cfg.Config, cfg.ExactlyOnce)
	if err != nil {
		return nil, fmt.Errorf("open sink of connector %s: %w", cfg.Name, err)
	}
	if p.warning != "" {
		k.warnOnce("connector " + cfg.Name + ": " + p.warning)
	}
	values, err := k.layers(producerKind, cfg.Config)
	if err != nil {
		return nil, fmt.Errorf("open sink of connector %s: %w", cfg.Name, err)
	}
	if written(values, "client.id") == "client.id" { // the worker's own name, or none
		values["client.id"] = producerID(transactionalID, cfg)
	}
	w, err := k.way(values)
	if err != nil {
		return nil, fmt.Errorf("open sink of connector %s: %w", cfg.Name, err)
	}
	s := &sink{k: k, cluster: k.cluster(w.bootstrap), cfg: cfg, plan: p, transactional: cfg.ExactlyOnce}
	opts := append(append(w.options(k), p.opts...), kgo.WithHooks(&s.ends))
	if s.transactional {
		opts = append(opts, kgo.TransactionalID(transactionalID), kgo.TransactionTimeout(p.transactionTimeout))
	}
	if s.cl, err = kgo.NewClient(opts...); err != nil {
		return nil, fmt.Errorf("open sink of connector %s: %w", cfg.Name, err)
	}
	if err := s.begin(ctx); err != nil {
		s.cl.Close()
		return nil, s.cluster.explain("open sink of connector "+cfg.Name, err)
	}
	return s, nil
}

// begin looks at the offsets topic, once for each process, and takes the producer id. Not side by side: until the first
// answer the client knows only bootstrap.servers, and would open a connection to a second of them (KF-11).
func (s *sink) begin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openAtMost)
	defer cancel()
	if s.cfg.OffsetsTopic != "" {
		if err := s.k.ensureOffsets(ctx, s.cl, s.cluster, s.cfg.OffsetsTopic); err != nil {
			return err
		}
	}
	if !s.transactional {
		return nil
	}
	_, _, err := s.cl.ProducerID(ctx)
	return err
}

// producerID is the client id that Connect gives the producer of a task.
func producerID(transactionalID string, cfg connector.Settings) string {
	id := "connector-producer-" + cfg.Name
	if task, ok := strings.CutPrefix(transactionalID, cfg.TransactionalBase); ok && task != "" {
		id += "-" + task
	}
	return id
}
