package simulation

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	"github.com/twmb/franz-go/pkg/kfake"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"sluice.example/local/firestorefake"
	"sluice.example/local/spannerfake"
	"sluice.example/shared/clock"
	"sluice.example/shared/connector"
	"sluice.example/shared/delivery"
	"sluice.example/shared/firestoredb"
	"sluice.example/shared/kafka"
	"sluice.example/shared/scheduler"
	"sluice.example/shared/spannerdb"
	"sluice.example/shared/tableschema"
	"sluice.example/shared/task"
)

// sabotage is a rule taken out.
type sabotage int

const (
	intact sabotage = iota
	withoutFence
	producerAnew
)

// storm is one run.
type storm struct {
	seed                        uint64
	sabotage                    sabotage
	workers, changes, keys      int
	lease                       time.Duration
	killPerMille, pausePerMille int

	t       *testing.T
	rnd     *rand.Rand
	calm    atomic.Bool
	unique  atomic.Int64
	store   *firestorefake.Server
	cluster *kfake.Cluster
	spanner *spannerfake.Server
	log     *slog.Logger

	mu      sync.Mutex
	sinks   []delivery.Sink
	written map[int64]bool
	kills   int
	lows    []time.Time
}

func (s *storm) raging() bool { return !s.calm.Load() }

func (s *storm) keep(sink delivery.Sink) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sinks = append(s.sinks, sink)
}

const (
	group     = "sim"
	connName  = "c1"
	dataTopic = "c1.T"
	offsets   = "sim-offsets"
)

func newStorm(t *testing.T, seed uint64, what sabotage) *storm {
	s := &storm{seed: seed, sabotage: what, workers: 3, changes: 1500, keys: 40, lease: time.Second, killPerMille: 3, pausePerMille: 1,
		t: t, rnd: rand.New(rand.NewPCG(seed, 0)), written: make(map[int64]bool)}
	var out io.Writer = io.Discard
	if os.Getenv("SIM_LOG") != "" {
		out = os.Stderr
	}
	s.log = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if s.store, err = firestorefake.New(firestorefake.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.store.Close() })
	s.store.Inject(s.shakeStore())
	if s.cluster, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, dataTopic), kfake.SeedTopics(1, "__debezium-heartbeat."+connName)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.cluster.Close)
	s.spanner = spannerfake.New(spannerfake.Options{})
	t.Cleanup(func() { s.spanner.Close() })
	return s
}

// shakeStore loses answers of commits that were made, refuses others, and lets some contend: one in thirty each.
func (s *storm) shakeStore() firestorefake.Hook {
	var mu sync.Mutex
	rnd := rand.New(rand.NewPCG(s.seed, 2))
	return func(c firestorefake.Call) firestorefake.Fault {
		if c.Method != "Commit" || !s.raging() {
			return firestorefake.Fault{}
		}
		mu.Lock()
		defer mu.Unlock()
		switch rnd.IntN(30) {
		case 0:
			return firestorefake.Fault{Lost: true}
		case 1:
			return firestorefake.Fault{Code: codes.Unavailable}
		case 2:
			return firestorefake.Fault{Code: codes.Aborted}
		}
		return firestorefake.Fault{}
	}
}

func (s *storm) spannerConn() *grpc.ClientConn {
	c, err := s.spanner.Conn()
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *storm) newStore() *firestoredb.Store {
	conn, err := s.store.Conn()
	if err != nil {
		s.t.Fatal(err)
	}
	st, err := firestoredb.New(context.Background(), firestoredb.Config{Project: "p", Group: group, Conn: conn})
	if err != nil {
		s.t.Fatal(err)
	}
	return st
}

func (s *storm) newKafka() *kafka.Kafka {
	props := s.props()
	k, err := kafka.New(props, kafka.Options{Logger: s.log})
	if err != nil {
		s.t.Fatal(err)
	}
	return k
}

func (s *storm) props() map[string]string {
	return map[string]string{
		"bootstrap.servers": s.cluster.ListenAddrs()[0], "group.id": group, "offset.storage.topic": offsets, "offset.storage.partitions": "3",
		"key.converter": "org.apache.kafka.connect.json.JsonConverter", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
		"key.converter.schemas.enable": "false", "value.converter.schemas.enable": "false", "exactly.once.source.support": "enabled",
	}
}

func (s *storm) workerProps() connector.Worker {
	return connector.Worker{GroupID: group, OffsetsTopic: offsets, ExactlyOnce: true, Properties: s.props()}
}

// source opens the stand-in's streams.
type source struct{ s *storm }

func (o source) Open(ctx context.Context, cfg connector.Settings) (task.Stream, error) {
	d, err := spannerdb.Open(ctx, cfg, spannerdb.Conn(o.s.spannerConn()), spannerdb.Exact(true))
	if err != nil {
		return nil, err
	}
	return &opened{Database: d, Reader: d.Reader(cfg.ChangeStream), name: cfg.ChangeStream}, nil
}

type opened struct {
	*spannerdb.Database
	Reader
	name string
}

func (o *opened) Tables(ctx context.Context) ([]tableschema.Table, error) {
	return o.Database.Tables(ctx, o.name)
}

// run makes the world, rages, calms down, waits for the end and judges.
func (s *storm) run() verdict {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	db := s.database(ctx)
	s.connector(ctx)
	k := s.newKafka()
	defer k.Close()
	if err := k.EnsureInternalTopics(ctx); err != nil {
		s.t.Fatal(err)
	}

	var wg sync.WaitGroup
	for n := range 2 {
		wg.Go(func() { s.schedule(ctx, n) })
	}
	for n := range s.workers {
		wg.Go(func() { s.live(ctx, n) })
	}
	churned := make(chan struct{})
	wg.Go(func() { defer close(churned); s.churn(ctx) })
	s.write(ctx, db)
	s.calm.Store(true)
	done := s.await(ctx)
	cancel()
	wg.Wait()
	s.mu.Lock()
	for _, sink := range s.sinks { // of dead processes
		end, stop := context.WithTimeout(context.Background(), time.Second)
		sink.Close(end)
		stop()
	}
	s.mu.Unlock()
	v := s.judge()
	if !done {
		v.missing = max(v.missing, 1)
	}
	return v
}

// live is one worker process after another.
func (s *storm) live(ctx context.Context, n int) {
	for life := 0; ctx.Err() == nil; life++ {
		p := newProcess(s, s.seed*1000+uint64(n*100+life))
		store, k := s.newStore(), s.newKafka()
		skew := time.Duration(0)
		if n == 1 {
			skew = 10 * time.Minute
		}
		if n == 2 {
			skew = -10 * time.Minute
		}
		w := &task.Worker{
			Store: shakyStore{store, p}, Kafka: shakyKafka{k, p}, Source: shakySource{source{s}, p}, Clock: clock.Skewed{Clock: clock.System, By: skew},
			Logger: s.log.With("worker", n, "life", life), Worker: s.workerProps(), Owner: fmt.Sprintf("w%d-%d", n, life),
			Slice: time.Second, Margin: 500 * time.Millisecond,
		}
		pctx, stop := context.WithCancel(ctx)
		go func() {
			select {
			case <-p.death:
				stop()
			case <-pctx.Done():
			}
		}()
		var slots sync.WaitGroup
		for slot := range 3 {
			slots.Go(func() {
				rnd := rand.New(rand.NewPCG(s.seed, uint64(1000*n+100*life+slot)))
				for pctx.Err() == nil {
					out, err := w.Run(pctx, connName, slot)
					if err == nil && out.Kept {
						continue
					}
					wait := time.Duration(20+rnd.IntN(80)) * time.Millisecond
					select {
					case <-time.After(wait):
					case <-pctx.Done():
					}
				}
			})
		}
		slots.Wait()
		stop()
		p.mu.Lock()
		dead := p.dead
		p.mu.Unlock()
		if !dead {
			end, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			w.Close(end)
			cancel()
		} else {
			s.mu.Lock()
			s.kills++
			s.mu.Unlock()
		}
		store.Close()
		k.Close()
	}
}

// schedule is one of several schedulers.
func (s *storm) schedule(ctx context.Context, n int) {
	store, k := s.newStore(), s.newKafka()
	defer store.Close()
	defer k.Close()
	sched := &scheduler.Scheduler{Store: store, Offsets: k.SchedulerView(), Waker: nobody{}, Logger: s.log.With("scheduler", n), Worker: s.workerProps()}
	for ctx.Err() == nil {
		if err := sched.Tick(ctx); err != nil && ctx.Err() == nil {
			s.log.Debug("tick", "error", err)
		}
		if n == 0 {
			if plan, _, err := store.Tasks(ctx, connName); err == nil {
				s.mu.Lock()
				s.lows = append(s.lows, plan.LowWatermark)
				s.mu.Unlock()
			}
		}
		select {
		case <-time.After(time.Duration(40+20*n) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

type nobody struct{}

func (nobody) Wake(context.Context, scheduler.Wake) error { return nil }

// connector stores the connector as REST would.
func (s *storm) connector(ctx context.Context) {
	st := s.newStore()
	defer st.Close()
	c := connector.Connector{Name: connName, Target: connector.Started, Life: "life", Epoch: 1, Generation: 1, CreatedAt: time.Now().UTC(), Config: map[string]string{
		"name": connName, "connector.class": "SpannerConnector", "gcp.spanner.project.id": "p", "gcp.spanner.instance.id": "i", "gcp.spanner.database.id": "d",
		"gcp.spanner.change.stream": "S", "tasks.max": "3", "heartbeat.interval.ms": "300", "sluice.lease.duration.ms": strconv.FormatInt(s.lease.Milliseconds(), 10),
		"gcp.spanner.low-watermark.enabled": "true", "gcp.spanner.low-watermark.update-period.ms": "50",
	}}
	if err := st.PutConnector(ctx, &c); err != nil {
		s.t.Fatal(err)
	}
}

// write commits the changes, each key's sequence numbers growing.
func (s *storm) write(ctx context.Context, db *spanner.Client) {
	for seq := int64(0); seq < int64(s.changes); {
		var ms []*spanner.Mutation
		seen := make(map[int64]bool)
		for range 1 + s.rnd.IntN(8) {
			key := s.rnd.Int64N(int64(s.keys))
			if seen[key] || seq >= int64(s.changes) {
				continue
			}
			seen[key] = true
			ms = append(ms, spanner.InsertOrUpdate("T", []string{"id", "seq"}, []any{key, seq}))
			s.written[seq] = true
			seq++
		}
		if _, err := db.Apply(ctx, ms); err != nil {
			s.t.Fatal(err)
		}
		time.Sleep(time.Duration(s.rnd.IntN(20)) * time.Millisecond)
	}
}

// seedOf is the seed that `make sim` asks for; ok is false when none is.
func seedOf(t *testing.T) (uint64, bool) {
	text := os.Getenv("SEED")
	if text == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("SEED is %q: a number is expected", text)
	}
	return n, true
}
