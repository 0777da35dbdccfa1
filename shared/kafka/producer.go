package kafka

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// plan is a Java producer's settings as this client's.
type plan struct {
	transactionTimeout time.Duration
	deliveryTimeout    time.Duration // 0: as long as the caller's context
	maxRequest         int           // bytes: a message above it is too large
	batch              int           // bytes: a record batch is cut there, except that one message is never cut
	opts               []kgo.Opt
	warning            string // names the settings that could not be translated; "" none
}

// Java's defaults, except the transaction timeout: what a killed worker left open holds readers up for so long at most.
const (
	defaultTransactionTimeout = 30 * time.Second
	defaultMaxRequest         = 1 << 20
	defaultBatch              = 1_000_000 // below the brokers' own limit of 1,048,588 bytes, with room for the header
)

// untilFlush is longer than a delivery takes to hand its records over. Every delivery ends in a flush, which ends the
// linger; until then nothing is sent but full batches, so that a delivery is one request to each broker and not one for
// every few records (measured: 5000 messages took 6 requests with a linger of 0, and take 1).
const untilFlush = time.Second

// producerRow translates one setting; it notes an error in r.
type producerRow func(p *plan, r *numbers, v string)

// producerRows are the settings that have a meaning here. KIP-98 and the producer's documentation are their source.
var producerRows = map[string]producerRow{
	"compression.type": func(p *plan, r *numbers, v string) {
		codec, ok := codecs[strings.ToLower(v)]
		if !ok {
			r.err = fmt.Errorf("%s is %q: one of none, gzip, snappy, lz4, zstd", written(r.values, "compression.type"), v)
			return
		}
		if level := r.values["compression."+strings.ToLower(v)+".level"]; level != "" {
			if n, ok := r.integer("compression."+strings.ToLower(v)+".level", math.MinInt32); ok {
				codec = codec.WithLevel(int(n))
			}
		}
		p.opts = append(p.opts, kgo.ProducerBatchCompression(codec))
	},
	"linger.ms": func(p *plan, r *numbers, _ string) {
		var d time.Duration
		r.millis("linger.ms", &d, 0, time.Minute)
		p.opts = append(p.opts, kgo.ProducerLinger(d))
	},
	"batch.size": func(p *plan, r *numbers, _ string) {
		if n, ok := r.integer("batch.size", 0); ok {
			p.batch = max(p.batch, int(min(n, 1<<30)))
		}
	},
	"max.request.size": func(p *plan, r *numbers, v string) {
		n, ok := r.integer("max.request.size", 512)
		if ok && n > 1<<30 {
			r.err = fmt.Errorf("%s is %s: at most %d is possible", written(r.values, "max.request.size"), v, 1<<30)
		} else if ok {
			p.maxRequest = int(n)
		}
	},
	"buffer.memory": func(p *plan, r *numbers, _ string) {
		if n, ok := r.integer("buffer.memory", 1); ok {
			p.opts = append(p.opts, kgo.MaxBufferedBytes(int(n)))
		}
	},
	"delivery.timeout.ms": func(p *plan, r *numbers, _ string) {
		// Connect itself sets the largest integer, for ever; that is this client's default.
		if n, ok := r.integer("delivery.timeout.ms", 0); ok && n < math.MaxInt32 {
			p.deliveryTimeout = max(time.Second, time.Duration(n)*time.Millisecond)
			p.opts = append(p.opts, kgo.RecordDeliveryTimeout(p.deliveryTimeout))
		}
	},
	"transaction.timeout.ms": func(p *plan, r *numbers, _ string) {
		if n, ok := r.integer("transaction.timeout.ms", 1); ok {
			p.transactionTimeout = time.Duration(min(n, math.MaxInt32)) * time.Millisecond
		}
	},
	"retries": func(p *plan, r *numbers, _ string) {
		if n, ok := r.integer("retries", 0); ok && n < math.MaxInt32 {
			p.opts = append(p.opts, kgo.RecordRetries(int(n)))
		}
	},
	"max.in.flight.requests.per.connection": func(_ *plan, r *numbers, _ string) {
		r.integer("max.in.flight.requests.per.connection", 1) // an idempotent producer keeps order with any number
	},
}

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

// producerQuiet are settings that need no translation: what they tune does not exist here, or is always as they ask at
// best. The rest of a way's settings are read by way. Families end with a dot.
var producerQuiet = []string{
	"acks", "key.serializer", "value.serializer", "max.block.ms", "send.buffer.bytes", "receive.buffer.bytes", "reconnect.backoff.ms",
	"reconnect.backoff.max.ms", "socket.connection.setup.timeout.max.ms", "client.dns.lookup", "metadata.max.idle.ms",
	"metadata.recovery.strategy", "metadata.recovery.rebootstrap.trigger.ms", "auto.include.jmx.reporter", "metrics.num.samples",
	"metrics.recording.level", "metrics.sample.window.ms", "metric.reporters", "enable.metrics.push", "security.providers",
	"partitioner.adaptive.partitioning.enable", "partitioner.availability.timeout.ms", "compression.gzip.level", "compression.lz4.level", "compression.zstd.level",
	"transaction.two.phase.commit.enable",
}

// producerPlan reads the settings of a connector's producer (nil: the worker's).
func (k *Kafka) producerPlan(connector map[string]string, exactlyOnce bool) (*plan, error) {
	values, err := k.layers(producerKind, connector)
	if err != nil {
		return nil, err
	}
	p := &plan{transactionTimeout: defaultTransactionTimeout, maxRequest: defaultMaxRequest, batch: defaultBatch}
	p.opts = []kgo.Opt{kgo.ProducerLinger(untilFlush), kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.RecordPartitioner(javaPartitioner{})}
	r := &numbers{values: values}
	var unknown []string
	for _, key := range sortedKeys(values) {
		v := values[key]
		row, known := producerRows[key]
		switch {
		case known && v != "":
			row(p, r, v)
		case known, slices.Contains(producerQuiet, key), common(key) && understood(key):
		case key == "enable.idempotence" || key == "transactional.id":
			if key == "transactional.id" || !strings.EqualFold(v, "true") {
				unknown = append(unknown, written(values, key)+" (always set by Sluice)")
			}
		case key == "partitioner.class" && defaultPartitioner(v):
		case key == "partitioner.ignore.keys" && strings.EqualFold(v, "false"):
		default:
			unknown = append(unknown, written(values, key))
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	if err := p.acks(values, exactlyOnce); err != nil {
		return nil, err
	}
	if len(unknown) > 0 {
		p.warning = "producer settings without effect: " + strings.Join(unknown, ", ")
	}
	p.batch = min(p.batch, p.maxRequest)
	p.opts = append(p.opts,
		kgo.ProducerBatchMaxBytes(int32(p.maxRequest)),
		kgo.BrokerMaxWriteBytes(int32(min(1<<30, max(100<<20, p.maxRequest+1<<20)))),
	)
	return p, nil
}

// acks: all, unless the user of an at-least-once worker wants the leader's word to be enough. Without any
// acknowledgement a checkpoint could cover records that were never written (OF-05).
func (p *plan) acks(values map[string]string, exactlyOnce bool) error {
	v := values["acks"]
	switch {
	case v == "", v == "all", v == "-1":
		p.opts = append(p.opts, kgo.RequiredAcks(kgo.AllISRAcks()))
	case exactlyOnce:
		return fmt.Errorf("%s is %q: exactly-once support needs all", written(values, "acks"), v)
	case v == "1":
		p.opts = append(p.opts, kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite(), kgo.MaxProduceRequestsInflightPerBroker(1))
	default:
		return fmt.Errorf("%s is %q: all or 1; without acknowledgements no checkpoint is safe", written(values, "acks"), v)
	}
	return nil
}

// understood tells whether a key of the families ssl and sasl is one that tls.go, sasl.go and bearer.go read, or one that
// has nothing to tune here.
func understood(key string) bool {
	if !strings.HasPrefix(key, "ssl.") && !strings.HasPrefix(key, "sasl.") {
		return true
	}
	switch key {
	case "ssl.truststore.type", "ssl.truststore.location", "ssl.truststore.certificates", "ssl.truststore.password",
		"ssl.keystore.type", "ssl.keystore.location", "ssl.keystore.certificate.chain", "ssl.keystore.key", "ssl.keystore.password",
		"ssl.enabled.protocols", "ssl.protocol", "ssl.endpoint.identification.algorithm",
		"sasl.mechanism", "sasl.jaas.config", "sasl.login.callback.handler.class", "sasl.client.callback.handler.class",
		"sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.scope",
		"sasl.oauthbearer.client.credentials.client.id", "sasl.oauthbearer.client.credentials.client.secret":
		return true
	}
	return strings.HasPrefix(key, "sasl.login.refresh.") || strings.HasPrefix(key, "sasl.login.retry.")
}

func defaultPartitioner(class string) bool {
	switch class[strings.LastIndexByte(class, '.')+1:] {
	case "", "DefaultPartitioner", "UniformStickyPartitioner":
		return true
	}
	return false
}

// sortedKeys are the keys of settings, without the notes on where they stand.
func sortedKeys(values map[string]string) []string {
	var keys []string
	for key := range values {
		if !strings.HasPrefix(key, originOf) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
