package connectapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice.example/shared/connectapi"
	"sluice.example/shared/connector"
)

// bench is the API with everything around it that a test may look at.
type bench struct {
	t     *testing.T
	shelf *shelf
	log   *lockedBuffer
	api   http.Handler

	mu       sync.Mutex
	woken    []string
	checked  []connector.Settings
	problems map[string][]string
}

func setup(t *testing.T, change ...func(*connectapi.Options)) *bench {
	t.Helper()
	b := &bench{t: t, shelf: newShelf(), log: &lockedBuffer{}}
	o := connectapi.Options{
		Store: b.shelf, Checker: b, Waker: b, WorkerID: "w:443", Commit: "abc",
		Worker:    connector.Worker{GroupID: "g", OffsetsTopic: "o", ExactlyOnce: true},
		ClusterID: func(context.Context) (string, error) { return "cluster", nil },
		Logger:    slog.New(slog.NewTextHandler(b.log, nil)),
	}
	for _, f := range change {
		f(&o)
	}
	b.api = connectapi.New(o)
	return b
}

// Changed and Check are the bench's part as Waker and Checker.
func (b *bench) Changed(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.woken = append(b.woken, name)
}

func (b *bench) Check(_ context.Context, s connector.Settings) map[string][]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.checked = append(b.checked, s)
	return b.problems
}

func (b *bench) wakes(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(b.woken), func(n string) bool { return n != name }))
}

// reply is an answer with what tests ask of it.
type reply struct {
	t *testing.T
	*httptest.ResponseRecorder
}

func (b *bench) do(method, path, body string, header ...string) reply {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, "http://sluice.test"+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.api.ServeHTTP(w, r)
	return reply{b.t, w}
}

func (r reply) want(status int) reply {
	r.t.Helper()
	if r.Code != status {
		r.t.Fatalf("status %d, want %d: %s", r.Code, status, r.Body)
	}
	return r
}

// json wants exactly this JSON.
func (r reply) json(want string) reply {
	r.t.Helper()
	var g, w any
	if err := json.Unmarshal(r.Body.Bytes(), &g); err != nil {
		r.t.Fatalf("not JSON: %q", r.Body)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		r.t.Fatalf("the test's own JSON: %v", err)
	}
	if d := cmp.Diff(w, g); d != "" {
		r.t.Errorf("body (-want +got):\n%s", d)
	}
	return r
}

// fails wants an error in Connect's form, whose message contains each of these.
func (r reply) fails(status int, parts ...string) reply {
	r.t.Helper()
	r.want(status)
	var body struct {
		Code    int    `json:"error_code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(r.Body.Bytes(), &body); err != nil || body.Code != status || body.Message == "" {
		r.t.Fatalf("not an error body: %s", r.Body)
	}
	if kind := r.Header().Get("Content-Type"); kind != "application/json" {
		r.t.Errorf("content type %q", kind)
	}
	for _, p := range parts {
		if !strings.Contains(body.Message, p) {
			r.t.Errorf("message %q lacks %q", body.Message, p)
		}
	}
	return r
}

// config is a good configuration as JSON, with changes; null takes a key away.
func config(changes map[string]any) string {
	cfg := map[string]any{
		"connector.class": "SpannerConnector", "gcp.spanner.project.id": "p", "gcp.spanner.instance.id": "i",
		"gcp.spanner.database.id": "d", "gcp.spanner.change.stream": "s",
	}
	for k, v := range changes {
		cfg[k] = v
		if v == nil {
			delete(cfg, k)
		}
	}
	text, err := json.Marshal(cfg)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func creation(name, cfg string) string { return `{"name":"` + name + `","config":` + cfg + `}` }

// created is a bench with connector c1.
func created(t *testing.T, change ...func(*connectapi.Options)) *bench {
	t.Helper()
	b := setup(t, change...)
	b.do("POST", "/connectors", creation("c1", config(nil))).want(201)
	return b
}

func quick(o *connectapi.Options) { o.Timeout = 30 * time.Millisecond }

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
