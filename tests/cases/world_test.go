package cases

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"os"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	"github.com/twmb/franz-go/pkg/kfake"
	"google.golang.org/api/option"

	"sluice.example/local/firestorefake"
	"sluice.example/local/spannerfake"
	"sluice.example/shared/connector"
	"sluice.example/shared/firestoredb"
	"sluice.example/shared/kafka"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
	"sluice.example/shared/scheduler"
)

const (
	installation = "cases"
	offsetsTopic = "cases-offsets"
	name         = "c1"
	databasePath = "projects/p/instances/i/databases/d"
	users        = "CREATE TABLE Users (id INT64 NOT NULL, name STRING(MAX)) PRIMARY KEY (id)"
	forAll       = "CREATE CHANGE STREAM S FOR ALL OPTIONS (value_capture_type = 'NEW_ROW')"
)

// world is one database, one connector, and the services around them.
type world struct {
	t       *testing.T
	store   *firestorefake.Server
	cluster *kfake.Cluster
	spanner *spannerfake.Server
	db      *spannerfake.Database
	client  *spanner.Client
	docs    *firestoredb.Store // to look at the store from outside
	kafka   *kafka.Kafka
	log     *slog.Logger
	conn    connector.Connector
	plan    *scheduler.Scheduler
	halt    func() // ends the scheduler
}

// settings of the connector beyond the usual.
type settings map[string]string

// newWorld makes a database with one partition, and a connector of one task that reads it.
func newWorld(t *testing.T, more settings, ddl ...string) *world {
	t.Helper()
	w := &world{t: t}
	var out io.Writer = io.Discard
	if os.Getenv("CASES_LOG") != "" {
		out = os.Stderr
	}
	w.log = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.store = must(firestorefake.New(firestorefake.Options{}))(t)
	t.Cleanup(func() { w.store.Close() })
	w.cluster = must(kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "c1.Users", "c1.Orders", "c1.Third", "c1.Good", "c1.Odd", "__debezium-heartbeat.c1")))(t)
	t.Cleanup(w.cluster.Close)
	w.spanner = spannerfake.New(spannerfake.Options{Partitions: 1})
	t.Cleanup(func() { w.spanner.Close() })
	w.db = must(w.spanner.Database(databasePath))(t)
	if err := w.db.DDL(ddl...); err != nil {
		t.Fatal(err)
	}
	w.client = must(spanner.NewClientWithConfig(t.Context(), databasePath, spanner.ClientConfig{DisableNativeMetrics: true},
		option.WithGRPCConn(must(w.spanner.Conn())(t))))(t)
	t.Cleanup(w.client.Close)
	w.docs = w.newStore()
	t.Cleanup(func() { w.docs.Close() })
	w.kafka = w.newKafka()
	t.Cleanup(func() { w.kafka.Close() })
	if err := w.kafka.EnsureInternalTopics(t.Context()); err != nil {
		t.Fatal(err)
	}
	config := map[string]string{
		"name": name, "connector.class": "SpannerConnector", "gcp.spanner.project.id": "p", "gcp.spanner.instance.id": "i",
		"gcp.spanner.database.id": "d", "gcp.spanner.change.stream": "S", "tasks.max": "1", "heartbeat.interval.ms": "300000",
	}
	maps.Copy(config, more)
	w.conn = connector.Connector{Name: name, Target: connector.Started, Life: "life", Epoch: 1, Generation: 1, CreatedAt: time.Now().UTC(), Config: config}
	if err := w.docs.PutConnector(t.Context(), &w.conn); err != nil {
		t.Fatal(err)
	}
	w.plan = &scheduler.Scheduler{Store: w.docs, Offsets: w.kafka.SchedulerView(), Waker: nobody{}, Logger: w.log, Worker: w.worker()}
	w.schedule()
	return w
}

type nobody struct{}

func (nobody) Wake(context.Context, scheduler.Wake) error { return nil }

// schedule ticks quickly until the test ends.
func (w *world) schedule() {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if err := w.plan.Tick(ctx); err != nil && ctx.Err() == nil {
				w.log.Warn("tick", "error", err)
			}
			pause(ctx, 50*time.Millisecond)
		}
	}()
	w.halt = func() { stop(); <-done }
	w.t.Cleanup(w.halt)
}

func (w *world) newStore() *firestoredb.Store {
	return must(firestoredb.New(context.Background(), firestoredb.Config{Project: "p", Group: installation, Conn: must(w.store.Conn())(w.t)}))(w.t)
}

func (w *world) newKafka() *kafka.Kafka {
	return must(kafka.New(w.props(), kafka.Options{Logger: w.log}))(w.t)
}

func (w *world) props() map[string]string {
	return map[string]string{
		"bootstrap.servers": w.cluster.ListenAddrs()[0], "group.id": installation, "offset.storage.topic": offsetsTopic, "offset.storage.partitions": "1",
		"key.converter": "org.apache.kafka.connect.json.JsonConverter", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
		"key.converter.schemas.enable": "false", "value.converter.schemas.enable": "false", "exactly.once.source.support": "enabled",
	}
}

func (w *world) worker() connector.Worker {
	return connector.Worker{GroupID: installation, OffsetsTopic: offsetsTopic, ExactlyOnce: true, Properties: w.props()}
}

// reconfigure changes the connector as REST would.
func (w *world) reconfigure(more settings) {
	w.t.Helper()
	c := must(w.docs.Connector(w.t.Context(), name))(w.t)
	maps.Copy(c.Config, more)
	c.Epoch++
	c.Generation++
	if err := w.docs.PutConnector(w.t.Context(), &c); err != nil {
		w.t.Fatal(err)
	}
}

// insert commits one row of Users and returns its commit timestamp.
func (w *world) insert(id int, value string) time.Time {
	w.t.Helper()
	return w.apply(spanner.Insert("Users", []string{"id", "name"}, []any{int64(id), value}))
}

func (w *world) apply(ms ...*spanner.Mutation) time.Time {
	w.t.Helper()
	return must(w.client.Apply(w.t.Context(), ms))(w.t)
}

// token is the stream's only partition, or its oldest living one.
func (w *world) token() string {
	for _, p := range w.db.Partitions("S") {
		if p.End.IsZero() {
			return p.Token
		}
	}
	w.t.Fatal("no living partition")
	return ""
}

// doc is the stored document of a partition; nil: there is none.
func (w *world) doc(token string) *partition.Partition {
	w.t.Helper()
	docs := must(w.docs.Partitions(w.t.Context(), name, []partition.ID{partition.IDOf(token)}))(w.t)
	if len(docs) == 0 {
		return nil
	}
	return docs[0]
}

// slot is the stored document of the only task.
func (w *world) slot() lease.Slot {
	w.t.Helper()
	return must(w.docs.Slot(w.t.Context(), name, 0))(w.t)
}

// held tells whether somebody holds the partition.
func (w *world) held(token string) bool {
	d := w.doc(token)
	return d != nil && d.Held
}

// await looks again until something is so. That never comes is a failure.
func (w *world) await(what string, so func() bool) {
	w.t.Helper()
	for end := time.Now().Add(25 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if so() {
			return
		}
	}
	w.t.Fatalf("%s: it never came to that", what)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// must ends the test at an error.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
