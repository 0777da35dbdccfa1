package connectapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sluice.example/shared/connectapi"
	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
)

// What the router refuses, and how (reference connect-rest.md, 1.1).
func TestRouter(t *testing.T) {
	t.Parallel()
	b := created(t)
	for _, c := range []struct {
		method, path, body string
		header             []string
		status             int
		message            string
	}{
		{"GET", "/nowhere", "", nil, 404, "HTTP 404 Not Found"},
		{"GET", "//connectors", "", nil, 404, "HTTP 404 Not Found"},
		{"GET", "/connectors//c1", "", nil, 404, "HTTP 404 Not Found"},
		{"GET", "/connectors/c1/tasks-config", "", nil, 404, "HTTP 404 Not Found"},
		{"GET", "/connectors/c1/tasks/x/status", "", nil, 404, "HTTP 404 Not Found"},
		{"GET", "/connectors/c1/tasks/2147483648/status", "", nil, 404, "HTTP 404 Not Found"},
		{"GET", "/connectors/%ff", "", nil, 404, "HTTP 404 Not Found"},
		{"DELETE", "/connectors", "", nil, 405, "HTTP 405 Method Not Allowed"},
		{"TRACE", "/", "", nil, 405, "HTTP 405 Method Not Allowed"},
		{"PUT", "/connectors/c1/pause", "", []string{"Content-Type", "text/plain"}, 415, "HTTP 415 Unsupported Media Type"},
		{"POST", "/connectors", "{}", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "HTTP 415 Unsupported Media Type"},
		{"POST", "/connectors", "{}", []string{"Content-Type", ""}, 415, "HTTP 415 Unsupported Media Type"},
		{"GET", "/connectors", "", []string{"Accept", "text/html"}, 406, "HTTP 406 Not Acceptable"},
		{"GET", "/connectors", "", []string{"Accept", "application/json;q=0"}, 406, "HTTP 406 Not Acceptable"},

		{"GET", "/connectors/c1;x=y", "", nil, 200, ""},
		{"GET", "/connectors/", "", nil, 200, ""},
		{"GET", "/connectors/c1/", "", nil, 200, ""},
		{"GET", "/connectors/%631", "", nil, 200, ""},
		{"GET", "/connectors", "", []string{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}, 200, ""},
		{"PUT", "/connectors/c1/pause", "", nil, 202, ""},
		{"PUT", "/connectors/c1/resume", "", []string{"Content-Type", "application/json; charset=utf-8"}, 202, ""},
		{"GET", "/connectors?forward=false", "", []string{"Content-Type", "text/plain"}, 200, ""},
	} {
		r := b.do(c.method, c.path, c.body, c.header...)
		if c.status >= 400 {
			r.fails(c.status, c.message)
		} else {
			r.want(c.status)
		}
	}
}

func TestHeadAndOptions(t *testing.T) {
	t.Parallel()
	b := created(t)
	got := b.do("HEAD", "/connectors/c1", "").want(200)
	if full := b.do("GET", "/connectors/c1", ""); got.Body.Len() != 0 || got.Header().Get("Content-Length") != fmt.Sprint(full.Body.Len()) {
		t.Errorf("HEAD: %d bytes, Content-Length %s; GET has %d", got.Body.Len(), got.Header().Get("Content-Length"), full.Body.Len())
	}
	b.do("HEAD", "/connectors/no", "").want(404)
	b.do("OPTIONS", "/no", "").fails(404)
	r := b.do("OPTIONS", "/connectors/c1/config", "").want(200)
	const allow = "GET, HEAD, OPTIONS, PATCH, PUT"
	if r.Header().Get("Allow") != allow || r.Body.String() != allow || r.Header().Get("Content-Type") != "text/plain" {
		t.Errorf("OPTIONS: %v %q", r.Header(), r.Body)
	}
}

// RE-01: a name is told back decoded, whatever it holds, and nothing redirects or becomes another path.
func TestRE01Names(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, name := range map[string]string{
		"a%2Fb": "a/b", "a%20b": "a b", "..%2Fx": "../x", "%2E%2E": "..", "a+b": "a+b", "%E6%97%A5": "日", "a%25b": "a%b", "a%3Fb%23c": "a?b#c", "__x__": "__x__",
	} {
		b.do("GET", "/connectors/"+path, "").fails(404, "Connector "+name+" not found")
		b.do("GET", "/connectors/"+path+"/config", "").fails(404, "Connector "+name+" not found")
		b.do("DELETE", "/connectors/"+path, "").fails(404, "Connector "+name+" not found")
		if name != "__x__" {
			b.do("PUT", "/connectors/"+path+"/config", config(nil)).fails(400, "Invalid value "+name+" for configuration name")
		}
	}
	r := b.do("POST", "/connectors", creation("Conn.A", config(nil))).want(201)
	if got := r.Header().Get("Location"); got != "http://sluice.test/connectors/Conn.A" {
		t.Errorf("Location %s", got)
	}
	r = b.do("PUT", "/connectors/B/config", config(nil), "X-Forwarded-Proto", "https").want(201)
	if got := r.Header().Get("Location"); got != "https://sluice.test/connectors/B" {
		t.Errorf("Location %s", got)
	}
}

func TestRoot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do("GET", "/", "").want(200).json(`{"version":"4.1.1","commit":"abc","kafka_cluster_id":"cluster"}`)
	b.do("GET", "/health/", "").want(200).json(`{"status":"healthy","message":"Worker has completed startup and is ready to handle requests."}`)

	asked := 0
	b = setup(t, func(o *connectapi.Options) {
		o.ClusterID = func(context.Context) (string, error) {
			if asked++; asked == 1 {
				return "", errors.New("no broker")
			}
			return "late", nil
		}
	})
	b.do("GET", "/", "").want(200).json(`{"version":"4.1.1","commit":"abc","kafka_cluster_id":null}`)
	for range 3 {
		b.do("GET", "/", "").want(200).json(`{"version":"4.1.1","commit":"abc","kafka_cluster_id":"late"}`)
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

// Every endpoint answers in time though the store does not.
func TestStoreCut(t *testing.T) {
	t.Parallel()
	b := created(t, quick)
	b.shelf.setCut(true)
	for _, c := range [][3]string{
		{"GET", "/connectors"}, {"GET", "/connectors?expand=status"}, {"GET", "/connectors/c1"}, {"GET", "/connectors/c1/config"},
		{"GET", "/connectors/c1/status"}, {"GET", "/connectors/c1/tasks"}, {"GET", "/connectors/c1/tasks/0/status"}, {"DELETE", "/connectors/c1"},
		{"PUT", "/connectors/c1/pause"}, {"PUT", "/connectors/c1/resume"}, {"PUT", "/connectors/c1/stop"}, {"POST", "/connectors/c1/restart"},
		{"POST", "/connectors/c1/restart?includeTasks=true"}, {"POST", "/connectors/c1/tasks/0/restart"},
		{"PUT", "/connectors/c1/config", config(map[string]any{"tasks.max": 1})}, {"PATCH", "/connectors/c1/config", `{"tasks.max":1}`},
		{"POST", "/connectors", creation("c2", config(nil))},
	} {
		b.do(c[0], c[1], c[2]).fails(503, "store")
	}
	if r := b.do("GET", "/health", "").want(503); !strings.Contains(r.Body.String(), `"status":"unhealthy"`) {
		t.Errorf("health: %s", r.Body)
	}
	b.do("GET", "/", "").want(200)
	b.do("GET", "/connector-plugins", "").want(200)
	b.shelf.setCut(false)
	b.do("GET", "/connectors/c1", "").want(200)
}

// A broken store and a panic are the request's failure; their texts stay in the log.
func TestFailures(t *testing.T) {
	t.Parallel()
	b := created(t)
	b.shelf.fail = errors.New("odd CANARY")
	if r := b.do("GET", "/connectors", "").fails(500, "Internal server error"); strings.Contains(r.Body.String(), "CANARY") || !strings.Contains(b.log.String(), "odd CANARY") {
		t.Errorf("body %s, log %s", r.Body, b.log)
	}
	b.shelf.fail = fmt.Errorf("read: %w", lease.ErrStore)
	b.do("GET", "/connectors", "").fails(503)
	b.shelf.fail = nil
	b.shelf.onPut = func(*connector.Connector) error { panic("CANARY") }
	if r := b.do("PUT", "/connectors/c1/pause", "").fails(500); strings.Contains(r.Body.String(), "CANARY") || !strings.Contains(b.log.String(), "server.go") {
		t.Errorf("body %s, log %s", r.Body, b.log)
	}
}

func TestLongBodies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := strings.TrimSuffix(strings.Repeat("a_table_with_a_name_here,", 5000), ",")
	b.do("POST", "/connectors", creation("c1", config(map[string]any{"table.include.list": list}))).want(201)
	if got := b.shelf.get("c1").Config["table.include.list"]; got != list {
		t.Errorf("RE-22: %d bytes stored of %d", len(got), len(list))
	}
	b.do("POST", "/connectors", creation("c2", config(map[string]any{"table.include.list": strings.Repeat("x,", 600_000)}))).fails(http.StatusRequestEntityTooLarge, "larger")
}

func FuzzRequests(f *testing.F) {
	f.Add("PUT", "/connectors/a%2Fb/config", `{"name":"x"}`)
	f.Add("POST", "/connectors", `{"name":5,"config":{"a":[1]}}`)
	f.Add("POST", "/connectors", `{"name":"c2","config":{"connector.class":"Spanner","a":null}}`)
	f.Add("PATCH", "/connectors/c1/config", `{"name":null,"tasks.max":1.50}`)
	f.Add("PUT", "/connector-plugins/Spanner/config/validate", `{"connector.class":"Spanner","transforms":"a,b"}`)
	f.Fuzz(func(t *testing.T, method, path, body string) {
		b := created(t)
		r, err := http.NewRequestWithContext(t.Context(), method, "http://h"+path, strings.NewReader(body))
		if err != nil || !strings.HasPrefix(path, "/") {
			return
		}
		r.Header.Set("Content-Type", "application/json")
		w := serve(b, r)
		if w.Code >= 500 || w.Code >= 300 && w.Code < 400 {
			t.Errorf("%s %s %q: %d %s", method, path, body, w.Code, w.Body)
		}
		if w.Code >= 400 && method != http.MethodHead {
			reply{t, w}.fails(w.Code)
		}
	})
}
