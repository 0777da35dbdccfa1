package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sluice.example/shared/clock"
	"sluice.example/shared/connector"
)

// topic is what is known of a topic that exists.
type topic struct {
	id         [16]byte
	partitions int32
	leaders    map[int32]int32 // broker by partition
	seen       time.Time
}

const (
	// shownWithin is how long a topic just made may take to be known to the broker that is asked.
	shownWithin = 15 * time.Second
	// autoWithin is how long brokers that create topics by themselves may take; they deny a topic until they have.
	autoWithin = 5 * time.Second
)

// Partitions is how many partitions a data topic has, not older than the metadata's age (five minutes). The topic is
// created when it does not exist, see task.Kafka.
func (k *Kafka) Partitions(ctx context.Context, name string, cfg connector.Settings) (int32, error) {
	cl, c, err := k.shared(adminKind, cfg.Config)
	if err != nil {
		return 0, err
	}
	if t, ok := c.known(name); ok && clock.System.Now().Sub(t.seen) < metadataAge {
		return t.partitions, nil
	}
	c.drop(name)
	t, err := k.ensure(ctx, cl, c, name, cfg)
	return t.partitions, c.explain("look up topic "+name, err)
}

// ensure finds a data topic, or creates it as the connector's topic.creation.* settings say, else lets the brokers
// create it (KIP-158). Several workers may do so at once: whoever comes second finds the topic made (KF-08).
func (k *Kafka) ensure(ctx context.Context, cl *kgo.Client, c *cluster, name string, cfg connector.Settings) (topic, error) {
	if t, ok := c.known(name); ok {
		return t, nil
	}
	t, err := lookUp(ctx, cl, name, false)
	if err == nil {
		return c.learn(name, t), nil
	}
	if !unknownTopic(err) {
		return topic{}, topicError("look up", name, err)
	}
	rule, ok, err := creationRule(name, cfg.Config, k.worker)
	if err != nil {
		return topic{}, err
	}
	if !ok {
		t, err := waitFor(ctx, cl, name, true, autoWithin)
		if unknownTopic(err) {
			return topic{}, fmt.Errorf("topic %s does not exist and the brokers do not create topics by themselves (auto.create.topics.enable): create it, or set topic.creation.default.replication.factor and topic.creation.default.partitions%s",
				name, k.creationHint())
		}
		if err != nil {
			return topic{}, topicError("look up", name, err)
		}
		return c.learn(name, t), nil
	}
	if err := create(ctx, cl, name, rule); err != nil {
		return topic{}, err
	}
	if t, err = waitFor(ctx, cl, name, false, shownWithin); err != nil {
		return topic{}, topicError("wait for new", name, err)
	}
	return c.learn(name, t), nil
}

func (k *Kafka) creationHint() string {
	if k.worker["topic.creation.enable"] == "false" {
		return " (the worker's topic.creation.enable is false)"
	}
	return ""
}

// create makes a topic; one that somebody else made meanwhile is fine.
func create(ctx context.Context, cl *kgo.Client, name string, rule creation) error {
	configs := make(map[string]*string, len(rule.configs))
	for key, v := range rule.configs {
		configs[key] = &v
	}
	resp, err := kadm.NewClient(cl).CreateTopic(ctx, rule.partitions, rule.replication, configs, name)
	if err == nil {
		err = resp.Err
	}
	switch {
	case err == nil, errors.Is(err, kerr.TopicAlreadyExists):
		return nil
	case errors.Is(err, kerr.InvalidReplicationFactor):
		return fmt.Errorf("create topic %s with replication factor %d: the cluster has too few brokers for that, set %s: %w", name, rule.replication, rule.factorKey, err)
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.ClusterAuthorizationFailed):
		return fmt.Errorf("create topic %s: not allowed, create it beforehand or allow CREATE: %w", name, err)
	case resp.ErrMessage != "":
		return fmt.Errorf("create topic %s: %s: %w", name, resp.ErrMessage, err)
	}
	return fmt.Errorf("create topic %s: %w", name, err)
}

// waitFor looks a topic up until it is there with a leader for each partition.
func waitFor(ctx context.Context, cl *kgo.Client, name string, auto bool, most time.Duration) (topic, error) {
	end := clock.System.Now().Add(most)
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		t, err := lookUp(ctx, cl, name, auto)
		if err == nil || !unknownTopic(err) && !kerr.IsRetriable(err) || clock.System.Now().After(end) {
			return t, err
		}
		if werr := wait(ctx, pause); werr != nil {
			return topic{}, fmt.Errorf("%w (last answer: %w)", werr, err)
		}
	}
}

// lookUp asks a broker about a topic. A partition without a leader makes it kerr.LeaderNotAvailable.
func lookUp(ctx context.Context, cl *kgo.Client, name string, auto bool) (topic, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.AllowAutoTopicCreation = auto
	asked := kmsg.NewMetadataRequestTopic()
	asked.Topic = &name
	req.Topics = append(req.Topics, asked)
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return topic{}, err
	}
	if len(resp.Topics) != 1 {
		return topic{}, fmt.Errorf("the broker answered about %d topics", len(resp.Topics))
	}
	found := resp.Topics[0]
	if err := kerr.ErrorForCode(found.ErrorCode); err != nil {
		return topic{}, err
	}
	t := topic{id: found.TopicID, partitions: int32(len(found.Partitions)), leaders: make(map[int32]int32, len(found.Partitions)), seen: clock.System.Now()}
	for _, p := range found.Partitions {
		if p.Leader < 0 {
			return topic{}, kerr.LeaderNotAvailable
		}
		t.leaders[p.Partition] = p.Leader
	}
	return t, nil
}

func unknownTopic(err error) bool {
	return errors.Is(err, kerr.UnknownTopicOrPartition) || errors.Is(err, kerr.UnknownTopicID)
}

func topicError(what, name string, err error) error {
	if errors.Is(err, kerr.TopicAuthorizationFailed) {
		return fmt.Errorf("%s topic %s: not allowed (DESCRIBE, READ, WRITE are needed): %w", what, name, err)
	}
	return fmt.Errorf("%s topic %s: %w", what, name, err)
}

// wait pauses, or ends early with the context's error.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (c *cluster) known(name string) (topic, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.topics[name]
	return t, ok
}

func (c *cluster) learn(name string, t topic) topic {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.topics[name] = t
	return t
}

func (c *cluster) drop(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.topics, name)
}

// forget drops everything that is known of topics.
func (c *cluster) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.topics)
}
