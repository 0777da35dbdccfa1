package kafka

import (
	"context"
	"fmt"
	"maps"

	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
	"sluice.example/shared/offset"
	"sluice.example/shared/scheduler"
	"sluice.example/shared/task"
)

// Tail reads the offsets topic from each place up to the end as it is now, see task.Kafka. After a fence, whatever the
// loser committed is below that end. A topic that does not exist is made, and then holds nothing. Failing to read, also
// for lack of time, is an error and never "nothing found" (LC-09).
//
// A place whose partition is not the key's own (the topic got more partitions) is read in both; what stands in the key's
// own wins. A position that cannot be parsed is logged and passed over: the one before it stands, the caller's own too.
func (k *Kafka) Tail(ctx context.Context, cfg connector.Settings, from map[string]delivery.Place) (map[string]task.Found, error) {
	found := make(map[string]task.Found)
	if len(from) == 0 {
		return found, nil
	}
	if err := k.ensureRead(ctx, cfg, cfg.OffsetsTopic); err != nil {
		return nil, err
	}
	_, err := k.scan(ctx, cfg, cfg.OffsetsTopic, func(partitions int32) starts {
		s := make(starts)
		for token, place := range from {
			home := partitionOf(offset.Key(cfg.Name, token), partitions)
			known := place != (delivery.Place{}) && place.Partition < partitions
			if known {
				s[place.Partition] = append(s[place.Partition], place.Offset)
			}
			if !known || place.Partition != home {
				s[home] = append(s[home], 0)
			}
		}
		return s
	}, func(token string, f task.Found) {
		if _, asked := from[token]; asked {
			found[token] = f
		}
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Offsets reads every position of the connector, see scheduler.Offsets. A connector with an offsets topic of its own also
// has what the worker's topic knows and its own does not, as in Connect (KIP-618); such a position has the zero Place.
//
// A topic that does not exist is made, and then holds nothing. Any other trouble is an error (LC-09), and so is a
// partition all of whose positions cannot be parsed: without it the connector would begin anew, after what is not yet
// delivered.
func (k *Kafka) Offsets(ctx context.Context, cfg connector.Settings) (map[string]scheduler.Found, error) {
	newest := make(map[string]task.Found)
	unread := make(map[string]error)
	for _, name := range k.offsetsTopics(cfg) {
		if err := k.ensureRead(ctx, cfg, name); err != nil {
			return nil, err
		}
		passed, err := k.scan(ctx, cfg, name, fromStart, func(token string, f task.Found) {
			if name != cfg.OffsetsTopic {
				f.Place = delivery.Place{}
			}
			newest[token] = f
		})
		if err != nil {
			return nil, err
		}
		maps.Copy(unread, passed)
	}
	for token, err := range unread {
		if _, ok := newest[token]; !ok {
			return nil, fmt.Errorf("read offsets of connector %s: nothing else is known of partition %s: %w", cfg.Name, token, err)
		}
	}
	found := make(map[string]scheduler.Found, len(newest))
	for token, f := range newest {
		if !f.Gone {
			found[token] = scheduler.Found{Position: f.Position, Place: f.Place}
		}
	}
	return found, nil
}

// ensureRead makes an offsets topic that does not exist. Creating decides whether it does: only the controller knows for
// certain, a broker may not have heard of a new topic.
func (k *Kafka) ensureRead(ctx context.Context, cfg connector.Settings, name string) error {
	cl, c, err := k.shared(adminKind, cfg.Config)
	if err != nil {
		return err
	}
	return c.explain("read offsets of connector "+cfg.Name, k.ensureOffsets(ctx, cl, c, name))
}

// offsetsTopics are the topics that may hold positions of a connector, the one that counts last.
func (k *Kafka) offsetsTopics(cfg connector.Settings) []string {
	if shared := k.worker["offset.storage.topic"]; shared != "" && shared != cfg.OffsetsTopic {
		return []string{shared, cfg.OffsetsTopic}
	}
	return []string{cfg.OffsetsTopic}
}
