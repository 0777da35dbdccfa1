package kafka

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/delivery"
)

// overhead is more than a record batch with one record needs beside key, value and headers.
const overhead = 128

// errSmaller says that the batch is to be sent again, now that the topic's limit is known.
var errSmaller = errors.New("record batch is larger than the topic allows")

// produce sends records in order and waits for all answers. It returns nil, or an error for each record that failed.
//
// The client's only bound on a record batch is the largest message (max.request.size); a topic may allow less. Where that
// is so, what is unanswered of one topic is kept below the topic's limit by waiting in between; a message above the limit
// by itself goes alone.
func (s *sink) produce(ctx context.Context, records []*kgo.Record) []error {
	var (
		mu     sync.Mutex
		failed bool
		errs   = make([]error, len(records))
		out    = make(map[string]int) // bytes unanswered by topic
	)
	for i, r := range records {
		limit, size := s.limit(r.Topic), sizeOf(r)
		if n := out[r.Topic]; n > 0 && n+size > limit {
			if err := s.cl.Flush(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				for j := i; j < len(records); j++ {
					errs[j] = err
				}
				return append([]error(nil), errs...)
			}
			clear(out)
		}
		out[r.Topic] += size
		s.cl.Produce(ctx, r, func(_ *kgo.Record, err error) {
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs[i], failed = err, true
			}
		})
	}
	if err := s.cl.Flush(ctx); err != nil {
		mu.Lock()
		defer mu.Unlock()
		return append(append([]error(nil), errs...), err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !failed {
		return nil
	}
	return errs
}

func sizeOf(r *kgo.Record) int {
	n := len(r.Key) + len(r.Value) + overhead
	for _, h := range r.Headers {
		n += len(h.Key) + len(h.Value) + 16
	}
	return n
}

// limit is how many bytes of a topic may be sent together.
func (s *sink) limit(topic string) int {
	s.cluster.mu.Lock()
	defer s.cluster.mu.Unlock()
	if n, ok := s.cluster.limits[topic]; ok {
		return n
	}
	if s.plan.maxRequest <= defaultMaxRequest {
		return math.MaxInt // the client itself cuts batches where brokers do, unless they were told otherwise
	}
	return s.plan.batch
}

// sizes looks for the message that is too large among the failed. It is nil when size was not the trouble, errSmaller
// when a batch of several was refused none of which need be too large, and *delivery.TooLarge otherwise.
func (s *sink) sizes(ctx context.Context, records []*kgo.Record, errs []error) error {
	var (
		culprit *kgo.Record
		cause   error
		refused = make(map[string]int) // of each topic and partition
	)
	for i, r := range records {
		if errs[i] == nil || !tooLarge(errs[i]) {
			continue
		}
		refused[r.Topic+"/"+strconv.Itoa(int(r.Partition))]++
		if culprit == nil || sizeOf(r) > sizeOf(culprit) {
			culprit, cause = r, errs[i]
		}
	}
	if culprit == nil {
		return nil
	}
	alone := refused[culprit.Topic+"/"+strconv.Itoa(int(culprit.Partition))] == 1
	if !alone && sizeOf(culprit)-overhead <= s.plan.maxRequest {
		if s.learn(ctx, culprit) {
			return errSmaller
		}
	}
	return &delivery.TooLarge{Topic: culprit.Topic, Key: culprit.Key, Size: sizeOf(culprit) - overhead, Cause: cause}
}

// learn notes how large batches of a topic may be, and tells whether that is news. The topic says so itself; where it may
// not be asked, messages go one by one.
func (s *sink) learn(ctx context.Context, r *kgo.Record) bool {
	limit := 1
	if n, err := s.maxMessageBytes(ctx, r.Topic); err == nil {
		limit = n - n/16
	}
	s.cluster.mu.Lock()
	defer s.cluster.mu.Unlock()
	if old, known := s.cluster.limits[r.Topic]; known {
		if old == 1 {
			return false
		}
		limit = 1
	}
	s.cluster.limits[r.Topic] = limit
	return true
}

func (s *sink) maxMessageBytes(ctx context.Context, topic string) (int, error) {
	configs, err := kadm.NewClient(s.cl).DescribeTopicConfigs(ctx, topic)
	if err != nil {
		return 0, err
	}
	found, err := configs.On(topic, nil)
	if err == nil {
		err = found.Err
	}
	if err != nil {
		return 0, err
	}
	for _, c := range found.Configs {
		if c.Key == "max.message.bytes" {
			return strconv.Atoi(c.MaybeValue())
		}
	}
	return 0, fmt.Errorf("topic %s does not tell its max.message.bytes", topic)
}
