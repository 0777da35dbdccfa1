package kafka

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sluice.example/shared/delivery"
)

// virtual is brokers on a network in the process, for tests on virtual time.
func virtual(t *testing.T, opts ...kfake.Opt) (bench, *kfake.Cluster, *kfake.VirtualNetwork) {
	t.Helper()
	vn := new(kfake.VirtualNetwork)
	b, c := fake(t, append(opts, kfake.Ports(9092), kfake.ListenFn(vn.Listen))...)
	b.dial = vn.DialContext
	return b, c, vn
}

// cutting is a dialer whose open connections can be made to swallow everything, while new ones work: what a firewall
// does to a process that was frozen.
type cutting struct {
	under func(context.Context, string, string) (net.Conn, error)

	mu     sync.Mutex
	conns  []*cutConn
	opened int
}

type cutConn struct {
	net.Conn
	cut atomic.Bool
}

func (c *cutConn) Write(b []byte) (int, error) {
	if c.cut.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (d *cutting) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.under(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	c := &cutConn{Conn: conn}
	d.conns, d.opened = append(d.conns, c), d.opened+1
	return c, nil
}

func (d *cutting) cutAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.conns {
		c.cut.Store(true)
	}
}

// TestThaw is FN-01: connections die silently while the process is frozen.
func TestThaw(t *testing.T) {
	t.Parallel()
	for _, frozen := range []time.Duration{10 * time.Second, 120 * time.Second} { // below and above the idle limit
		synctest.Test(t, func(t *testing.T) {
			b, _, vn := virtual(t)
			d := &cutting{under: vn.DialContext}
			b.dial = d.dial
			k := b.kafka(t)
			cfg := b.connector(k)
			topic := b.name("data")
			s := open(t, k, cfg, "0")
			deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "before")}})
			time.Sleep(frozen)
			d.cutAll()
			start := time.Now()
			deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "after")}})
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("frozen for %v: delivered after %v", frozen, took)
			}
			if _, err := k.ClusterID(limited(t)); err != nil {
				t.Errorf("frozen for %v: %v", frozen, err)
			}
			if got := values(committed(t, k, topic)); !slices.Contains(got, "after") {
				t.Errorf("frozen for %v: %v", frozen, got)
			}
		})
	}
}

// TestHungUp is FN-10: the brokers closed what was idle.
func TestHungUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, _, vn := virtual(t)
		d := &cutting{under: vn.DialContext}
		b.dial = d.dial
		k := b.kafka(t)
		cfg := b.connector(k)
		s := open(t, k, cfg, "0")
		topic := b.name("data")
		deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "1")}})
		time.Sleep(20 * time.Second)
		for _, c := range d.conns {
			c.Close()
		}
		start := time.Now()
		deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "2")}})
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("delivered after %v", took)
		}
	})
}

// TestNobodyAnswers: each call ends within 15 s with a sentence that names bootstrap.servers, without any help of a
// context.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	for name, dial := range map[string]func(context.Context, string, string) (net.Conn, error){
		"dropped": func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() },
		"refused": func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
		},
		"silent": func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, far) }()
			return near, nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := bench{bootstrap: "b1.example:9092", dial: dial}
			k := b.kafka(t)
			cfg := b.connector(k)
			for call, do := range map[string]func() error{
				"cluster id": func() error { _, err := k.ClusterID(context.Background()); return err },
				"fence": func() error {
					ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
					defer cancel()
					return k.Fence(ctx, "x", cfg)
				},
				"internal topics": func() error { return k.EnsureInternalTopics(context.Background()) },
				"offsets":         func() error { _, err := k.Offsets(context.Background(), cfg); return err },
				"tail": func() error {
					_, err := k.Tail(context.Background(), cfg, map[string]delivery.Place{"a": {}})
					return err
				},
				"open": func() error { _, err := k.Open(context.Background(), cfg.TransactionalBase+"0", cfg); return err },
			} {
				start := time.Now()
				err := do()
				if took := time.Since(start); err == nil || took > 15*time.Second || !strings.Contains(err.Error(), "bootstrap.servers b1.example:9092") {
					t.Errorf("%s, %s: after %v: %v", name, call, took, err)
				}
			}
			k.Close()
		})
	}
}

// TestEmptyBatchAsksNothing: an idle slot costs no request.
func TestEmptyBatchAsksNothing(t *testing.T) {
	t.Parallel()
	b, c := fake(t)
	k := b.kafka(t)
	cfg := b.connector(k)
	s := open(t, k, cfg, "0")
	c.ControlKey(endTxnKey, func(kmsg.Request) (kmsg.Response, error, bool) {
		t.Error("a transaction was ended")
		return nil, nil, false
	})
	for range 3 {
		if places, err := s.Deliver(limited(t), delivery.Batch{}); err != nil || places != nil {
			t.Errorf("%v, %v", places, err)
		}
	}
}

// TestFenceMetByARepeatedCommit: the first request may have been applied, so it is no certain fence.
func TestFenceMetByARepeatedCommit(t *testing.T) {
	t.Parallel()
	b, c := fake(t)
	k := b.kafka(t)
	cfg := b.connector(k)
	s := open(t, k, cfg, "0")
	var asked atomic.Int64
	c.ControlKey(endTxnKey, func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if asked.Add(1) == 1 {
			return nil, io.EOF, true // hang up without an answer
		}
		resp := req.ResponseKind().(*kmsg.EndTxnResponse)
		resp.ErrorCode = kerr.InvalidProducerEpoch.Code
		return resp, nil, true
	})
	_, err := s.Deliver(limited(t), delivery.Batch{Offsets: []delivery.Entry{position(cfg, "a", 2)}})
	if err == nil || errors.Is(err, delivery.ErrFenced) || asked.Load() < 2 {
		t.Errorf("after %d requests: %v", asked.Load(), err)
	}
}

// TestUnansweredRecordIsNotCheckpointed is OF-05: without the answer for a message its offsets are not written.
func TestUnansweredRecordIsNotCheckpointed(t *testing.T) {
	t.Parallel()
	b, c := fake(t)
	k := b.kafka(t)
	cfg := b.connector(k)
	cfg.ExactlyOnce = false
	topic := b.name("data")
	s := open(t, k, cfg, "0")
	deliver(t, s, delivery.Batch{Messages: []delivery.Message{message(topic, "k", "1")}, Offsets: []delivery.Entry{position(cfg, "a", 1)}})
	c.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.ProduceResponse)
		for _, rt := range req.(*kmsg.ProduceRequest).Topics {
			out := kmsg.NewProduceResponseTopic()
			out.Topic, out.TopicID = rt.Topic, rt.TopicID
			for _, rp := range rt.Partitions {
				p := kmsg.NewProduceResponseTopicPartition()
				p.Partition, p.ErrorCode = rp.Partition, kerr.TopicAuthorizationFailed.Code
				out.Partitions = append(out.Partitions, p)
			}
			resp.Topics = append(resp.Topics, out)
		}
		return resp, nil, true
	})
	_, err := s.Deliver(limited(t), delivery.Batch{Messages: []delivery.Message{message(topic, "k", "2")}, Offsets: []delivery.Entry{position(cfg, "a", 2)}})
	if !errors.Is(err, kerr.TopicAuthorizationFailed) {
		t.Errorf("deliver: %v", err)
	}
	found, err := k.Tail(limited(t), cfg, map[string]delivery.Place{"a": {}})
	if d := cmp.Diff(at(1), found["a"].Position); err != nil || d != "" {
		t.Error(err, d)
	}
}

// TestGapAtTheEnd: a transaction aborted last leaves markers and dropped records; reading ends all the same.
func TestGapAtTheEnd(t *testing.T) {
	t.Parallel()
	b, _ := fake(t)
	k := b.kafka(t)
	cfg := b.connector(k)
	s := open(t, k, cfg, "0")
	place := deliver(t, s, delivery.Batch{Offsets: []delivery.Entry{position(cfg, "a", 1)}})[0]
	cl := leftOpen(t, k, cfg.TransactionalBase+"1", &kgo.Record{Topic: cfg.OffsetsTopic, Partition: place.Partition, Key: []byte("x"), Value: []byte("y")})
	if err := cl.EndTransaction(limited(t), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	found, err := k.Tail(limited(t), cfg, map[string]delivery.Place{"a": {Partition: place.Partition, Offset: place.Offset + 1}})
	if err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
}
