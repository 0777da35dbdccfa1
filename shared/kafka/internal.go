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

// asManyAsBrokers in a rule: the user did not set the factor.
const asManyAsBrokers = 0

// wantedReplicas is Connect's default for its internal topics, with which it fails on a smaller cluster (KF-07). Here
// three is insisted on only where the worker says so; otherwise one or two brokers give as many replicas as they are.
const wantedReplicas = 3

// EnsureInternalTopics makes the worker's offsets topic where it is missing, as Connect does at its start: compacted, of
// offset.storage.partitions (25) partitions, with offset.storage.replication.factor replicas (three, or as many as there
// are brokers if those are fewer, when the worker does not say) and whatever other offset.storage.* settings the worker
// has. Connect's topics of configuration and status are not made: Sluice keeps neither in Kafka.
//
// A factor that the worker asks for and the cluster cannot give is an error that names topic, factor and setting; calling
// again after a change works. An existing topic must be compacted and nothing else: with cleanup.policy=delete offsets
// would be lost after the retention time. A worker that may not ask for a topic's settings takes them for right; one that
// may not create topics can use one that exists (KF-07).
func (k *Kafka) EnsureInternalTopics(ctx context.Context) error {
	name := strings.TrimSpace(k.worker["offset.storage.topic"])
	if name == "" {
		return nil
	}
	cl, c, err := k.shared(adminKind, nil)
	if err != nil {
		return err
	}
	return c.explain("prepare internal topics", k.ensureOffsets(ctx, cl, c, name))
}

// storageRule is how an offsets topic is made.
func (k *Kafka) storageRule() (creation, error) {
	const prefix = "offset.storage."
	rule := creation{partitions: 25, replication: asManyAsBrokers, configs: map[string]string{}, factorKey: prefix + "replication.factor"}
	for key, v := range k.worker {
		setting, mine := strings.CutPrefix(key, prefix)
		if !mine {
			continue
		}
		v = strings.TrimSpace(v)
		switch setting {
		case "topic":
		case "partitions", "replication.factor":
			bits := 32
			if setting == "replication.factor" {
				bits = 16
			}
			n, err := strconv.ParseInt(v, 10, bits)
			if err != nil || n == 0 || n < -1 {
				return rule, fmt.Errorf("%s is %q: a number of at least 1, or -1 for the brokers' default", key, v)
			}
			if bits == 16 {
				rule.replication = int16(n)
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
	rule, err := k.storageRule()
	if err != nil {
		return err
	}
	t, err := lookUp(ctx, cl, name, false)
	created := unknownTopic(err)
	if created {
		if rule.replication == asManyAsBrokers {
			if rule.replication, err = replicas(ctx, cl); err != nil {
				return fmt.Errorf("count brokers for topic %s: %w", name, err)
			}
		}
		if err := create(ctx, cl, name, rule); err != nil {
			return err
		}
		k.log.Info("internal topic is there", "topic", name)
	}
	if created || kerr.IsRetriable(err) {
		t, err = waitFor(ctx, cl, name, false, shownWithin)
	}
	if err != nil {
		return topicError("look up internal", name, err)
	}
	// Also after creating: somebody else may have been first, with other settings.
	if err := k.compacted(ctx, cl, name); err != nil {
		return err
	}
	c.learn(name, t)
	return nil
}

// replicas is how many replicas an offsets topic gets when nobody says.
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
