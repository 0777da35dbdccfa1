package connectapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice.example/shared/connectapi"
	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
)

func serve(b *bench, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	b.api.ServeHTTP(w, r)
	return w
}

const c1Config = `{"name":"c1","connector.class":"SpannerConnector","gcp.spanner.project.id":"p","gcp.spanner.instance.id":"i","gcp.spanner.database.id":"d","gcp.spanner.change.stream":"s"}`

func TestCreateAndRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do("GET", "/connectors", "").want(200).json(`[]`)
	b.do("GET", "/connectors?expand=info", "").want(200).json(`{}`)
	const info = `{"name":"c1","config":` + c1Config + `,"tasks":[],"type":"source"}`
	b.do("POST", "/connectors", creation(" c1 ", config(nil))).want(201).json(info)
	b.do("GET", "/connectors/c1", "").want(200).json(info)
	b.do("GET", "/connectors/c1/config", "").want(200).json(c1Config)
	b.do("GET", "/connectors/c1/tasks", "").want(200).json(`[]`)
	const status = `{"name":"c1","connector":{"state":"UNASSIGNED","worker_id":"w:443","version":"3.4.0.Final"},"tasks":[],"type":"source"}`
	b.do("GET", "/connectors/c1/status", "").want(200).json(status)
	b.do("GET", "/connectors", "").want(200).json(`["c1"]`)
	b.do("GET", "/connectors?expand", "").want(200).json(`{"c1":{}}`)
	b.do("GET", "/connectors?expand=info,status", "").want(200).json(`{"c1":{}}`)
	b.do("GET", "/connectors?expand=status&expand=info", "").want(200).json(`{"c1":{"status":` + status + `,"info":` + info + `}}`) // RE-07
	if b.wakes("c1") != 1 || len(b.checked) != 1 || b.checked[0].Name != "c1" {
		t.Errorf("woken %v, checked %d", b.woken, len(b.checked))
	}
	if c := b.shelf.get("c1"); c.Life == "" || c.Epoch != 1 || c.Generation != 1 || c.CreatedAt.IsZero() || c.Target != connector.Started {
		t.Errorf("stored %+v", c)
	}
}

// Bodies that are refused before anything is looked at: all 400, and nothing is stored.
func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct{ name, body, part string }{
		{"RE-03 no name", `{"config":` + config(nil) + `}`, "Invalid value  for configuration name: String may not be empty"},
		{"RE-03 null name", `{"name":null,"config":` + config(nil) + `}`, "String may not be empty"},
		{"RE-03 empty", creation("", config(nil)), "String may not be empty"},
		{"RE-03 tab", creation(`a\tb`, config(nil)), "ASCII chars: 9"},
		{"RE-03 no JSON", `{"name"`, "JSON object"},
		{"RE-03 nothing", ``, "JSON object"},
		{"null", `null`, "JSON object"},
		{"array", `[]`, "JSON object"},
		{"name object", `{"name":{},"config":{}}`, "name must be a string"},
		{"no config", `{"name":"c1"}`, "config is missing"},
		{"config null", `{"name":"c1","config":null}`, "config must be a JSON object"},
		{"unknown field", `{"name":"c1","config":{},"color":1}`, `Unrecognized field "color"`},
		{"case of fields", `{"Name":"c1","config":{}}`, `Unrecognized field "Name"`},
		{"nested", creation("c1", `{"a":{"b":1}}`), "configuration a"},
		{"RE-13 null", creation("c1", strings.Replace(config(nil), "{", `{"tasks.max":null,`, 1)), "tasks.max"},
		{"RE-15 mismatch", creation("a", config(map[string]any{"name": "b"})), "Connector name configuration (b) doesn't match connector name in the URL (a)"},
		{"RE-25 bogus", `{"name":"c1","initial_state":"BOGUS","config":` + config(nil) + `}`, "initial_state"},
		{"no class", creation("c1", config(map[string]any{"connector.class": nil})), "contains no connector type"},
		{"other class", creation("c1", config(map[string]any{"connector.class": "FileStreamSource"})), "Failed to find any class that implements Connector and which name matches FileStreamSource"},
		{"topic.creation", creation("c1", config(map[string]any{"topic.creation.default.partitions": 3})), "topic.creation.default.replication.factor"},
		{"mask", creation("c1", config(map[string]any{"gcp.spanner.credentials.json": "[hidden]"})), "gcp.spanner.credentials.json"},
	} {
		r := b.do("POST", "/connectors", c.body, "Content-Type", "application/json")
		if r.Code != 400 || !strings.Contains(strings.ReplaceAll(r.Body.String(), `\"`, `"`), c.part) {
			t.Errorf("%s: %d %s", c.name, r.Code, r.Body)
		}
	}
	b.do("GET", "/connectors", "").want(200).json(`[]`)
	if b.shelf.writes != 0 || len(b.checked) != 0 {
		t.Errorf("%d writes, %d checks", b.shelf.writes, len(b.checked))
	}
}

// WM-05: all that is wrong is told at once; what needs a network comes only after that.
func TestWM05Errors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do("POST", "/connectors", creation("c1", config(map[string]any{"heartbeat.interval.ms": 1, "tasks.max": "x"}))).
		fails(400, "contains the following 2 error(s):\n", "between 100 and 300000", "The 'tasks.max' value is invalid")
	b.problems = map[string][]string{"gcp.spanner.change.stream": {"ChangeStream 's' is not there"}}
	b.do("POST", "/connectors", creation("c1", config(nil))).fails(400, "following 1 error(s):\nChangeStream 's' is not there\n")
	b.do("PUT", "/connectors/c1/config", config(nil)).fails(400, "ChangeStream 's' is not there")
	b.do("GET", "/connectors", "").json(`[]`)
}

func TestCheckerHasItsTime(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *connectapi.Options) {
		o.Checker = checkFunc(func(ctx context.Context, _ connector.Settings) map[string][]string {
			if d, ok := ctx.Deadline(); !ok || time.Until(d) > 10*time.Second {
				return map[string][]string{"name": {"no deadline"}}
			}
			return nil
		})
	})
	b.do("POST", "/connectors", creation("c1", config(nil))).want(201)
}

type checkFunc func(context.Context, connector.Settings) map[string][]string

func (f checkFunc) Check(ctx context.Context, s connector.Settings) map[string][]string {
	return f(ctx, s)
}

func TestRE04Conflicts(t *testing.T) {
	t.Parallel()
	b := created(t)
	b.do("POST", "/connectors", creation("c1", config(nil))).fails(409).json(`{"error_code":409,"message":"Connector c1 already exists"}`)
	b.do("POST", "/connectors", creation("c1", config(map[string]any{"tasks.max": 0}))).fails(400) // invalid comes before duplicate

	left := 2
	b.shelf.onPut = func(c *connector.Connector) error { // somebody else writes first, twice
		if left--; left >= 0 {
			other := b.shelf.get("c1")
			other.Epoch++
			return b.shelf.set(&other)
		}
		return nil
	}
	b.do("PUT", "/connectors/c1/config", config(map[string]any{"tasks.max": 2})).want(200)
	if c := b.shelf.get("c1"); c.Epoch != 4 || c.Generation != 2 || c.Config["tasks.max"] != "2" {
		t.Errorf("stored %+v", c)
	}
	b.shelf.onPut = func(*connector.Connector) error { return lease.ErrConflict }
	for _, c := range [][3]string{{"PUT", "/connectors/c1/pause"}, {"PUT", "/connectors/c1/config", config(map[string]any{"tasks.max": 3})}, {"POST", "/connectors/c1/restart?includeTasks=true"}} {
		if r := b.do(c[0], c[1], c[2]).fails(409, "conflicting operation"); strings.Contains(r.Body.String(), "exists") {
			t.Errorf("busy is told as existing: %s", r.Body)
		}
	}
}

func TestConcurrentCreates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var wg sync.WaitGroup
	codes := make([]int, 16)
	for i := range codes {
		wg.Go(func() { codes[i] = b.do("POST", "/connectors", creation("c1", config(nil))).Code })
	}
	wg.Wait()
	count := map[int]int{}
	for _, c := range codes {
		count[c]++
	}
	if count[201] != 1 || count[409] != 15 {
		t.Errorf("answers %v", count)
	}
}

// The answer of the store to our own creation got lost, and its client asked twice.
func TestCreateWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.shelf.loseNext = true
	b.do("POST", "/connectors", creation("c1", config(nil))).want(201)
}

func TestRE06Delete(t *testing.T) {
	t.Parallel()
	b := created(t)
	life := b.shelf.get("c1").Life
	b.shelf.run("c1", 2, lease.Slot{Number: 0, State: lease.Running})
	if r := b.do("DELETE", "/connectors/c1", "").want(204); r.Body.Len() != 0 || r.Header().Get("Content-Length") != "" {
		t.Errorf("body %q", r.Body)
	}
	b.do("DELETE", "/connectors/c1", "").fails(404).json(`{"error_code":404,"message":"Connector c1 not found"}`)
	if b.wakes("c1") != 2 {
		t.Errorf("woken %d times", b.wakes("c1"))
	}
	b.do("POST", "/connectors", creation("c1", config(nil))).want(201)
	if b.shelf.get("c1").Life == life {
		t.Error("a re-created connector has the old life")
	}
	b.do("GET", "/connectors/c1/status", "").want(200).json(`{"name":"c1","connector":{"state":"UNASSIGNED","worker_id":"w:443","version":"3.4.0.Final"},"tasks":[],"type":"source"}`)
}

func TestRE22ManyConnectors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 150 {
		b.do("POST", "/connectors", creation(fmt.Sprintf("c%d", i), config(nil))).want(201)
	}
	r := b.do("GET", "/connectors?expand=status", "").want(200)
	if n := strings.Count(r.Body.String(), `"status":`); n != 150 {
		t.Errorf("%d statuses", n)
	}
}

// SK-09: names of which one continues the other may come to share a topic.
func TestSK09Warning(t *testing.T) {
	t.Parallel()
	b := created(t)
	b.do("POST", "/connectors", creation("c1.sch", config(nil))).want(201)
	if !strings.Contains(b.log.String(), "share topics") || !strings.Contains(b.log.String(), "other=c1") {
		t.Errorf("log: %s", b.log)
	}
}
