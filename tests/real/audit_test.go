//go:build real

package real

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/offset"
)

// event is what an auditor reads in a record of the data topic.
type event struct {
	op        string
	key       int64
	seq       int64
	commit    time.Time
	token     string
	low       int64 // source.low_watermark, ms; 0: none
	partition int32
}

// auditor reads topics read_committed from their beginning, as any consumer does.
type auditor struct {
	t       *testing.T
	brokers []string
}

// topic reads everything that a topic holds now.
func (a auditor) topic(name string) []*kgo.Record {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cl, err := kgo.NewClient(kgo.SeedBrokers(a.brokers...), kgo.ConsumeTopics(name), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.KeepControlRecords(), kgo.FetchMaxWait(200*time.Millisecond))
	if err != nil {
		a.t.Fatal(err)
	}
	defer cl.Close()
	ends, err := kadm.NewClient(cl).ListCommittedOffsets(ctx, name)
	if err != nil {
		a.t.Fatal(err)
	}
	left := make(map[int32]int64)
	ends.Each(func(o kadm.ListedOffset) {
		if o.Err == nil && o.Offset > 0 {
			left[o.Partition] = o.Offset
		}
	})
	var out []*kgo.Record
	for len(left) > 0 {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			a.t.Fatalf("reading %s: %v left", name, left)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() {
				out = append(out, r)
			}
			if r.Offset >= left[r.Partition]-1 {
				delete(left, r.Partition)
			}
		})
	}
	return out
}

// events parses the records of a data topic; tombstones are left out.
func (a auditor) events(name string) []event {
	a.t.Helper()
	var out []event
	for _, r := range a.topic(name) {
		if r.Value == nil {
			continue
		}
		var v struct {
			Op    string
			After *struct {
				ID  int64 `json:"id"`
				Seq int64 `json:"seq"`
			}
			Before *struct {
				ID int64 `json:"id"`
			}
			Source struct {
				TsNs  int64  `json:"ts_ns"`
				Token string `json:"partition_token"`
				Low   int64  `json:"low_watermark"`
			}
		}
		if err := json.Unmarshal(r.Value, &v); err != nil {
			a.t.Fatalf("record of %s: %v: %s", name, err, r.Value)
		}
		e := event{op: v.Op, commit: time.Unix(0, v.Source.TsNs).UTC(), token: v.Source.Token, low: v.Source.Low, partition: r.Partition}
		if v.After != nil {
			e.key, e.seq = v.After.ID, v.After.Seq
		}
		out = append(out, e)
	}
	return out
}

// lineage is who descends from whom, as the offsets topic tells.
type lineage map[string][]string // token -> parents

func (a auditor) lineage(topic, connector string) lineage {
	l := make(lineage)
	for _, r := range a.topic(topic) {
		name, token, ok := offset.ParseKey(r.Key)
		if !ok || name != connector || r.Value == nil {
			continue
		}
		pos, err := offset.Parse(r.Value)
		if err != nil {
			a.t.Fatalf("offsets topic: %v: %s", err, r.Value)
		}
		l[token] = append(l[token], pos.Parents...)
		for _, c := range pos.Children {
			l[c.Token] = append(l[c.Token], c.Parents...)
		}
	}
	return l
}

// descends tells whether token is ancestor or comes from it.
func (l lineage) descends(token, ancestor string) bool {
	seen := make(map[string]bool)
	var walk func(string) bool
	walk = func(t string) bool {
		if t == ancestor {
			return true
		}
		if seen[t] {
			return false
		}
		seen[t] = true
		for _, p := range l[t] {
			if walk(p) {
				return true
			}
		}
		return false
	}
	return walk(token)
}

// verdict is the count of what must not be.
type verdict struct{ missing, repeated, late, lateAcross, watermark int }

func (v verdict) String() string {
	return fmt.Sprintf("%d missing, %d repeated, %d late along lineages, %d late across them, %d watermark faults", v.missing, v.repeated, v.late, v.lateAcross, v.watermark)
}

// judge compares what was written (sequence numbers) with what arrived.
func judge(written map[int64]bool, events []event, l lineage) verdict {
	var v verdict
	count := make(map[int64]int)
	byKey := make(map[int64][]event)
	low := make(map[int32]int64)
	for _, e := range events {
		if e.op == "m" {
			if e.low < low[e.partition] {
				v.watermark++
			}
			low[e.partition] = e.low
			continue
		}
		if ms := e.commit.UnixMilli(); e.low > ms || low[e.partition] > ms {
			v.watermark++ // delivered although its own source block, or a stamp before it, promised that it was there
		}
		if e.op == "d" {
			continue
		}
		count[e.seq]++
		byKey[e.key] = append(byKey[e.key], e)
	}
	for seq := range written {
		if count[seq] == 0 {
			v.missing++
		}
	}
	for _, n := range count {
		v.repeated += n - 1
	}
	for _, es := range byKey {
		for i, later := range es {
			along, across := false, false
			for _, earlier := range es[:i] {
				if earlier.commit.After(later.commit) {
					across = true
					along = along || l.descends(earlier.token, later.token)
				}
			}
			if along {
				v.late++
			} else if across {
				v.lateAcross++
			}
		}
	}
	return v
}
