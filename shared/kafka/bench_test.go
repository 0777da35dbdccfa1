package kafka

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
	"sluice.example/shared/offset"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is brokers to test against: kfake here, a real broker in real_test.go. Names made by name are new each time.
type bench struct {
	bootstrap string
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
}

var names atomic.Int64

func (b bench) name(kind string) string {
	return fmt.Sprintf("%s-%x-%d", kind, time.Now().UnixNano(), names.Add(1))
}

// fake is brokers in the process.
func fake(t *testing.T, opts ...kfake.Opt) (bench, *kfake.Cluster) {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return bench{bootstrap: join(c.ListenAddrs())}, c
}

func join(addrs []string) string {
	s := addrs[0]
	for _, a := range addrs[1:] {
		s += "," + a
	}
	return s
}

// with merges settings.
func with(base map[string]string, more ...string) map[string]string {
	m := make(map[string]string)
	for k, v := range base {
		m[k] = v
	}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	return m
}

// kafka opens a Kafka with a worker's offsets topic of its own.
func (b bench) kafka(t *testing.T, more ...string) *Kafka {
	t.Helper()
	return b.open(t, Options{Dialer: b.dial}, more...)
}

func (b bench) open(t *testing.T, opt Options, more ...string) *Kafka {
	t.Helper()
	k, err := New(with(map[string]string{
		"bootstrap.servers": b.bootstrap, "group.id": "g", "offset.storage.topic": b.name("offsets"),
		"offset.storage.replication.factor": "1", "offset.storage.partitions": "5", "exactly.once.source.support": "enabled",
	}, more...), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

// connector is a connector's settings, creating topics of three partitions.
func (b bench) connector(k *Kafka, more ...string) connector.Settings {
	name := b.name("c")
	return connector.Settings{
		Name: name, ExactlyOnce: true, OffsetsTopic: k.worker["offset.storage.topic"], TransactionalBase: "g-" + name + "-",
		Config: with(map[string]string{"name": name, "topic.creation.default.replication.factor": "1", "topic.creation.default.partitions": "3"}, more...),
	}
}

func open(t *testing.T, k *Kafka, cfg connector.Settings, slot string) delivery.Sink {
	t.Helper()
	s, err := k.Open(limited(t), cfg.TransactionalBase+slot, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	t.Cleanup(cancel)
	return ctx
}

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// at is a position n seconds after epoch.
func at(n int) offset.Position {
	return offset.Position{Offset: epoch.Add(time.Duration(n) * time.Second), Closed: true, Start: epoch, State: offset.Running}
}

func position(cfg connector.Settings, token string, n int) delivery.Entry {
	return delivery.Entry{Key: offset.Key(cfg.Name, token), Value: at(n).Marshal()}
}

func message(topic, key, value string) delivery.Message {
	return delivery.Message{Topic: topic, Partition: anyPartition, Key: []byte(key), Value: []byte(value)}
}

func deliver(t *testing.T, s delivery.Sink, b delivery.Batch) []delivery.Place {
	t.Helper()
	places, err := s.Deliver(limited(t), b)
	if err != nil {
		t.Fatal(err)
	}
	return places
}

// committed reads the values of a topic as read_committed, up to its end as it is now.
func committed(t *testing.T, k *Kafka, topic string) []*kgo.Record {
	t.Helper()
	ctx := limited(t)
	cl, _, err := k.shared(consumerKind, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := waitFor(ctx, cl, topic, false, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	from := make(starts)
	for p := range found.partitions {
		from[p] = []int64{0}
	}
	var records []*kgo.Record
	if err := read(ctx, cl, topic, found, from, func(r *kgo.Record) error { records = append(records, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return records
}

func values(records []*kgo.Record) []string {
	out := []string{}
	for _, r := range records {
		out = append(out, string(r.Value))
	}
	return out
}

// proxy passes connections on to the address that was dialled, counts them, and can become a hole: what is sent into it
// is taken and lost, and nothing comes back.
type proxy struct {
	opened atomic.Int64

	mu   sync.Mutex
	hole bool
	cut  chan struct{} // closed when the hole opens
	wg   sync.WaitGroup
}

func newProxy(t *testing.T) *proxy {
	p := &proxy{cut: make(chan struct{})}
	t.Cleanup(p.wg.Wait)
	return p
}

func (p *proxy) set(hole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if hole && !p.hole {
		close(p.cut)
	}
	if !hole && p.hole {
		p.cut = make(chan struct{})
	}
	p.hole = hole
}

func (p *proxy) dial(ctx context.Context, network, address string) (net.Conn, error) {
	p.opened.Add(1)
	p.mu.Lock()
	hole, cut := p.hole, p.cut
	p.mu.Unlock()
	near, far := net.Pipe()
	if hole {
		p.wg.Go(func() { swallow(far) })
		return near, nil
	}
	server, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		near.Close()
		far.Close()
		return nil, err
	}
	p.wg.Go(func() { // requests
		defer server.Close()
		buf := make([]byte, 64<<10)
		for {
			n, err := far.Read(buf)
			if err != nil {
				return
			}
			select {
			case <-cut: // lost, and so is what follows
				swallow(far)
				return
			default:
			}
			if _, err := server.Write(buf[:n]); err != nil {
				far.Close()
				return
			}
		}
	})
	p.wg.Go(func() { // answers
		buf := make([]byte, 64<<10)
		for {
			n, err := server.Read(buf)
			select {
			case <-cut:
				return // without closing: nobody hears that
			default:
			}
			if err != nil {
				far.Close()
				return
			}
			if _, err := far.Write(buf[:n]); err != nil {
				return
			}
		}
	})
	return near, nil
}

func swallow(c net.Conn) {
	buf := make([]byte, 64<<10)
	for {
		if _, err := c.Read(buf); err != nil {
			return
		}
	}
}
