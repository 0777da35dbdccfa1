package kafka

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
)

func worker(t *testing.T, kv ...string) *Kafka {
	t.Helper()
	k, err := New(with(nil, kv...), Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

// TestTranslation makes a client from Java's settings and asks it what it understood.
func TestTranslation(t *testing.T) {
	t.Parallel()
	k := worker(t, "producer.linger.ms", "7", "producer.max.request.size", "2000000")
	for _, c := range []struct {
		key, value string
		option     any
		want       any
	}{
		{"linger.ms", "25", kgo.ProducerLinger, 25 * time.Millisecond},
		{"client.id", "x", kgo.ClientID, "x"},
		{"max.request.size", "3000000", kgo.BrokerMaxWriteBytes, int32(100 << 20)},
		{"max.request.size", "200000000", kgo.BrokerMaxWriteBytes, int32(200000000 + 1<<20)},
		{"buffer.memory", "5000000", kgo.MaxBufferedBytes, int64(5000000)},
		{"delivery.timeout.ms", "60000", kgo.RecordDeliveryTimeout, time.Minute},
		{"delivery.timeout.ms", "2147483647", kgo.RecordDeliveryTimeout, time.Duration(0)},
		{"request.timeout.ms", "20000", kgo.RequestTimeoutOverhead, 10 * time.Second},
		{"request.timeout.ms", "20000", kgo.ProduceRequestTimeout, 10 * time.Second},
		{"retries", "3", kgo.RecordRetries, int64(3)},
		{"metadata.max.age.ms", "60000", kgo.MetadataMaxAge, time.Minute},
		{"connections.max.idle.ms", "540000", kgo.ConnIdleTimeout, 9 * time.Minute},
		{"connections.max.idle.ms", "-1", kgo.ConnIdleTimeout, 15 * time.Minute},
		{"bootstrap.servers", "a:1, b:2", kgo.SeedBrokers, []string{"a:1", "b:2"}},
	} {
		cfg := map[string]string{"producer.override." + c.key: c.value}
		values, err := k.layers(producerKind, cfg)
		if err != nil {
			t.Fatal(err)
		}
		w, err := k.way(values)
		if err != nil {
			t.Fatal(err)
		}
		p, err := k.producerPlan(cfg, true)
		if err != nil {
			t.Fatal(err)
		}
		cl, err := kgo.NewClient(append(w.options(k), p.opts...)...)
		if err != nil {
			t.Fatalf("%s=%s: %v", c.key, c.value, err)
		}
		if d := cmp.Diff(c.want, cl.OptValue(c.option)); d != "" {
			t.Errorf("%s=%s: %s", c.key, c.value, d)
		}
		cl.Close()
		if p.warning != "" {
			t.Errorf("%s=%s: %s", c.key, c.value, p.warning)
		}
	}
	p, err := k.producerPlan(map[string]string{"producer.override.transaction.timeout.ms": "5000", "producer.override.batch.size": "1500000"}, true)
	if err != nil || p.transactionTimeout != 5*time.Second || p.maxRequest != 2000000 || p.batch != 1500000 {
		t.Errorf("plan %+v, %v", p, err)
	}
	if p, err = worker(t).producerPlan(nil, true); err != nil || p.transactionTimeout != 30*time.Second || p.maxRequest != 1<<20 || p.warning != "" {
		t.Errorf("defaults %+v, %v", p, err)
	}
	for name := range codecs {
		if _, err := k.producerPlan(map[string]string{"producer.override.compression.type": name, "producer.override.compression." + name + ".level": "3"}, true); err != nil {
			t.Error(err)
		}
	}
	if _, err := k.producerPlan(map[string]string{"producer.override.acks": "1"}, false); err != nil {
		t.Errorf("acks=1 at least once: %v", err)
	}
}

func TestUntranslatedAreNamedOnce(t *testing.T) {
	t.Parallel()
	k := worker(t, "producer.interceptor.classes", "a.B", "ssl.cipher.suites", "X", "sasl.login.refresh.window.factor", "0.8")
	p, err := k.producerPlan(map[string]string{
		"producer.override.partitioner.class": "org.apache.kafka.clients.producer.RoundRobinPartitioner", "producer.override.enable.idempotence": "false",
		"producer.override.transactional.id": "mine", "producer.override.acks": "-1", "producer.override.max.block.ms": "1",
	}, true)
	want := "producer settings without effect: producer.override.enable.idempotence (always set by Sluice), producer.interceptor.classes, producer.override.partitioner.class, ssl.cipher.suites, producer.override.transactional.id (always set by Sluice)"
	if err != nil || p.warning != want {
		t.Errorf("warning %q, %v", p.warning, err)
	}
}

func TestBadSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for _, kv := range [][2]string{
		{"bootstrap.servers", "host"}, {"bootstrap.servers", " , "}, {"security.protocol", "TLS"}, {"request.timeout.ms", "soon"},
		{"connector.client.config.override.policy", "Some"}, {"offset.storage.partitions", "0"}, {"offset.storage.replication.factor", "x"},
		{"producer.acks", "0"}, {"producer.acks", "2"}, {"producer.compression.type", "zip"}, {"producer.linger.ms", "x"},
		{"producer.max.request.size", "1073741825"}, {"producer.transaction.timeout.ms", "0"}, {"producer.retries", "-2"},
		{"producer.batch.size", "x"}, {"producer.buffer.memory", "0"}, {"producer.delivery.timeout.ms", "-1"}, {"producer.compression.gzip.level", "x"},
		{"producer.max.in.flight.requests.per.connection", "0"}, {"consumer.security.protocol", "x"}, {"admin.request.timeout.ms", "x"},
	} {
		m := map[string]string{kv[0]: kv[1]}
		if kv[0] == "producer.compression.gzip.level" {
			m["producer.compression.type"] = "gzip"
		}
		if _, err := New(m, Options{}); err == nil || !strings.Contains(err.Error(), kv[0]) {
			t.Errorf("%s=%s: %v", kv[0], kv[1], err)
		}
	}
	if _, err := New(map[string]string{"exactly.once.source.support": "enabled", "producer.acks": "1"}, Options{}); err == nil || !strings.Contains(err.Error(), "producer.acks") {
		t.Errorf("acks=1 with exactly-once support: %v", err)
	}
}

func TestOverridePolicy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy, key string
		allowed     bool
	}{
		{"", "linger.ms", true}, {"All", "linger.ms", true}, {"None", "sasl.jaas.config", false}, {"Principal", "linger.ms", false},
		{"Principal", "sasl.mechanism", true},
		{"org.apache.kafka.connect.connector.policy.PrincipalConnectorClientConfigOverridePolicy", "linger.ms", false},
	} {
		k := worker(t, "connector.client.config.override.policy", c.policy)
		key := "producer.override." + c.key
		_, err := k.layers(producerKind, map[string]string{key: "1"})
		if (err == nil) != c.allowed || err != nil && !strings.Contains(err.Error(), key) {
			t.Errorf("policy %q, %s: %v", c.policy, key, err)
		}
	}
}

func TestOneClientForOneWay(t *testing.T) {
	t.Parallel()
	k := worker(t, "bootstrap.servers", "localhost:1")
	same, _, err := k.shared(adminKind, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []kind{adminKind, consumerKind, producerKind} {
		if cl, _, err := k.shared(kind, map[string]string{"producer.override.linger.ms": "5"}); err != nil || cl != same {
			t.Errorf("%s has a client of its own, %v", kind, err)
		}
	}
	if cl, c, err := k.shared(adminKind, map[string]string{"admin.override.bootstrap.servers": "localhost:2"}); err != nil || cl == same || c.bootstrap != "localhost:2" {
		t.Errorf("another cluster has the same client, %v", err)
	}
	k.Close()
	if _, _, err := k.shared(adminKind, nil); err == nil {
		t.Error("a closed kafka gave a client")
	}
}

func TestCreationRules(t *testing.T) {
	t.Parallel()
	base := []string{"topic.creation.default.replication.factor", "-1", "topic.creation.default.partitions", "2", "topic.creation.default.cleanup.policy", "compact",
		"topic.creation.groups", "a, b", "topic.creation.a.include", "a.*, z", "topic.creation.a.exclude", "ab.*", "topic.creation.a.partitions", "5",
		"topic.creation.b.include", ".*b.*", "topic.creation.b.replication.factor", "2", "topic.creation.b.retention.ms", "1"}
	for topic, want := range map[string]creation{
		"a1": {partitions: 5, replication: -1, configs: map[string]string{}, factorKey: "topic.creation.default.replication.factor"},
		"ab": {partitions: 2, replication: 2, configs: map[string]string{"retention.ms": "1"}, factorKey: "topic.creation.b.replication.factor"},
		"za": {partitions: 2, replication: -1, configs: map[string]string{"cleanup.policy": "compact"}, factorKey: "topic.creation.default.replication.factor"},
	} {
		got, ok, err := creationRule(topic, with(nil, base...), nil)
		if d := cmp.Diff(want, got, cmp.AllowUnexported(creation{})); d != "" || !ok || err != nil {
			t.Errorf("%s: %v %v %s", topic, ok, err, d)
		}
	}
	for _, worker := range []map[string]string{{"topic.creation.enable": "false"}, {}} {
		cfg := with(nil, base...)
		if len(worker) == 0 {
			cfg = map[string]string{"name": "c"}
		}
		if _, ok, err := creationRule("a", cfg, worker); ok || err != nil {
			t.Errorf("worker %v: %v %v", worker, ok, err)
		}
	}
	for key, v := range map[string]string{
		"topic.creation.default.partitions": "", "topic.creation.default.replication.factor": "0", "topic.creation.a.partitions": "x",
		"topic.creation.a.include": "(", "topic.creation.a.exclude": "[",
	} {
		topic := "a" // which the default group's partitions do not concern
		if strings.HasPrefix(key, "topic.creation.default") {
			topic = "q"
		}
		if _, _, err := creationRule(topic, with(with(nil, base...), key, v), nil); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s=%s: %v", key, v, err)
		}
	}
}
