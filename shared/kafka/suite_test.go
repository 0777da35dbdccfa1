package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"sluice.example/shared/delivery"
	"sluice.example/shared/offset"
)

// suite is what any Kafka must do; kfake and a real broker both run it.
var suite = []struct {
	name string
	test func(*testing.T, bench)
}{
	{"a batch becomes visible with its places", visible},
	{"a fenced sink stays fenced", fencedForGood},
	{"a fence aborts what a dead owner left open", fenceAborts},
	{"a tail sees what was committed before the fence", tailAfterFence},
	{"a tail waits for an open transaction", tailWaits},
	{"a message too large leaves the sink usable", largeMessage},
	{"a batch too large for its topic goes in pieces", largeBatch},
	{"eight workers create one topic", eightCreate},
	{"groups decide how a topic is made", groupsCreate},
	{"offsets of Connect and Debezium are read, tombstones win", foreignOffsets},
	{"a connector's own offsets topic comes first", ownTopic},
	{"at least once: messages, then offsets", atLeastOnceMode},
	{"a hole ends a delivery in time and later ones work", blackHole},
	{"a failed read is an error", failedRead},
	{"the offsets topic is made compacted and checked", internals},
	{"a topic deleted under a warm sink", deletedTopic},
	{"consume", consumes},
	{"the cluster has an id", func(t *testing.T, b bench) {
		if id, err := b.kafka(t).ClusterID(limited(t)); err != nil || id == "" {
			t.Errorf("cluster id %q, %v", id, err)
		}
	}},
}

func TestOnFake(t *testing.T) {
	t.Parallel()
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b, _ := fake(t)
			s.test(t, b)
		})
	}
}

// TestOnOldFake is the suite on brokers of before KIP-890, whose transactions keep their epoch.
func TestOnOldFake(t *testing.T) {
	t.Parallel()
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b, _ := fake(t, kfake.MaxVersions(kversion.V3_6_0()))
			s.test(t, b)
		})
	}
}

func visible(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k)
	topic := b.name("data")
	s := open(t, k, cfg, "0")
	if places, err := s.Deliver(limited(t), delivery.Batch{}); err != nil || places != nil {
		t.Errorf("an empty batch gave %v, %v", places, err)
	}
	stamp := time.UnixMilli(1_700_000_000_123)
	m := []delivery.Message{
		{Topic: topic, Partition: 2, Key: []byte("k"), Value: []byte("named"), Timestamp: stamp, Headers: []delivery.Header{{Key: "h", Value: []byte("v")}, {Key: "n"}}},
		message(topic, `{"id":1}`, "keyed"),
		{Topic: topic, Partition: anyPartition, Key: []byte(`{"id":1}`)},
	}
	places := deliver(t, s, delivery.Batch{Messages: m, Offsets: []delivery.Entry{position(cfg, "a", 1), position(cfg, "b", 1)}})
	places = append(places, deliver(t, s, delivery.Batch{Offsets: []delivery.Entry{position(cfg, "a", 2)}})...)
	got := make(map[string]*kgo.Record)
	for _, r := range committed(t, k, topic) {
		got[string(r.Value)] = r
	}
	if r := got["named"]; r == nil || r.Partition != 2 || !r.Timestamp.Equal(stamp) || len(r.Headers) != 2 || r.Headers[1].Value != nil {
		t.Errorf("message with a partition: %+v", r)
	}
	if r, want := got["keyed"], partitionOf([]byte(`{"id":1}`), 3); r == nil || r.Partition != want {
		t.Errorf("message with a key: %+v, want partition %d", r, want)
	}
	if r := got[""]; r == nil || r.Value != nil {
		t.Errorf("tombstone: %+v", r)
	}
	records := committed(t, k, cfg.OffsetsTopic)
	for i, want := range []string{"a", "b", "a"} {
		var token string
		for _, r := range records {
			if r.Partition == places[i].Partition && r.Offset == places[i].Offset {
				_, token, _ = offset.ParseKey(r.Key)
			}
		}
		if token != want {
			t.Errorf("place %d holds %q, want %q", i, token, want)
		}
	}
	if _, err := s.Deliver(limited(t), delivery.Batch{Messages: []delivery.Message{message(cfg.OffsetsTopic, "k", "v")}}); err == nil || !strings.Contains(err.Error(), cfg.OffsetsTopic) {
		t.Errorf("a message for the offsets topic: %v", err)
	}
}

func fencedForGood(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k)
	topic := b.name("data")
	a := open(t, k, cfg, "0")
	deliver(t, a, delivery.Batch{Messages: []delivery.Message{message(topic, "1", "a1")}})
	next := open(t, k, cfg, "0")
	for i := range 3 {
		if _, err := a.Deliver(limited(t), delivery.Batch{Messages: []delivery.Message{message(topic, "1", "a2")}}); !errors.Is(err, delivery.ErrFenced) {
			t.Errorf("try %d of the fenced sink: %v", i, err)
		}
	}
	deliver(t, next, delivery.Batch{Messages: []delivery.Message{message(topic, "1", "b1")}})
	if d := cmp.Diff([]string{"a1", "b1"}, values(committed(t, k, topic))); d != "" {
		t.Error(d)
	}
}

// leftOpen produces in a transaction that nobody ends.
func leftOpen(t *testing.T, k *Kafka, id string, records ...*kgo.Record) *kgo.Client {
	t.Helper()
	values, err := k.layers(producerKind, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := k.way(values)
	if err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(append(w.options(k), kgo.TransactionalID(id), kgo.TransactionTimeout(time.Minute), kgo.RecordPartitioner(javaPartitioner{}))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := cl.ProduceSync(limited(t), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	return cl
}

func fenceAborts(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k)
	topic := b.name("data")
	if _, err := k.Partitions(limited(t), topic, cfg); err != nil {
		t.Fatal(err)
	}
	leftOpen(t, k, cfg.TransactionalBase+"0", &kgo.Record{Topic: topic, Partition: anyPartition, Key: []byte("k"), Value: []byte("left")})
	for range 2 { // a repeat is harmless
		if err := k.Fence(limited(t), cfg.TransactionalBase+"0", cfg); err != nil {
			t.Fatal(err)
		}
	}
	if got := committed(t, k, topic); len(got) != 0 {
		t.Errorf("visible after the fence: %v", values(got))
	}
}

func tailAfterFence(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k)
	s := open(t, k, cfg, "0")
	first := deliver(t, s, delivery.Batch{Offsets: []delivery.Entry{position(cfg, "a", 1), position(cfg, "b", 1)}})
	// Our cache stops here; the predecessor commits once more and is then fenced.
	last := deliver(t, s, delivery.Batch{Offsets: []delivery.Entry{position(cfg, "a", 2)}})
	if err := k.Fence(limited(t), cfg.TransactionalBase+"0", cfg); err != nil {
		t.Fatal(err)
	}
	for _, from := range []map[string]delivery.Place{{"a": first[0], "b": first[1], "none": {}}, {"a": {}, "b": {}}, {"a": last[0], "b": {Partition: first[1].Partition, Offset: 1 << 40}}} {
		found, err := k.Tail(limited(t), cfg, from)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(at(2), found["a"].Position); d != "" || found["a"].Place != last[0] {
			t.Errorf("from %v found %+v: %s", from, found["a"], d)
		}
		if d := cmp.Diff(at(1), found["b"].Position); d != "" {
			t.Errorf("from %v: %s", from, d)
		}
		if _, ok := found["none"]; ok {
			t.Error("found a token that nobody wrote")
		}
	}
	if err := k.Forget(limited(t), cfg, []string{"a"}); err != nil {
		t.Fatal(err)
	}
	found, err := k.Tail(limited(t), cfg, map[string]delivery.Place{"a": first[0]})
	if err != nil || !found["a"].Gone {
		t.Errorf("after forgetting: %+v, %v", found, err)
	}
	all, err := k.Offsets(limited(t), cfg)
	if err != nil || len(all) != 1 {
		t.Errorf("offsets after forgetting: %v, %v", all, err)
	}
}

func tailWaits(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k)
	s := open(t, k, cfg, "0")
	place := deliver(t, s, delivery.Batch{Offsets: []delivery.Entry{position(cfg, "a", 1)}})[0]
	other := leftOpen(t, k, cfg.TransactionalBase+"1", &kgo.Record{Topic: cfg.OffsetsTopic, Partition: anyPartition, Key: offset.Key(cfg.Name, "a"), Value: at(2).Marshal()})
	short, cancel := context.WithTimeout(limited(t), 300*time.Millisecond)
	defer cancel()
	if found, err := k.Tail(short, cfg, map[string]delivery.Place{"a": place}); err == nil {
		t.Errorf("read past an open transaction: %v", found)
	}
	type answer struct {
		pos offset.Position
		err error
	}
	done := make(chan answer, 1)
	go func() {
		found, err := k.Tail(limited(t), cfg, map[string]delivery.Place{"a": place})
		done <- answer{found["a"].Position, err}
	}()
	if err := other.EndTransaction(limited(t), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	got := <-done
	if d := cmp.Diff(at(2), got.pos); d != "" || got.err != nil {
		t.Error(d, got.err)
	}
}

func largeMessage(t *testing.T, b bench) {
	k := b.kafka(t)
	big := bytes.Repeat([]byte("x"), 2_500_000)
	for name, more := range map[string][]string{
		"client": nil,
		"broker": {"producer.override.max.request.size", "4194304", "topic.creation.default.max.message.bytes", "1048588"},
	} {
		cfg := b.connector(k, more...)
		topic := b.name("data")
		s := open(t, k, cfg, "0")
		_, err := s.Deliver(limited(t), delivery.Batch{
			Messages: []delivery.Message{message(topic, "1", "one"), {Topic: topic, Partition: anyPartition, Key: []byte(`{"id":2}`), Value: big}, message(topic, "3", "three")},
			Offsets:  []delivery.Entry{position(cfg, "a", 1)},
		})
		var large *delivery.TooLarge
		if !errors.As(err, &large) || large.Topic != topic || string(large.Key) != `{"id":2}` || large.Size < len(big) || strings.Contains(err.Error(), "xxx") {
			t.Fatalf("%s: %v", name, err)
		}
		deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "1", "after")}})
		deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "1", "again")}})
		if d := cmp.Diff([]string{"after", "again"}, values(committed(t, k, topic))); d != "" {
			t.Error(name, d)
		}
	}
}

func largeBatch(t *testing.T, b bench) {
	k := b.kafka(t)
	for _, eos := range []bool{true, false} {
		cfg := b.connector(k, "topic.creation.default.max.message.bytes", "8000", "topic.creation.default.partitions", "1")
		cfg.ExactlyOnce = eos
		topic := b.name("data")
		s := open(t, k, cfg, "0")
		var batch delivery.Batch
		var want []string
		for i := range 60 {
			v := fmt.Sprintf("%02d%s", i, strings.Repeat("y", 500))
			want = append(want, v)
			batch.Messages = append(batch.Messages, message(topic, "k", v))
		}
		deliver(t, s, batch)
		deliver(t, s, delivery.Batch{Messages: batch.Messages[:30]})
		got := values(committed(t, k, topic))
		if eos {
			if d := cmp.Diff(append(want, want[:30]...), got); d != "" {
				t.Error(d)
			}
		} else if len(got) < 90 {
			t.Errorf("%d of 90 messages", len(got))
		}
	}
}

func eightCreate(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k)
	topic := b.name("data")
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range 8 {
		wg.Go(func() {
			other := k
			if i > 0 { // a worker of its own
				var err error
				if other, err = New(k.worker, Options{Dialer: b.dial}); err != nil {
					errs[i] = err
					return
				}
				defer other.Close()
			}
			s, err := other.Open(limited(t), cfg.TransactionalBase+fmt.Sprint(i), cfg)
			if err != nil {
				errs[i] = err
				return
			}
			defer s.Close(context.Background())
			_, errs[i] = s.Deliver(limited(t), delivery.Batch{Messages: []delivery.Message{message(topic, fmt.Sprint(i), fmt.Sprint(i))}})
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("worker %d: %v", i, err)
		}
	}
	records := committed(t, k, topic)
	if len(records) != 8 {
		t.Errorf("%d messages of 8", len(records))
	}
	for _, r := range records {
		if want := partitionOf(r.Key, 3); r.Partition != want {
			t.Errorf("key %s is in partition %d, want %d", r.Key, r.Partition, want)
		}
	}
	if n, err := k.Partitions(limited(t), topic, cfg); err != nil || n != 3 {
		t.Errorf("%d partitions, %v", n, err)
	}
}

func groupsCreate(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k,
		"topic.creation.default.cleanup.policy", "compact",
		"topic.creation.groups", "wide",
		"topic.creation.wide.include", `wide-.*`, "topic.creation.wide.partitions", "7", "topic.creation.wide.retention.ms", "123456")
	for _, c := range []struct {
		kind       string
		partitions int32
		policy     string
	}{{"wide", 7, "delete"}, {"other", 3, "compact"}} {
		topic := b.name(c.kind)
		n, err := k.Partitions(limited(t), topic, cfg)
		if err != nil || n != c.partitions {
			t.Errorf("%s: %d partitions, %v", c.kind, n, err)
		}
		configs := configsOf(t, k, topic)
		if configs["cleanup.policy"] != c.policy || c.kind == "wide" && configs["retention.ms"] != "123456" {
			t.Errorf("%s: cleanup.policy %s, retention.ms %s", c.kind, configs["cleanup.policy"], configs["retention.ms"])
		}
	}
}

func configsOf(t *testing.T, k *Kafka, topic string) map[string]string {
	t.Helper()
	cl, _, err := k.shared(adminKind, nil)
	if err != nil {
		t.Fatal(err)
	}
	described, err := kadm.NewClient(cl).DescribeTopicConfigs(limited(t), topic)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string)
	for _, r := range described {
		for _, c := range r.Configs {
			out[c.Key] = c.MaybeValue()
		}
	}
	return out
}
