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
)

// starts are the offsets to read each partition from: the lowest of several, one that the log never had counting as its
// beginning. A partition that is not in it is not read.
type starts map[int32][]int64

// fromStart begins every partition at its beginning.
func fromStart(partitions int32) starts {
	from := make(starts, partitions)
	for p := range partitions {
		from[p] = []int64{0}
	}
	return from
}

// stretch is what is still to be read of one partition: from next up to end, end excluded.
type stretch struct{ next, end int64 }

// fetchWait is how long a broker holds a fetch back when there is nothing new: transactions still open keep us waiting.
const fetchWait = 500 * time.Millisecond

// read gives every committed record of the partitions in from to each, from the given offsets up to the high watermarks
// as they are now, in order within a partition. A transaction that is open below a high watermark is waited for, as long
// as the context lets; its records are given when it is committed. An offset that the log no longer has, or never had
// (the topic was made anew), means from the log's beginning.
//
// Fetches are made by hand, not by a consumer: no client of its own, no group, and "up to there" is exact also where
// compaction has left nothing.
func read(ctx context.Context, cl *kgo.Client, name string, t topic, from starts, each func(*kgo.Record) error) error {
	left, err := stretches(ctx, cl, name, from)
	end := clock.System.Now().Add(shownWithin) // of a topic that a broker has not heard of yet
	for pause := 20 * time.Millisecond; err != nil; pause = min(2*pause, time.Second) {
		if !kerr.IsRetriable(err) || unknownTopic(err) && clock.System.Now().After(end) {
			return err
		}
		if werr := wait(ctx, pause); werr != nil {
			return errors.Join(werr, err)
		}
		left, err = stretches(ctx, cl, name, from)
	}
	for pause := 20 * time.Millisecond; len(left) > 0; {
		err := fetchAll(ctx, cl, name, t, left, each)
		if err == nil {
			pause = 20 * time.Millisecond
			continue
		}
		var stop giveUp
		if errors.As(err, &stop) {
			return stop.error
		}
		// A leader moved or went away.
		if werr := wait(ctx, pause); werr != nil {
			return errors.Join(werr, err)
		}
		pause = min(2*pause, time.Second)
		if fresh, lerr := lookUp(ctx, cl, name, false); lerr == nil {
			t = fresh
		} else if !kerr.IsRetriable(lerr) || unknownTopic(lerr) {
			return lerr
		}
	}
	return nil
}

// giveUp is an error that no other broker would answer better.
type giveUp struct{ error }

// stretches asks for the ends as they are now.
func stretches(ctx context.Context, cl *kgo.Client, name string, from starts) (map[int32]*stretch, error) {
	admin := kadm.NewClient(cl)
	firsts, err := admin.ListStartOffsets(ctx, name)
	if err == nil {
		err = firsts.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("list the first offsets of topic %s: %w", name, err)
	}
	ends, err := admin.ListEndOffsets(ctx, name) // the high watermarks: the request's isolation is read_uncommitted
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("list the last offsets of topic %s: %w", name, err)
	}
	left := make(map[int32]*stretch, len(from))
	for p, wanted := range from {
		first, ok1 := firsts.Lookup(name, p)
		last, ok2 := ends.Lookup(name, p)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("topic %s has no partition %d", name, p)
		}
		next := last.Offset
		for _, o := range wanted {
			if o < first.Offset || o >= last.Offset {
				o = first.Offset
			}
			next = min(next, o)
		}
		if next < last.Offset {
			left[p] = &stretch{next, last.Offset}
		}
	}
	return left, nil
}

// fetchAll asks each leader once for what is left, and takes what is done out of left.
func fetchAll(ctx context.Context, cl *kgo.Client, name string, t topic, left map[int32]*stretch, each func(*kgo.Record) error) error {
	byLeader := make(map[int32][]int32)
	for p := range left {
		byLeader[t.leaders[p]] = append(byLeader[t.leaders[p]], p)
	}
	for leader, partitions := range byLeader {
		req := kmsg.NewPtrFetchRequest()
		req.MaxWaitMillis, req.MinBytes, req.MaxBytes = int32(fetchWait.Milliseconds()), 1, 8<<20
		req.IsolationLevel = 1 // read_committed
		req.SessionEpoch = -1  // no session (KIP-227)
		asked := kmsg.NewFetchRequestTopic()
		asked.Topic, asked.TopicID = name, t.id
		for _, p := range partitions {
			part := kmsg.NewFetchRequestTopicPartition()
			part.Partition, part.FetchOffset, part.PartitionMaxBytes = p, left[p].next, 1<<20
			asked.Partitions = append(asked.Partitions, part)
		}
		req.Topics = append(req.Topics, asked)
		got, err := cl.Broker(int(leader)).Request(ctx, req)
		if err != nil {
			if ctx.Err() != nil {
				return giveUp{errors.Join(ctx.Err(), err)}
			}
			return err
		}
		resp, ok := got.(*kmsg.FetchResponse)
		if !ok {
			return giveUp{fmt.Errorf("a fetch was answered with %T", got)}
		}
		if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
			return again(err)
		}
		for i := range resp.Topics {
			for j := range resp.Topics[i].Partitions {
				if err := take(name, &resp.Topics[i].Partitions[j], left, each); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// take reads the answer about one partition. Where the last stable offset is past the end and nothing came, compaction
// has left nothing up to the end.
func take(name string, rp *kmsg.FetchResponseTopicPartition, left map[int32]*stretch, each func(*kgo.Record) error) error {
	s := left[rp.Partition]
	if s == nil {
		return nil
	}
	if err := kerr.ErrorForCode(rp.ErrorCode); err != nil {
		if errors.Is(err, kerr.OffsetOutOfRange) {
			err = fmt.Errorf("topic %s was cut off while it was read: %w", name, err)
			return giveUp{err}
		}
		return again(err)
	}
	got, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
		Offset: s.next, IsolationLevel: kgo.ReadCommitted(), Topic: name, Partition: rp.Partition,
	}, rp, kgo.DefaultDecompressor(), nil)
	if got.Err != nil {
		return giveUp{fmt.Errorf("read topic %s partition %d at offset %d: %w", name, rp.Partition, s.next, got.Err)}
	}
	for _, r := range got.Records {
		if r.Offset >= s.end {
			break
		}
		if err := each(r); err != nil {
			return giveUp{err}
		}
	}
	nothing := next == s.next && len(rp.RecordBatches) == 0 && rp.LastStableOffset >= s.end
	s.next = next
	if next >= s.end || nothing {
		delete(left, rp.Partition)
	}
	return nil
}

// again sorts an answer's error: one that may go away by itself or with new metadata, or one to give up at.
func again(err error) error {
	if kerr.IsRetriable(err) {
		return err
	}
	return giveUp{err}
}
