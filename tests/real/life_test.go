//go:build real

package real

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
)

// The life of a connector on real services: restarts, deaths, lost stores. Each counts exactly.

func TestRestartLosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start()
	w.mustCreate()
	w.put(1, 5)
	await(t, 30*time.Second, "the first rows", func() bool { return len(w.seen()) == 5 })

	began := time.Now()
	w.process.signal(syscall.SIGTERM)
	<-w.process.done
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("SIGTERM took %v to end the process", took)
	}
	w.put(6, 10)
	w.start()
	w.exactly(1, 10)

	w.put(11, 15)
	w.process.kill()
	w.start()
	w.exactly(1, 15)
}

// The store is lost while everything runs: the offsets topic rebuilds it, nothing is lost or repeated. LC-12.
func TestLC12LostStoreIsRebuiltFromTheOffsetsTopic(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(path string) bool{
		"root only": func(path string) bool { return false },
		"all but offsets": func(path string) bool {
			return !strings.Contains(path, "/connectors/") || strings.Contains(path, "/state/") || strings.Contains(path, "/slots/") || strings.Contains(path, "/partitions/") || strings.Contains(path, "/assignments/")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.start()
			w.mustCreate()
			w.put(1, 5)
			await(t, 30*time.Second, "the first rows", func() bool { return len(w.seen()) == 5 })
			w.process.kill()
			w.forget(lose)
			w.put(6, 10)
			w.start()
			w.exactly(1, 10)
		})
	}
}

// forget deletes documents of the installation; the root partition's always.
func (w *world) forget(lose func(path string) bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	client, err := firestore.NewClient(ctx, "sluice")
	if err != nil {
		w.t.Fatal(err)
	}
	defer client.Close()
	connector := client.Collection("connect").Doc(w.name).Collection("connectors").Doc(w.name)
	for _, name := range []string{"state", "slots", "partitions", "assignments"} {
		docs, err := connector.Collection(name).Documents(ctx).GetAll()
		if err != nil {
			w.t.Fatal(err)
		}
		if len(docs) == 0 {
			w.t.Errorf("collection %s is empty: the documents are elsewhere, this test proves nothing", name)
		}
		for _, d := range docs {
			if token, _ := d.Data()["token"].(string); lose(d.Ref.Path) || token == "Parent0" {
				if _, err := d.Ref.Delete(ctx); err != nil {
					w.t.Fatal(err)
				}
			}
		}
	}
}

// LC-15: the end time is inclusive, then the work really stops.
func TestLC15EndTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start()
	start := time.Now().UTC().Add(-time.Millisecond)
	w.put(1, 1)
	end := w.put(2, 2)
	w.put(3, 3)
	w.mustCreate("gcp.spanner.start.time", start.Format(time.RFC3339Nano), "gcp.spanner.end.time", end.UTC().Format(time.RFC3339Nano))
	w.exactly(1, 2)
	if s := w.status(); strings.Contains(s, "FAILED") || !strings.Contains(s, `"RUNNING"`) {
		t.Errorf("status after the end: %s", s)
	}
	w.process.kill()
	w.start()
	time.Sleep(3 * time.Second)
	w.exactly(1, 2)
}

// LC-13: a start older than what the stream keeps.
func TestLC13StartBeforeRetention(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start()
	old := time.Now().UTC().Add(-8 * 24 * time.Hour).Format(time.RFC3339)
	w.mustCreate("gcp.spanner.start.time", old)
	await(t, 60*time.Second, "the task to fail", func() bool { return strings.Contains(w.status(), `"FAILED"`) })
	s := w.status()
	if !strings.Contains(s, old[:10]) || !strings.Contains(s, "earliest") || !strings.Contains(s, `"connector":{"state":"RUNNING"`) {
		t.Errorf("status: %s", s)
	}
	code, body := rest("PUT", w.api+"/connectors/"+w.name+"/config", jsonOf(t, w.config("gcp.spanner.start.time", time.Now().UTC().Format(time.RFC3339Nano))))
	if code != http.StatusOK {
		t.Fatalf("PUT config: %d %s", code, body)
	}
	await(t, 60*time.Second, "the task to run", func() bool {
		s := w.status()
		return !strings.Contains(s, "FAILED") && strings.Contains(s, `"tasks":[{"id":0,"state":"RUNNING"`)
	})
}

// Bad input gives one clear error within 15 s, and the process goes on.
func TestBadInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start()
	for name, c := range map[string]struct {
		changes []string
		key     string
	}{
		"missing key":         {[]string{"gcp.spanner.database.id", ""}, "gcp.spanner.database.id"},
		"unknown stream":      {[]string{"gcp.spanner.change.stream", "Nope"}, "Nope"},
		"unknown database":    {[]string{"gcp.spanner.database.id", "nope"}, "gcp.spanner.database.id"},
		"unknown instance":    {[]string{"gcp.spanner.instance.id", "nope"}, "gcp.spanner.instance.id"},
		"wrong project":       {[]string{"gcp.spanner.project.id", "nope"}, "nope"},
		"unreachable Spanner": {[]string{"gcp.spanner.emulator.host", "127.0.0.1:1"}, "127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			code, body := w.create(c.changes...)
			if code != http.StatusBadRequest || !strings.Contains(body, c.key) {
				t.Errorf("%d %s", code, body)
			}
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
	if code, body := rest("GET", w.api+"/connectors", ""); code != 200 || body != "[]" {
		t.Errorf("afterwards: %d %s", code, body)
	}
}

func TestUnreachableStoreAndBroker(t *testing.T) {
	t.Parallel()
	t.Run("Firestore", func(t *testing.T) {
		w := newWorld(t)
		w.start("FIRESTORE_EMULATOR_HOST=127.0.0.1:1")
		began := time.Now()
		if code, body := w.create(); code != http.StatusServiceUnavailable || !strings.Contains(body, `"error_code":503`) {
			t.Errorf("%d %s", code, body)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("took %v", took)
		}
	})
	t.Run("Kafka", func(t *testing.T) {
		w := newWorld(t)
		w.start("CONNECT_BOOTSTRAP_SERVERS=127.0.0.1:1")
		w.mustCreate()
		await(t, 15*time.Second, "the error", func() bool { return strings.Contains(w.status(), "127.0.0.1:1") })
		w.process.kill()
		w.start()
		w.put(1, 2)
		w.exactly(1, 2)
	})
}

func jsonOf(t *testing.T, m map[string]string) string {
	t.Helper()
	s := "{"
	for k, v := range m {
		s += fmt.Sprintf("%q:%q,", k, v)
	}
	return strings.TrimSuffix(s, ",") + "}"
}
