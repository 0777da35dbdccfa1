package kafka

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/scheduler"
	"sluice.example/shared/task"
)

// Options are what a Kafka is made with beside worker properties. The zero value is that of production.
type Options struct {
	Logger *slog.Logger // nil: slog.Default()
	// Dialer opens connections instead of TCP; TLS is spoken over what it returns. Tests use it.
	Dialer func(ctx context.Context, network, address string) (net.Conn, error)
	// GoogleToken gives access tokens for Managed Service for Apache Kafka. nil: the metadata server of the machine.
	GoogleToken func(ctx context.Context) (GoogleToken, error)
	// HTTP calls OAuth token endpoints. nil: a client with a timeout of ten seconds.
	HTTP *http.Client
}

// Kafka is the brokers of one installation. It is safe for concurrent use. It connects lazily: New reaches nobody.
type Kafka struct {
	worker map[string]string
	policy policy
	opt    Options
	log    *slog.Logger

	mu       sync.Mutex
	closed   bool
	pool     map[string]pooled   // by fingerprint of the way to the brokers
	clusters map[string]*cluster // by bootstrap.servers
	warned   map[string]bool
}

var (
	_ task.Kafka        = (*Kafka)(nil)
	_ scheduler.Offsets = (*Kafka)(nil)
)

// New reads the worker properties. A setting that cannot be understood is an error that names it; a file that a setting
// names (of certificates, say) is read now.
func New(worker map[string]string, opt Options) (*Kafka, error) {
	if opt.Logger == nil {
		opt.Logger = slog.Default()
	}
	if opt.HTTP == nil {
		opt.HTTP = &http.Client{Timeout: 10 * time.Second}
	}
	if opt.GoogleToken == nil {
		opt.GoogleToken = metadataServer{client: opt.HTTP}.token
	}
	p, err := policyOf(worker["connector.client.config.override.policy"])
	if err != nil {
		return nil, err
	}
	trimmed := make(map[string]string, len(worker))
	for key, v := range worker {
		trimmed[key] = strings.TrimSpace(v)
	}
	k := &Kafka{
		worker: trimmed, policy: p, opt: opt, log: opt.Logger,
		pool: make(map[string]pooled), clusters: make(map[string]*cluster), warned: make(map[string]bool),
	}
	for _, kind := range []kind{producerKind, adminKind, consumerKind} {
		values, err := k.layers(kind, nil)
		if err != nil {
			return nil, err
		}
		if _, err := k.way(values); err != nil {
			return nil, err
		}
	}
	if _, err := k.producerPlan(nil, strings.EqualFold(worker["exactly.once.source.support"], "enabled")); err != nil {
		return nil, err
	}
	if _, err := k.storageRule(); err != nil {
		return nil, err
	}
	return k, nil
}

// SchedulerView is the same Kafka as the scheduler's port.
func (k *Kafka) SchedulerView() scheduler.Offsets { return k }

// Close closes the shared clients. Sinks are closed by those who opened them. A closed Kafka refuses every call.
func (k *Kafka) Close() {
	k.mu.Lock()
	pool := k.pool
	k.closed, k.pool = true, nil
	k.mu.Unlock()
	for _, p := range pool {
		p.client.Close()
	}
}

// shared is the client of a kind for a connector (nil: the worker), made at first use. Clients that would reach the
// brokers in the same way are one.
func (k *Kafka) shared(kind kind, connector map[string]string) (*kgo.Client, *cluster, error) {
	values, err := k.layers(kind, connector)
	if err != nil {
		return nil, nil, err
	}
	name := fingerprint(values)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, nil, fmt.Errorf("use kafka: %w", errClosed)
	}
	if s, ok := k.pool[name]; ok {
		return s.client, s.cluster, nil
	}
	w, err := k.way(values)
	if err != nil {
		return nil, nil, err
	}
	c := k.clusterLocked(w.bootstrap)
	opts := append(w.options(k), kgo.ProducerLinger(0), kgo.RecordPartitioner(javaPartitioner{}))
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, nil, fmt.Errorf("make kafka client: %w", err)
	}
	k.pool[name] = pooled{cl, c}
	return cl, c, nil
}

// pooled is a shared client with the cluster it reaches.
type pooled struct {
	client  *kgo.Client
	cluster *cluster
}

// cluster is what is known of the brokers behind one bootstrap.servers.
type cluster struct {
	bootstrap string

	mu     sync.Mutex
	topics map[string]topic
	limits map[string]int // bytes that a record batch of the topic may have; learned when the broker refused one
}

func (k *Kafka) clusterLocked(bootstrap string) *cluster {
	c := k.clusters[bootstrap]
	if c == nil {
		c = &cluster{bootstrap: bootstrap, topics: make(map[string]topic), limits: make(map[string]int)}
		k.clusters[bootstrap] = c
	}
	return c
}

func (k *Kafka) cluster(bootstrap string) *cluster {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.clusterLocked(bootstrap)
}

// warnOnce logs a text the first time it comes up.
func (k *Kafka) warnOnce(text string) {
	k.mu.Lock()
	seen := k.warned[text]
	k.warned[text] = true
	k.mu.Unlock()
	if !seen {
		k.log.Warn(text)
	}
}

func list(v string) []string {
	var out []string
	for _, s := range strings.Split(v, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
