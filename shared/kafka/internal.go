package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Connect gives its internal topics three replicas and fails on a smaller cluster (KF-07). Here three is meant only where
// the worker says so; otherwise a cluster of one or two brokers gives as many as it has.
const (
	asManyAsBrokers int16 = 0 // in a rule: not set by the user
	wantedReplicas        = 3
)

// internalTopic is one of the worker's own topics.
type internalTopic struct {
	name   string
	rule   creation
	single bool // exactly one partition
}

// EnsureInternalTopics makes the worker's topics where they are missing, as Connect does at its start: offsets
// (offset.storage.*, 25 partitions), and, when they are named, configuration (config.storage.*, always one partition) and
// status (status.storage.*, 5 partitions); three replicas each, or as many as there are brokers if those are fewer, unless
// the worker says otherwise. A factor that the worker asks for and the cluster cannot give is an error that names topic,
// factor and setting; calling again after a change works. An existing topic must be
// compacted and nothing else (KF-07): with cleanup.policy=delete offsets would be lost after the retention time. A worker
// that may not ask for a topic's settings takes them for right; one that may not create topics can use those that exist.
func (k *Kafka) EnsureInternalTopics(ctx context.Context) error {
	topics, err := k.internalTopics()
	if err != nil {
		return err
	}
	cl, c, err := k.shared(adminKind, nil)
	if err != nil {
		return err
	}
	for _, t := range topics {
		if err := k.ensureInternal(ctx, cl, c, t); err != nil {
			return c.explain("prepare internal topics", err)
		}
	}
	return nil
}

// internalTopics reads the settings of the worker's topics.
func (k *Kafka) internalTopics() ([]internalTopic, error) {
	var topics []internalTopic
	for _, t := range []struct {
		prefix     string
		partitions int64 // 0: always one
	}{{"offset.storage.", 25}, {"config.storage.", 0}, {"status.storage.", 5}} {
		name := strings.TrimSpace(k.worker[t.prefix+"topic"])
		if name == "" {
			continue
		}
		rule, err := k.storageRule(t.prefix, t.partitions)
		if err != nil {
			return nil, err
		}
		topics = append(topics, internalTopic{name: name, rule: rule, single: t.partitions == 0})
	}
	return topics, nil
}

// storageRule is how a topic of one of the three families is made.
func (k *Kafka) storageRule(prefix string, partitions int64) (creation, error) {
	rule := creation{partitions: max(1, int32(partitions)), replication: asManyAsBrokers, configs: map[string]string{}, factorKey: prefix + "replication.factor"}
	for key, v := range k.worker {
		setting, mine := strings.CutPrefix(key, prefix)
		if !mine {
			continue
		}
		v = strings.TrimSpace(v)
		switch setting {
		case "topic":
		case "partitions", "replication.factor":
			if setting == "partitions" && partitions == 0 {
				k.warnOnce(key + " is ignored: the topic has one partition")
				continue
			}
			bits := 32
			if setting == "replication.factor" {
				bits = 16
			}
			n, err := strconv.ParseInt(v, 10, bits)
			if err != nil || n == 0 || n < -1 {
				return rule, fmt.Errorf("%s is %q: a number of at least 1, or -1 for the brokers' default", key, v)
			}
			if bits == 16 {
				rule.replication, rule.told = int16(n), true
			} else {
				rule.partitions = int32(n)
			}
		case "cleanup.policy":
			k.warnOnce(key + " is ignored: the topic is compacted")
		default:
			rule.configs[setting] = v
		}
	}
	rule.configs["cleanup.policy"] = "compact"
	return rule, nil
}

// ensureOffsets makes or checks an offsets topic, the worker's or a connector's own, once for each cluster.
func (k *Kafka) ensureOffsets(ctx context.Context, cl *kgo.Client, c *cluster, name string) error {
	if _, ok := c.known(name); ok {
		return nil
	}
	rule, err := k.storageRule("offset.storage.", 25)
	if err != nil {
		return err
	}
	return k.ensureInternal(ctx, cl, c, internalTopic{name: name, rule: rule})
}

func (k *Kafka) ensureInternal(ctx context.Context, cl *kgo.Client, c *cluster, want internalTopic) error {
	t, err := lookUp(ctx, cl, want.name, false)
	if unknownTopic(err) {
		if err = fewer(ctx, cl, &want.rule); err != nil {
			return err
		}
		if err = create(ctx, cl, want.name, want.rule); err != nil {
			return err
		}
		k.log.Info("internal topic is there", "topic", want.name)
	}
	if err != nil || t.partitions == 0 {
		if t, err = waitFor(ctx, cl, want.name, false, shownWithin); err != nil {
			return topicError("look up internal", want.name, err)
		}
	}
	if want.single && t.partitions != 1 {
		return fmt.Errorf("topic %s has %d partitions: config.storage.topic must have exactly one, or its records have no order", want.name, t.partitions)
	}
	// Also after creating: somebody else may have been first, with other settings.
	if err := k.compacted(ctx, cl, want.name); err != nil {
		return err
	}
	c.learn(want.name, t)
	return nil
}

// replicas is how many replicas an internal topic gets when nobody says.
func replicas(ctx context.Context, cl *kgo.Client) (int16, error) {
	brokers, err := kadm.NewClient(cl).ListBrokers(ctx)
	if err != nil {
		return 0, err
	}
	return int16(max(1, min(wantedReplicas, len(brokers)))), nil
}

// compacted refuses a topic whose cleanup.policy is not exactly compact.
func (k *Kafka) compacted(ctx context.Context, cl *kgo.Client, name string) error {
	configs, err := kadm.NewClient(cl).DescribeTopicConfigs(ctx, name)
	var found kadm.ResourceConfig
	if err == nil {
		if found, err = configs.On(name, nil); err == nil {
			err = found.Err
		}
	}
	if errors.Is(err, kerr.TopicAuthorizationFailed) || errors.Is(err, kerr.ClusterAuthorizationFailed) {
		k.log.Debug("may not ask for the settings of a topic; taking it for compacted", "topic", name)
		return nil
	}
	if err != nil {
		return topicError("describe", name, err)
	}
	for _, c := range found.Configs {
		if c.Key == "cleanup.policy" && c.MaybeValue() != "compact" {
			return fmt.Errorf("topic %s has cleanup.policy=%s, but it must be compact: what it stores must outlive the retention time; set it with kafka-configs --alter --entity-type topics --entity-name %s --add-config cleanup.policy=compact",
				name, c.MaybeValue(), name)
		}
	}
	return nil
}

// fewer lowers a replication factor that nobody asked for to the number of brokers, so that a small cluster needs no
// setting. One that was asked for is asked for (KF-07).
func fewer(ctx context.Context, cl *kgo.Client, rule *creation) error {
	if rule.told {
		return nil
	}
	brokers, err := kadm.NewClient(cl).ListBrokers(ctx)
	if err != nil {
		return fmt.Errorf("count brokers: %w", err)
	}
	rule.replication = min(rule.replication, int16(max(1, len(brokers))))
	return nil
}
