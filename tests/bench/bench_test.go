//go:build real

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/local/spannerfake"
	"sluice.example/shared/changestream"
	"sluice.example/shared/connector"
	"sluice.example/shared/spannerdb"
)

const rows = 50_000

// far is the side the product reads from: the stand-in for Spanner, in this process, reached over TCP.
type far struct {
	server  *spannerfake.Server
	db      *spannerfake.Database
	address string
	name    string
}

func newFar(b *testing.B, partitions int) *far {
	b.Helper()
	f := &far{server: spannerfake.New(spannerfake.Options{Partitions: partitions}), name: fmt.Sprintf("b%d", time.Now().UnixNano()%1e10)}
	b.Cleanup(func() { f.server.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go f.server.Serve(l)
	f.address = l.Addr().String()
	if f.db, err = f.server.Database("projects/p1/instances/i1/databases/" + f.name); err != nil {
		b.Fatal(err)
	}
	if err := f.db.DDL("CREATE TABLE T (id INT64 NOT NULL, seq INT64, text STRING(MAX)) PRIMARY KEY (id)", "CREATE CHANGE STREAM S FOR ALL OPTIONS (value_capture_type = 'NEW_ROW')"); err != nil {
		b.Fatal(err)
	}
	return f
}

// load commits n changes in transactions of ten.
func (f *far) load(b *testing.B, n int) {
	b.Helper()
	text := strings.Repeat("x", 200)
	for i := 0; i < n; i += 10 {
		ms := make([]*sppb.Mutation, 0, 10)
		for k := i; k < min(i+10, n); k++ {
			ms = append(ms, spannerfake.InsertOrUpdate("T", []string{"id", "seq", "text"}, k%5000, k, text))
		}
		if _, err := f.db.Apply(ms...); err != nil {
			b.Fatal(err)
		}
	}
}

// env are the settings of a process that reads from f.
func (f *far) env() []string {
	return []string{"SPANNER_EMULATOR_HOST=" + f.address, "CONNECT_SLUICE_SPANNER_EXACT=true", "CONNECT_GROUP_ID=" + f.name,
		"CONNECT_OFFSET_STORAGE_TOPIC=" + f.name + "-offsets", "CONNECT_KEY_CONVERTER_SCHEMAS_ENABLE=false", "CONNECT_VALUE_CONVERTER_SCHEMAS_ENABLE=false"}
}

// install starts REST and scheduler and creates the connector, which then waits for a worker.
func (f *far) install(b *testing.B, start_ time.Time, tasks int) (topic string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	start(b, append(f.env(), "CONNECT_LISTENERS=http://"+address), "-roles", "connect,scheduler")
	config := map[string]any{"name": f.name, "config": map[string]string{
		"connector.class": "SpannerConnector", "gcp.spanner.project.id": "p1", "gcp.spanner.instance.id": "i1", "gcp.spanner.database.id": f.name,
		"gcp.spanner.change.stream": "S", "tasks.max": fmt.Sprint(tasks), "heartbeat.interval.ms": "1000", "gcp.spanner.start.time": start_.UTC().Format(time.RFC3339Nano),
		"topic.creation.default.partitions": "3", "topic.creation.default.replication.factor": "1"}}
	body, err := json.Marshal(config)
	if err != nil {
		b.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Post("http://"+address+"/connectors", "application/json", bytes.NewReader(body))
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusCreated {
				break
			}
			err = fmt.Errorf("answered %s", resp.Status)
		}
		if time.Now().After(end) {
			b.Fatalf("create connector: %v", err)
		}
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) { // until it is planned
		resp, err := http.Get("http://" + address + "/connectors/" + f.name + "/status")
		if err == nil {
			var s struct{ Tasks []any }
			json.NewDecoder(resp.Body).Decode(&s)
			resp.Body.Close()
			if len(s.Tasks) > 0 {
				return f.name + ".T"
			}
		}
		if time.Now().After(end) {
			b.Fatalf("connector is not planned: %v", err)
		}
	}
}

func brokers(b *testing.B) []string {
	v := os.Getenv("CONNECT_BOOTSTRAP_SERVERS")
	if v == "" {
		b.Fatal("CONNECT_BOOTSTRAP_SERVERS is not set: run `make bench`")
	}
	return strings.Split(v, ",")
}

// consumer reads a topic read_committed from its beginning; the topic is made first.
func consumer(b *testing.B, topic string) *kgo.Client {
	b.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers(b)...), kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(20*time.Millisecond), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(cl.Close)
	if _, err := kadm.NewClient(cl).CreateTopic(context.Background(), 3, 1, nil, topic); err != nil {
		b.Fatal(err)
	}
	return cl
}

// drain reads until n data records have come and gives what each record's arrival says to each.
func drain(b *testing.B, cl *kgo.Client, n int, each func(r *kgo.Record)) {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for n > 0 {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			b.Fatalf("%d records did not come", n)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if r.Value != nil {
				n--
				if each != nil {
					each(r)
				}
			}
		})
	}
}

// BenchmarkThroughput: records a second, the product beside franz-go alone with the same bytes in transactions, and beside
// the reading of the stream alone.
func BenchmarkThroughput(b *testing.B) {
	for range b.N {
		f := newFar(b, 4)
		began := time.Now()
		f.load(b, rows)

		at := time.Now()
		read(b, f, began)
		reading := rows / time.Since(at).Seconds()

		topic := f.install(b, began, 2)
		cl := consumer(b, topic)
		at = time.Now()
		w := start(b, f.env(), "-roles", "worker")
		size := 0
		var first time.Duration
		drain(b, cl, rows, func(r *kgo.Record) {
			if first == 0 {
				first = time.Since(at)
			}
			size += len(r.Key) + len(r.Value)
		})
		product := rows / (time.Since(at) - first).Seconds()
		memory := resident(b, w)

		raw := produce(b, f.name+"-raw", size/rows)
		b.ReportMetric(product, "records/s")
		b.ReportMetric(raw, "raw-produce/s")
		b.ReportMetric(reading, "raw-read/s")
		b.ReportMetric(product/raw, "of-raw-produce")
		b.ReportMetric(product/reading, "of-raw-read")
		b.ReportMetric(first.Seconds()*1000, "ms-first-record")
		b.ReportMetric(memory, "MB-resident")
		b.ReportMetric(float64(size)/rows, "bytes/record")
		b.ReportMetric(0, "ns/op")
	}
}

// read reads the whole stream with the product's own reader and does nothing with it.
func read(b *testing.B, f *far, from time.Time) {
	b.Helper()
	ctx := context.Background()
	db, err := spannerdb.Open(ctx, connector.Settings{Name: "raw", Project: "p1", Instance: "i1", Database: f.name, ChangeStream: "S", EmulatorHost: f.address})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	r, n := db.Reader("S"), 0
	end := time.Now()
	for rec, err := range r.Read(ctx, changestream.Query{Token: changestream.RootToken, Start: from, End: end, Heartbeat: time.Second}) {
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range rec.Children.Children {
			for rec, err := range r.Read(ctx, changestream.Query{Token: c.Token, Start: from, End: end, Heartbeat: time.Second}) {
				if err != nil {
					b.Fatal(err)
				}
				if rec.Data != nil {
					n += len(rec.Data.Mods)
				}
			}
		}
	}
	if n != rows {
		b.Fatalf("%d of %d changes read", n, rows)
	}
}

// produce sends as many records of the same size with franz-go alone, in transactions of 4 MB as the product's.
func produce(b *testing.B, topic string, size int) (perSecond float64) {
	b.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers(b)...), kgo.TransactionalID(topic), kgo.ProducerLinger(time.Second), kgo.DefaultProduceTopic(topic), kgo.MaxBufferedRecords(100_000))
	if err != nil {
		b.Fatal(err)
	}
	defer cl.Close()
	if _, err := kadm.NewClient(cl).CreateTopic(context.Background(), 3, 1, nil, topic); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	value := bytes.Repeat([]byte("x"), size)
	batch := 4 << 20 / size
	began := time.Now()
	for sent := 0; sent < rows; {
		if err := cl.BeginTransaction(); err != nil {
			b.Fatal(err)
		}
		for range min(batch, rows-sent) {
			cl.Produce(ctx, &kgo.Record{Key: []byte(fmt.Sprint(sent % 5000)), Value: value}, func(_ *kgo.Record, err error) {
				if err != nil {
					b.Error(err)
				}
			})
			sent++
		}
		if err := cl.Flush(ctx); err != nil {
			b.Fatal(err)
		}
		if err := cl.EndTransaction(ctx, kgo.TryCommit); err != nil {
			b.Fatal(err)
		}
	}
	return rows / time.Since(began).Seconds()
}

// BenchmarkLatency: from the commit in Spanner to a read_committed consumer, at 200 changes a second, and resident memory
// with 100 partitions held.
func BenchmarkLatency(b *testing.B) {
	for range b.N {
		f := newFar(b, 100)
		topic := f.install(b, time.Now(), 1)
		cl := consumer(b, topic)
		w := start(b, f.env(), "-roles", "worker")
		const n = 2000
		go func() {
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for i := range n {
				<-tick.C
				if _, err := f.db.Apply(spannerfake.InsertOrUpdate("T", []string{"id", "seq", "text"}, i, i, "x")); err != nil {
					b.Error(err)
				}
			}
		}()
		var took []float64
		drain(b, cl, n, func(r *kgo.Record) {
			var v struct {
				Source struct {
					TsNs int64 `json:"ts_ns"`
				}
			}
			if err := json.Unmarshal(r.Value, &v); err != nil {
				b.Fatal(err)
			}
			took = append(took, float64(time.Now().UnixNano()-v.Source.TsNs)/1e6)
		})
		took = took[n/5:] // the first came while the worker was starting
		sort.Float64s(took)
		b.ReportMetric(took[len(took)/2], "ms-p50")
		b.ReportMetric(took[len(took)*99/100], "ms-p99")
		b.ReportMetric(resident(b, w), "MB-resident-100-partitions")
		b.ReportMetric(0, "ns/op")
	}
}
