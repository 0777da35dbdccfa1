//go:build real

package real

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	database "cloud.google.com/go/spanner/admin/database/apiv1"
	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"
	instance "cloud.google.com/go/spanner/admin/instance/apiv1"
	"cloud.google.com/go/spanner/admin/instance/apiv1/instancepb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"sluice.example/local/emulators"
	"sluice.example/local/spannerfake"
)

const (
	changes = 20_000
	keys    = 200
)

// TestStorm: a storm of splits and merges, 20,000 changes over 200 keys in transactions of 1 to 20, three workers of which
// one is killed every three seconds and one is frozen past its lease. A read_committed consumer must see every change
// exactly once and in order (I1 to I6, I9).
func TestStorm(t *testing.T) {
	// An emulator of its own: change streams that other tests leave behind go on churning, and slow down whatever shares it.
	set, err := emulators.Start(context.Background(), filepath.Join(t.TempDir(), "storm"), []string{emulators.Spanner},
		emulators.Options{SpannerFlags: []string{"-override_change_stream_partition_token_alive_seconds=1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := set.Stop(); err != nil {
			t.Error(err)
		}
	})
	v := storm(t, set.Address(emulators.Spanner))
	t.Logf("on the Spanner emulator: %v", v)
	if v.missing+v.repeated+v.late+v.watermark > 0 {
		t.Errorf("storm on the Spanner emulator: %v", v)
	}
}

// TestStormOverKeyRanges: the same on the stand-in for Spanner, whose partitions are ranges of keys as Spanner's are, so that
// a key stays in one partition and its descendants: nothing may be late at all.
func TestStormOverKeyRanges(t *testing.T) {
	server := spannerfake.New(spannerfake.Options{})
	t.Cleanup(func() { server.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l)
	stop := server.Churn(time.Second, 1)
	t.Cleanup(stop)
	v := storm(t, l.Addr().String(), "CONNECT_SLUICE_SPANNER_EXACT=true")
	t.Logf("over key ranges: %v", v)
	if v.missing+v.repeated+v.late+v.lateAcross+v.watermark > 0 {
		t.Errorf("storm over key ranges: %v", v)
	}
}

// storm runs the whole scenario against one Spanner.
func storm(t *testing.T, spannerHost string, extra ...string) verdict {
	kafka, store := service(t, "CONNECT_BOOTSTRAP_SERVERS"), service(t, "FIRESTORE_EMULATOR_HOST")
	name := fmt.Sprintf("storm%d", time.Now().UnixNano()%1e9)
	db := newDatabase(t, spannerHost, name)
	port := freePort(t)
	api := fmt.Sprintf("http://127.0.0.1:%d", port)
	env := append([]string{
		"CONNECT_BOOTSTRAP_SERVERS=" + kafka, "SPANNER_EMULATOR_HOST=" + spannerHost, "FIRESTORE_EMULATOR_HOST=" + store,
		"CONNECT_GROUP_ID=" + name, "CONNECT_OFFSET_STORAGE_TOPIC=" + name + "-offsets",
		"CONNECT_KEY_CONVERTER_SCHEMAS_ENABLE=false", "CONNECT_VALUE_CONVERTER_SCHEMAS_ENABLE=false",
	}, extra...)
	sluice(t, append(env, fmt.Sprintf("CONNECT_LISTENERS=http://127.0.0.1:%d", port)), "-roles", "connect,scheduler")
	await(t, 30*time.Second, "the REST API", func() bool { code, _ := rest("GET", api+"/", ""); return code == 200 })
	body := fmt.Sprintf(`{"name":%q,"config":{"connector.class":"io.debezium.connector.spanner.SpannerConnector","gcp.spanner.project.id":"p1",
		"gcp.spanner.instance.id":"i1","gcp.spanner.database.id":%q,"gcp.spanner.change.stream":"S","tasks.max":"3","heartbeat.interval.ms":"1000",
		"gcp.spanner.low-watermark.enabled":"true","gcp.spanner.low-watermark.stamp.interval":"1000",
		"topic.creation.default.partitions":"3","topic.creation.default.replication.factor":"1","sluice.lease.duration.ms":"3000"}}`, name, name)
	if code, answer := rest("POST", api+"/connectors", body); code != 201 {
		t.Fatalf("POST /connectors: %d %s", code, answer)
	}

	worker := func() *process { return sluice(t, env, "-roles", "worker") }
	workers := []*process{worker(), worker(), worker()}
	status := func() string { _, s := rest("GET", api+"/connectors/"+name+"/status", ""); return s }
	await(t, 30*time.Second, "a running task", func() bool { return strings.Contains(status(), `"RUNNING"`) })

	written := make(map[int64]bool)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	kills, freezes := 0, 0
	wg.Go(func() { // the killer
		tick := time.NewTicker(3 * time.Second)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			victim := n % len(workers)
			if n%4 == 3 { // frozen past its lease, then woken
				freezes++
				workers[victim].signal(syscall.SIGSTOP)
				time.Sleep(5 * time.Second)
				workers[victim].signal(syscall.SIGCONT)
				continue
			}
			kills++
			workers[victim].kill()
			workers[victim] = worker()
		}
	})
	write(t, db, written)
	// The storm goes on until a while after the last change, so that what is in flight is killed, too.
	time.Sleep(4 * time.Second)
	close(stop)
	wg.Wait()

	a := auditor{t: t, brokers: strings.Split(kafka, ",")}
	var events []event
	await(t, 2*time.Minute, "all changes", func() bool {
		events = a.events(name + ".T")
		seen := make(map[int64]bool)
		for _, e := range events {
			if e.op != "m" {
				seen[e.seq] = true
			}
		}
		time.Sleep(500 * time.Millisecond)
		return len(seen) >= len(written)
	})
	time.Sleep(3 * time.Second) // repeats, should there be any, come late
	events = a.events(name + ".T")
	if strings.Contains(status(), "FAILED") {
		t.Errorf("a task failed: %s", status())
	}
	t.Logf("%d records of %d changes; %d kills, %d freezes", len(events), len(written), kills, freezes)
	return judge(written, events, a.lineage(name+"-offsets", name))
}

// write commits the changes.
func write(t *testing.T, db *spanner.Client, written map[int64]bool) {
	rnd := rand.New(rand.NewPCG(1, 2))
	began := time.Now()
	for seq := int64(0); seq < changes; {
		n := min(1+rnd.Int64N(20), changes-seq)
		seen := make(map[int64]bool)
		var ms []*spanner.Mutation
		var mine []int64
		for range n {
			key := rnd.Int64N(keys)
			if seen[key] {
				continue
			}
			seen[key] = true
			ms = append(ms, spanner.InsertOrUpdate("T", []string{"id", "seq"}, []any{key, seq}))
			mine = append(mine, seq)
			seq++
		}
		if _, err := db.Apply(context.Background(), ms); err != nil {
			t.Fatalf("write: %v", err)
		}
		for _, s := range mine {
			written[s] = true
		}
		// About 60 s for all of it, so that the storm has time to rage.
		if ahead := time.Duration(seq)*3*time.Millisecond - time.Since(began); ahead > 0 {
			time.Sleep(ahead)
		}
	}
	t.Logf("%d changes written in %v", len(written), time.Since(began).Round(time.Second))
}

// newDatabase makes a database with table T and change stream S.
func newDatabase(t *testing.T, host, name string) *spanner.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	opts := []option.ClientOption{option.WithEndpoint(host), option.WithoutAuthentication(), option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials()))}
	ic, err := instance.NewInstanceAdminClient(ctx, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer ic.Close()
	if op, err := ic.CreateInstance(ctx, &instancepb.CreateInstanceRequest{Parent: "projects/p1", InstanceId: "i1", Instance: &instancepb.Instance{
		Config: "projects/p1/instanceConfigs/emulator-config", DisplayName: "i1", NodeCount: 1}}); err == nil {
		if _, err := op.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	} else if !strings.Contains(err.Error(), "AlreadyExists") {
		t.Fatal(err)
	}
	dc, err := database.NewDatabaseAdminClient(ctx, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer dc.Close()
	op, err := dc.CreateDatabase(ctx, &databasepb.CreateDatabaseRequest{Parent: "projects/p1/instances/i1", CreateStatement: "CREATE DATABASE `" + name + "`",
		ExtraStatements: []string{"CREATE TABLE T (id INT64 NOT NULL, seq INT64) PRIMARY KEY (id)", "CREATE CHANGE STREAM S FOR ALL OPTIONS (value_capture_type = 'NEW_ROW')"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := op.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	client, err := spanner.NewClient(ctx, "projects/p1/instances/i1/databases/"+name, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		dropDatabase(t, "projects/p1/instances/i1/databases/"+name, opts)
	})
	return client
}

// dropDatabase ends the churning of the database's change streams, which would slow down what comes after.
func dropDatabase(t *testing.T, path string, opts []option.ClientOption) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	dc, err := database.NewDatabaseAdminClient(ctx, opts...)
	if err != nil {
		t.Error(err)
		return
	}
	defer dc.Close()
	if err := dc.DropDatabase(ctx, &databasepb.DropDatabaseRequest{Database: path}); err != nil {
		t.Logf("drop %s: %v", path, err)
	}
}
