//go:build real

package real

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
)

// world is an installation of its own on the services of `make real`: a group, a database, one process with all roles.
type world struct {
	t       *testing.T
	name    string // of group, database and connector
	env     []string
	api     string
	db      *spanner.Client
	process *process
}

// newWorld makes the database and starts `sluice run`.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, name: fmt.Sprintf("w%d", time.Now().UnixNano()%1e10)}
	host := service(t, "SPANNER_EMULATOR_HOST")
	w.db = newDatabase(t, host, w.name)
	port := freePort(t)
	w.api = fmt.Sprintf("http://127.0.0.1:%d", port)
	w.env = []string{
		"CONNECT_BOOTSTRAP_SERVERS=" + service(t, "CONNECT_BOOTSTRAP_SERVERS"), "SPANNER_EMULATOR_HOST=" + host,
		"FIRESTORE_EMULATOR_HOST=" + service(t, "FIRESTORE_EMULATOR_HOST"),
		"CONNECT_GROUP_ID=" + w.name, "CONNECT_OFFSET_STORAGE_TOPIC=" + w.name + "-offsets",
		"CONNECT_KEY_CONVERTER_SCHEMAS_ENABLE=false", "CONNECT_VALUE_CONVERTER_SCHEMAS_ENABLE=false",
		fmt.Sprintf("CONNECT_LISTENERS=http://127.0.0.1:%d", port),
	}
	return w
}

// start runs the product and waits for its API.
func (w *world) start(env ...string) {
	w.t.Helper()
	w.process = sluice(w.t, append(append([]string(nil), w.env...), env...))
	await(w.t, 20*time.Second, "the REST API", func() bool { code, _ := rest("GET", w.api+"/", ""); return code == 200 })
}

// config is the peer's own form, with changes; an empty value takes a key out.
func (w *world) config(changes ...string) map[string]string {
	c := map[string]string{
		"connector.class": "io.debezium.connector.spanner.SpannerConnector", "gcp.spanner.project.id": "p1", "gcp.spanner.instance.id": "i1",
		"gcp.spanner.database.id": w.name, "gcp.spanner.change.stream": "S", "tasks.max": "2", "heartbeat.interval.ms": "1000",
		"topic.creation.default.partitions": "3", "topic.creation.default.replication.factor": "1", "sluice.lease.duration.ms": "3000",
	}
	for i := 0; i+1 < len(changes); i += 2 {
		c[changes[i]] = changes[i+1]
		if changes[i+1] == "" {
			delete(c, changes[i])
		}
	}
	return c
}

// create posts the connector.
func (w *world) create(changes ...string) (int, string) {
	body, err := json.Marshal(map[string]any{"name": w.name, "config": w.config(changes...)})
	if err != nil {
		w.t.Fatal(err)
	}
	return rest("POST", w.api+"/connectors", string(body))
}

func (w *world) mustCreate(changes ...string) {
	w.t.Helper()
	if code, body := w.create(changes...); code != http.StatusCreated {
		w.t.Fatalf("POST /connectors: %d %s", code, body)
	}
}

func (w *world) status() string {
	_, s := rest("GET", w.api+"/connectors/"+w.name+"/status", "")
	return s
}

// put writes rows id = first … last with seq = id.
func (w *world) put(first, last int64) (newest time.Time) {
	w.t.Helper()
	for id := first; id <= last; id++ {
		ts, err := w.db.Apply(context.Background(), []*spanner.Mutation{spanner.InsertOrUpdate("T", []string{"id", "seq"}, []any{id, id})})
		if err != nil {
			w.t.Fatal(err)
		}
		newest = ts
	}
	return newest
}

// seen counts how often each row arrived.
func (w *world) seen() map[int64]int {
	a := auditor{t: w.t, brokers: strings.Split(service(w.t, "CONNECT_BOOTSTRAP_SERVERS"), ",")}
	out := make(map[int64]int)
	for _, e := range a.events(w.name + ".T") {
		if e.op != "m" {
			out[e.seq]++
		}
	}
	return out
}

// exactly waits until rows 1 … last have arrived and checks that each came once.
func (w *world) exactly(first, last int64) {
	w.t.Helper()
	await(w.t, 60*time.Second, fmt.Sprintf("rows %d to %d", first, last), func() bool {
		got := w.seen()
		for id := first; id <= last; id++ {
			if got[id] == 0 {
				return false
			}
		}
		return true
	})
	time.Sleep(2 * time.Second) // repeats come late
	got := w.seen()
	for id, n := range got {
		if n != 1 {
			w.t.Errorf("row %d came %d times", id, n)
		}
	}
	if n := int64(len(got)); n != last-first+1 {
		w.t.Errorf("%d rows came, %d were expected", n, last-first+1)
	}
}
