package kafka

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/delivery"
	"sluice.example/shared/offset"
)

// put writes records as another program would, outside of any transaction.
func put(t *testing.T, k *Kafka, topic string, kv ...string) {
	t.Helper()
	cl, c, err := k.shared(producerKind, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.ensureOffsets(limited(t), cl, c, topic); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(kv); i += 2 {
		r := &kgo.Record{Topic: topic, Partition: anyPartition, Key: []byte(kv[i])}
		if kv[i+1] != "" {
			r.Value = []byte(kv[i+1])
		}
		if err := cl.ProduceSync(limited(t), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

const debezium = `{"offset":"2026-01-02T03:04:06.000000001Z","startTime":"2026-01-02T03:04:05Z","queryStartedAt":"0001-01-01T00:00:00Z"}`

func foreignOffsets(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k)
	key := func(token string) string { return string(offset.Key(cfg.Name, token)) }
	put(t, k, cfg.OffsetsTopic,
		key("live"), `{"offset":"2026-01-02T03:04:05Z"}`,
		key("live"), debezium,
		key("gone"), debezium, key("gone"), "",
		key("removed"), debezium, key("removed"), "{}",
		string(offset.Key("another", "x")), debezium,
		`["`+cfg.Name+`",{"filename":"/x"}]`, `{"position":6}`,
		`["`+cfg.Name+`",null]`, `{"a":1}`,
		"not json", "neither",
	)
	found, err := k.Offsets(limited(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || !found["live"].Position.Offset.Equal(epoch.Add(time.Second+1)) || found["live"].Position.Closed {
		t.Errorf("found %+v", found)
	}
	tail, err := k.Tail(limited(t), cfg, map[string]delivery.Place{"live": {}, "gone": {}, "removed": {}})
	if err != nil || tail["live"].Gone || !tail["gone"].Gone || !tail["removed"].Gone {
		t.Errorf("tail %+v, %v", tail, err)
	}
	put(t, k, cfg.OffsetsTopic, key("live"), `{"offset":"yesterday"}`)
	if again, err := k.Offsets(limited(t), cfg); err != nil || again["live"].Position.Offset != found["live"].Position.Offset {
		t.Errorf("after an offset that cannot be read: %v, %v", again, err)
	}
	put(t, k, cfg.OffsetsTopic, key("broken"), `{"offset":"yesterday"}`)
	if _, err := k.Offsets(limited(t), cfg); err == nil || !strings.Contains(err.Error(), "broken") || !strings.Contains(err.Error(), cfg.OffsetsTopic) {
		t.Errorf("a partition of which nothing can be read: %v", err)
	}
}

func ownTopic(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k)
	shared := cfg.OffsetsTopic
	put(t, k, shared, string(offset.Key(cfg.Name, "old")), debezium, string(offset.Key(cfg.Name, "both")), debezium, string(offset.Key(cfg.Name, "buried")), debezium)
	cfg.OffsetsTopic = b.name("own")
	s := open(t, k, cfg, "0")
	place := deliver(t, s, delivery.Batch{Offsets: []delivery.Entry{position(cfg, "both", 3), {Key: offset.Key(cfg.Name, "buried")}}})[0]
	found, err := k.Offsets(limited(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || found["old"].Place != (delivery.Place{}) || found["both"].Place != place || !found["both"].Position.Closed {
		t.Errorf("found %+v", found)
	}
	if err := k.Forget(limited(t), cfg, []string{"old", "both"}); err != nil {
		t.Fatal(err)
	}
	if found, err = k.Offsets(limited(t), cfg); err != nil || len(found) != 0 {
		t.Errorf("after forgetting: %+v, %v", found, err)
	}
	if got := configsOf(t, k, cfg.OffsetsTopic)["cleanup.policy"]; got != "compact" {
		t.Errorf("own topic has cleanup.policy %s", got)
	}
}

func atLeastOnceMode(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k)
	cfg.ExactlyOnce = false
	topic := b.name("data")
	for _, id := range []string{"", cfg.TransactionalBase + "0"} {
		s, err := k.Open(limited(t), id, cfg)
		if err != nil {
			t.Fatal(err)
		}
		places := deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "v")}, Offsets: []delivery.Entry{position(cfg, "a", 4)}})
		s.Close(context.Background())
		found, err := k.Tail(limited(t), cfg, map[string]delivery.Place{"a": {}})
		if err != nil || len(places) != 1 || found["a"].Place != places[0] {
			t.Errorf("places %v, found %+v, %v", places, found, err)
		}
	}
	if got := values(committed(t, k, topic)); len(got) != 2 {
		t.Errorf("messages %v", got)
	}
}

// blackHole is KF-01.
func blackHole(t *testing.T, b bench) {
	p := newProxy(t)
	b.dial = p.dial
	k := b.kafka(t, "request.timeout.ms", "1000")
	for _, eos := range []bool{true, false} {
		cfg := b.connector(k)
		cfg.ExactlyOnce = eos
		topic := b.name("data")
		s := open(t, k, cfg, "0")
		deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "before")}, Offsets: []delivery.Entry{position(cfg, "a", 1)}})
		p.set(true)
		lost := delivery.Batch{Messages: []delivery.Message{message(topic, "k", "lost")}, Offsets: []delivery.Entry{position(cfg, "a", 2)}}
		ctx, cancel := context.WithTimeout(limited(t), time.Second)
		start := time.Now()
		_, err := s.Deliver(ctx, lost)
		cancel()
		if took := time.Since(start); err == nil || took > 3*time.Second || !strings.Contains(err.Error(), b.bootstrap) {
			t.Errorf("after %v: %v", took, err)
		}
		if _, err := s.Deliver(limited(t), lost); err == nil {
			t.Error("a dead sink delivered")
		}
		ctx, cancel = context.WithTimeout(limited(t), 200*time.Millisecond)
		opened, err := k.Open(ctx, cfg.TransactionalBase+"0", cfg)
		cancel()
		if eos && (err == nil || !strings.Contains(err.Error(), "bootstrap.servers")) {
			t.Errorf("open into a hole: %v", err)
		}
		if err == nil { // at least once: there was nothing to ask for
			opened.Close(context.Background())
		}
		p.set(false)
		s = open(t, k, cfg, "0")
		deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "after")}})
		found, err := k.Tail(limited(t), cfg, map[string]delivery.Place{"a": {}})
		if d := cmp.Diff(at(1), found["a"].Position); d != "" || err != nil {
			t.Error("the offset moved", d, err)
		}
		if d := cmp.Diff([]string{"before", "after"}, values(committed(t, k, topic))); d != "" {
			t.Error(d)
		}
		s.Close(context.Background())
	}
}

// failedRead is LC-09.
func failedRead(t *testing.T, b bench) {
	p := newProxy(t)
	b.dial = p.dial
	k := b.kafka(t, "request.timeout.ms", "1000")
	cfg := b.connector(k)
	put(t, k, cfg.OffsetsTopic, string(offset.Key(cfg.Name, "a")), debezium)
	p.set(true)
	for name, call := range map[string]func(context.Context) (int, error){
		"tail": func(ctx context.Context) (int, error) {
			found, err := k.Tail(ctx, cfg, map[string]delivery.Place{"a": {}})
			return len(found), err
		},
		"offsets": func(ctx context.Context) (int, error) {
			found, err := k.Offsets(ctx, cfg)
			return len(found), err
		},
	} {
		ctx, cancel := context.WithTimeout(limited(t), 300*time.Millisecond)
		n, err := call(ctx)
		cancel()
		if err == nil || n != 0 {
			t.Errorf("%s into a hole: %d, %v", name, n, err)
		}
	}
	p.set(false)
	found, err := k.Tail(limited(t), cfg, map[string]delivery.Place{"a": {}})
	if err != nil || len(found) != 1 {
		t.Errorf("afterwards: %v, %v", found, err)
	}
}

// internals is KF-07 a and b.
func internals(t *testing.T, b bench) {
	k := b.kafka(t, "offset.storage.partitions", "25", "offset.storage.segment.bytes", "1048576", "offset.storage.cleanup.policy", "delete")
	name := k.worker["offset.storage.topic"]
	for range 2 {
		if err := k.EnsureInternalTopics(limited(t)); err != nil {
			t.Fatal(err)
		}
	}
	cl, _, err := k.shared(adminKind, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := lookUp(limited(t), cl, name, false)
	if configs := configsOf(t, k, name); err != nil || found.partitions != 25 || configs["cleanup.policy"] != "compact" || configs["segment.bytes"] != "1048576" {
		t.Errorf("%d partitions, cleanup.policy %s, segment.bytes %s, %v", found.partitions, configs["cleanup.policy"], configs["segment.bytes"], err)
	}

	many := b.kafka(t, "offset.storage.replication.factor", "3")
	err = many.EnsureInternalTopics(limited(t))
	for _, want := range []string{many.worker["offset.storage.topic"], "replication factor 3", "offset.storage.replication.factor"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("three replicas on one broker, want %q in: %v", want, err)
		}
	}
	many.worker["offset.storage.replication.factor"] = "1"
	if err := many.EnsureInternalTopics(limited(t)); err != nil {
		t.Errorf("asked again with one replica: %v", err)
	}
	delete(k.worker, "offset.storage.replication.factor")
	k.worker["offset.storage.topic"] = b.name("offsets")
	if err := k.EnsureInternalTopics(limited(t)); err != nil {
		t.Errorf("no factor asked for: %v", err)
	}

	plain := b.name("plain")
	cfg := b.connector(k, "topic.creation.default.cleanup.policy", "delete")
	if _, err := k.Partitions(limited(t), plain, cfg); err != nil {
		t.Fatal(err)
	}
	deleting := b.kafka(t, "offset.storage.topic", plain)
	if err := deleting.EnsureInternalTopics(limited(t)); err == nil || !strings.Contains(err.Error(), plain) || !strings.Contains(err.Error(), "compact") {
		t.Errorf("a topic with cleanup.policy=delete: %v", err)
	}
}

func consumes(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k)
	topic := b.name("data")
	s := open(t, k, cfg, "0")
	deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "one")}})
	leftOpen(t, k, cfg.TransactionalBase+"1", &kgo.Record{Topic: topic, Partition: anyPartition, Key: []byte("k"), Value: []byte("open")})
	enough := errors.New("enough")
	for want, options := range map[string][]ConsumeOption{"one": nil, "open": {Uncommitted()}} {
		err := k.Consume(limited(t), topic, true, func(r Consumed) error {
			if string(r.Value) == want && string(r.Key) == "k" {
				return enough
			}
			return nil
		}, options...)
		if !errors.Is(err, enough) {
			t.Errorf("%s: %v", want, err)
		}
	}
	ended, cancel := context.WithCancel(limited(t))
	cancel()
	if err := k.Consume(ended, topic, false, func(Consumed) error { return enough }); err != nil {
		t.Errorf("after its end: %v", err)
	}
	if err := k.Consume(limited(t), b.name("nowhere"), true, func(Consumed) error { return nil }); err == nil {
		t.Error("consumed a topic that does not exist")
	}
}
