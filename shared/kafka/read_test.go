package kafka

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/delivery"
	"sluice.example/shared/offset"
)

// TestLeaderMoves: a fetch that reaches the wrong broker looks for the right one.
func TestLeaderMoves(t *testing.T) {
	t.Parallel()
	b, c := fake(t, kfake.NumBrokers(3))
	k := b.kafka(t)
	cfg := b.connector(k)
	put(t, k, cfg.OffsetsTopic, string(offset.Key(cfg.Name, "a")), debezium)
	cl, _, err := k.shared(consumerKind, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := lookUp(limited(t), cl, cfg.OffsetsTopic, false)
	if err != nil {
		t.Fatal(err)
	}
	for p := range found.partitions {
		if err := c.MoveTopicPartition(cfg.OffsetsTopic, p, (found.leaders[p]+1)%3); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	err = read(limited(t), cl, cfg.OffsetsTopic, found, fromStart(found.partitions), func(*kgo.Record) error { n++; return nil })
	if err != nil || n != 1 {
		t.Errorf("%d records, %v", n, err)
	}
	stop := errors.New("stop")
	if err := read(limited(t), cl, cfg.OffsetsTopic, found, fromStart(found.partitions), func(*kgo.Record) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("a reader that stops: %v", err)
	}
	if err := read(limited(t), cl, cfg.OffsetsTopic, found, starts{99: {0}}, func(*kgo.Record) error { return nil }); err == nil || !strings.Contains(err.Error(), "99") {
		t.Errorf("a partition that is not there: %v", err)
	}
}

// deletedTopic: the sink that meets a deleted topic dies within its time, and the next one makes the topic anew.
func deletedTopic(t *testing.T, b bench) {
	k := b.kafka(t)
	cfg := b.connector(k)
	topic := b.name("data")
	s := open(t, k, cfg, "0")
	deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "1")}})
	cl, _, err := k.shared(adminKind, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kadm.NewClient(cl).DeleteTopics(limited(t), topic); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(limited(t), 20*time.Second)
	defer cancel()
	for err = nil; err == nil; { // brokers hear of the deletion a little after it is answered
		_, err = s.Deliver(ctx, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "2")}, Offsets: []delivery.Entry{position(cfg, "a", 2)}})
	}
	if ctx.Err() != nil {
		t.Errorf("found out too late: %v", err)
	}
	next := open(t, k, cfg, "0")
	deliver(t, next, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "3")}, Offsets: []delivery.Entry{position(cfg, "a", 3)}})
	if got := values(committed(t, k, topic)); len(got) != 1 || got[0] != "3" {
		t.Errorf("messages %v", got)
	}
}
