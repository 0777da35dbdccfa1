package kafka

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sluice.example/shared/delivery"
)

// TestFewRights is KF-07c: a worker that may read and write its topics, and neither create them nor ask for settings.
func TestFewRights(t *testing.T) {
	t.Parallel()
	may := func(resource kmsg.ACLResourceType, name string, operations ...kmsg.ACLOperation) []kfake.ACL {
		var acls []kfake.ACL
		for _, o := range operations {
			acls = append(acls, kfake.ACL{Resource: resource, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: o, Allow: true})
		}
		return acls
	}
	acls := may(kmsg.ACLResourceTypeTopic, "offsets", kmsg.ACLOperationRead, kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe)
	acls = append(acls, may(kmsg.ACLResourceTypeTopic, "data", kmsg.ACLOperationRead, kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe)...)
	acls = append(acls, may(kmsg.ACLResourceTypeTopic, "missing", kmsg.ACLOperationDescribe)...)
	acls = append(acls, kfake.ACL{Resource: kmsg.ACLResourceTypeTransactionalId, Name: "g-", Pattern: kmsg.ACLResourcePatternTypePrefixed, Operation: kmsg.ACLOperationWrite, Allow: true})
	acls = append(acls, kfake.ACL{Resource: kmsg.ACLResourceTypeTransactionalId, Name: "g-", Pattern: kmsg.ACLResourcePatternTypePrefixed, Operation: kmsg.ACLOperationDescribe, Allow: true})
	b, c := fake(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.User("PLAIN", "u", "p", acls...))
	for topic, policy := range map[string]string{"offsets": "compact", "data": "delete"} {
		if err := c.CreateTopic(topic, 3, map[string]string{"cleanup.policy": policy}); err != nil {
			t.Fatal(err)
		}
	}
	k := b.kafka(t, "offset.storage.topic", "offsets", "security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN",
		"sasl.jaas.config", `org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";`)
	if err := k.EnsureInternalTopics(limited(t)); err != nil {
		t.Errorf("existing topics without CREATE: %v", err)
	}
	cfg := b.connector(k)
	s := open(t, k, cfg, "0")
	place := deliver(t, s, delivery.Batch{Messages: []delivery.Message{message("data", "k", "v")}, Offsets: []delivery.Entry{position(cfg, "a", 1)}})[0]
	if found, err := k.Tail(limited(t), cfg, map[string]delivery.Place{"a": {}}); err != nil || found["a"].Place != place {
		t.Errorf("found %+v, %v", found, err)
	}
	_, err := s.Deliver(limited(t), delivery.Batch{Messages: []delivery.Message{message("missing", "k", "v")}})
	if err == nil || !strings.Contains(err.Error(), "missing") || !strings.Contains(err.Error(), "CREATE") {
		t.Errorf("a topic that may not be created: %v", err)
	}
}

// TestTopicsLeftToBrokers is a connector without topic.creation settings.
func TestTopicsLeftToBrokers(t *testing.T) {
	t.Parallel()
	b, _ := fake(t, kfake.AllowAutoTopicCreation(), kfake.DefaultNumPartitions(4))
	k := b.kafka(t)
	cfg := b.connector(k)
	cfg.Config = map[string]string{"name": cfg.Name}
	if n, err := k.Partitions(limited(t), "auto", cfg); err != nil || n != 4 {
		t.Errorf("%d partitions, %v", n, err)
	}
	b, _ = fake(t)
	k = b.kafka(t, "topic.creation.enable", "false")
	cfg = b.connector(k)
	if _, err := k.Partitions(limited(t), "nobody", cfg); err == nil || !strings.Contains(err.Error(), "topic nobody does not exist") || !strings.Contains(err.Error(), "topic.creation.enable") {
		t.Errorf("a topic that nobody creates: %v", err)
	}
}

// TestCommitWithoutAnswer: the outcome is unknown, the sink is dead, and the offsets topic tells.
func TestCommitWithoutAnswer(t *testing.T) {
	t.Parallel()
	b, c := fake(t)
	k := b.kafka(t)
	cfg := b.connector(k)
	s := open(t, k, cfg, "0")
	first := deliver(t, s, delivery.Batch{Messages: []delivery.Message{message("data", "k", "1")}, Offsets: []delivery.Entry{position(cfg, "a", 1)}})[0]
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.UnknownServerError})
	batch := delivery.Batch{Messages: []delivery.Message{message("data", "k", "2")}, Offsets: []delivery.Entry{position(cfg, "a", 2)}}
	_, err := s.Deliver(limited(t), batch)
	var large *delivery.TooLarge
	if err == nil || errors.Is(err, delivery.ErrFenced) || errors.As(err, &large) {
		t.Errorf("a commit without an answer: %v", err)
	}
	ids := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Count: -1, Observe: true})
	for range 2 {
		if _, err := s.Deliver(limited(t), batch); !errors.Is(err, errDead) {
			t.Errorf("a dead sink: %v", err)
		}
	}
	if ids.Hits() != 0 {
		t.Error("a dead sink took a producer id")
	}
	next := open(t, k, cfg, "0")
	found, err := k.Tail(limited(t), cfg, map[string]delivery.Place{"a": first})
	if err != nil || len(found) != 1 {
		t.Fatalf("found %+v, %v", found, err)
	}
	if want := len(committed(t, k, "data")); !found["a"].Position.Offset.Equal(at(want).Offset) {
		t.Errorf("position %+v with %d messages visible", found["a"].Position, want)
	}
	deliver(t, next, batch)
}

// TestFewConnections is KF-11: invocations of a warm process share what is open.
func TestFewConnections(t *testing.T) {
	t.Parallel()
	b, c := fake(t, kfake.NumBrokers(3))
	p := newProxy(t)
	b.dial = p.dial
	k := b.kafka(t)
	cfg := b.connector(k)
	for topic, policy := range map[string]string{cfg.OffsetsTopic: "compact", "data": "delete"} {
		if err := c.CreateTopic(topic, 6, map[string]string{"cleanup.policy": policy}); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, k, cfg, "0")
	var last map[string]delivery.Place
	for i := range 50 {
		var batch delivery.Batch
		for n := range 20 { // all brokers
			batch.Messages = append(batch.Messages, message("data", fmt.Sprint(n), "v"))
		}
		batch.Offsets = []delivery.Entry{position(cfg, "a", i)}
		last = map[string]delivery.Place{"a": deliver(t, s, batch)[0]}
	}
	if n := p.opened.Load(); n > 3*2+1 {
		t.Errorf("%d connections for 50 deliveries on 3 brokers", n)
	}
	p.opened.Store(0)
	for range 50 {
		if _, err := k.Tail(limited(t), cfg, last); err != nil {
			t.Fatal(err)
		}
		if err := k.Fence(limited(t), cfg.TransactionalBase+"1", cfg); err != nil {
			t.Fatal(err)
		}
	}
	if n := p.opened.Load(); n > 3*2+1 {
		t.Errorf("%d connections for 50 takeovers on 3 brokers", n)
	}
}
