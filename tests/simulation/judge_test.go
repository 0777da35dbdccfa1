package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/changestream"
)

// Reader keeps the embedded name short.
type Reader = changestream.Reader

// event is what a read_committed consumer sees.
type event struct {
	key, seq  int64
	commit    time.Time
	low       int64
	partition int32
}

// verdict counts what must not be, by invariant.
type verdict struct {
	missing  int // I9, I1: a change that was committed and never came
	repeated int // I9, I2, I3: a change that came twice
	late     int // I6, I5: a change of a key after a later one
	passed   int // I4: a record that came after the low watermark had passed it
	back     int // I4: the low watermark went back
	kills    int
	total    int
}

func (v verdict) clean() bool { return v.missing+v.repeated+v.late+v.passed+v.back == 0 }

func (v verdict) String() string {
	return fmt.Sprintf("%d changes, %d kills: %d missing (I1, I9), %d repeated (I2, I3, I9), %d late (I5, I6), %d past the low watermark, %d watermarks back (I4)",
		v.total, v.kills, v.missing, v.repeated, v.late, v.passed, v.back)
}

// events reads the data topic from its beginning to its end as it is now.
func (s *storm) events(ctx context.Context) []event {
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.cluster.ListenAddrs()...), kgo.ConsumeTopics(dataTopic), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.KeepControlRecords(), kgo.FetchMaxWait(100*time.Millisecond))
	if err != nil {
		s.t.Fatal(err)
	}
	defer cl.Close()
	ends, err := kadm.NewClient(cl).ListCommittedOffsets(ctx, dataTopic)
	if err != nil {
		s.t.Fatal(err)
	}
	left := make(map[int32]int64)
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[o.Partition] = o.Offset
		}
	})
	var out []event
	for len(left) > 0 && ctx.Err() == nil {
		cl.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
			if r.Offset >= left[r.Partition]-1 {
				delete(left, r.Partition)
			}
			if r.Attrs.IsControl() || r.Value == nil {
				return
			}
			var v struct {
				After  struct{ ID, Seq int64 }
				Source struct {
					TsNs int64 `json:"ts_ns"`
					Low  int64 `json:"low_watermark"`
				}
			}
			if err := json.Unmarshal(r.Value, &v); err != nil {
				s.t.Fatalf("%v: %s", err, r.Value)
			}
			out = append(out, event{key: v.After.ID, seq: v.After.Seq, commit: time.Unix(0, v.Source.TsNs), low: v.Source.Low, partition: r.Partition})
		})
	}
	return out
}

// await waits until everything has come, or too long.
func (s *storm) await(ctx context.Context) bool {
	for end := time.Now().Add(45 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		seen := make(map[int64]bool)
		for _, e := range s.events(ctx) {
			seen[e.seq] = true
		}
		if len(seen) >= len(s.written) {
			time.Sleep(time.Second) // repeats come late
			return true
		}
	}
	return false
}

func (s *storm) judge() verdict {
	v := verdict{total: len(s.written), kills: s.kills}
	count := make(map[int64]int)
	last := make(map[int64]int64)
	for _, e := range s.events(context.Background()) {
		count[e.seq]++
		if e.seq < last[e.key] {
			v.late++
		}
		last[e.key] = max(last[e.key], e.seq)
		if e.low > e.commit.UnixMilli() {
			v.passed++
		}
	}
	for seq := range s.written {
		if count[seq] == 0 {
			v.missing++
		}
	}
	for _, n := range count {
		v.repeated += n - 1
	}
	var low time.Time
	for _, l := range s.lows {
		if l.Before(low) {
			v.back++
		}
		low = l
	}
	return v
}
