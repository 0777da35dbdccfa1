package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"sluice.example/shared/changestream"
	"sluice.example/shared/connector"
	"sluice.example/shared/scheduler"
	"sluice.example/shared/spannerdb"
	"sluice.example/shared/tableschema"
	"sluice.example/shared/task"
)

// sources opens change streams with the Spanner client.
type sources struct{ exact bool }

func (s sources) options() []spannerdb.Option {
	if s.exact {
		return []spannerdb.Option{spannerdb.Exact(true)}
	}
	return nil
}

func (s sources) Open(ctx context.Context, cfg connector.Settings) (task.Stream, error) {
	db, err := spannerdb.Open(ctx, cfg, s.options()...)
	if err != nil {
		return nil, err
	}
	return &stream{Reader: db.Reader(cfg.ChangeStream), db: db, name: cfg.ChangeStream}, nil
}

// stream is one change stream of an opened database.
type stream struct {
	changestream.Reader
	db   *spannerdb.Database
	name string
}

func (s *stream) Tables(ctx context.Context) ([]tableschema.Table, error) {
	return s.db.Tables(ctx, s.name)
}
func (s *stream) Close() { s.db.Close() }

// changed adapts Options.Changed to connectapi.Waker.
type changed func(name string)

func (c changed) Changed(name string) {
	if c != nil {
		c(name)
	}
}

// wakerFor sends wakes by HTTP to sluice.worker.url (several, separated by commas, take turns), or nowhere: processes that
// poll for work need none.
func wakerFor(p Properties) scheduler.Waker {
	var urls []string
	for _, u := range strings.Split(p.Get("sluice.worker.url"), ",") {
		if u = strings.TrimSpace(u); u != "" {
			urls = append(urls, u)
		}
	}
	if len(urls) == 0 {
		return nobody{}
	}
	return httpWaker{urls: urls, client: &http.Client{Timeout: 5 * time.Second}}
}

// nobody is asked; workers look for work themselves.
type nobody struct{}

func (nobody) Wake(context.Context, scheduler.Wake) error { return nil }

// httpWaker posts wakes as JSON. The answer comes when the worker has accepted, not when the slice is over; a worker that
// answers late was woken all the same.
type httpWaker struct {
	urls   []string
	client *http.Client
}

func (h httpWaker) Wake(ctx context.Context, w scheduler.Wake) error {
	body, err := json.Marshal(w)
	if err != nil {
		return err
	}
	target := h.urls[w.Slot%len(h.urls)]
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("wake %s: %w", target, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := h.client.Do(req)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("wake %s: %w", target, err)
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("wake %s: answered %s", target, resp.Status)
	}
	return nil
}

// workerID is host:port as Connect makes it: the advertised listener, or the host's name and the port of the first
// listener. Clients split it at the colon.
func (p Properties) workerID() string {
	host, port := p.Get("rest.advertised.host.name"), p.Get("rest.advertised.port")
	if u, err := url.Parse(p.Listener()); err == nil {
		if host == "" {
			host = u.Hostname()
		}
		if port == "" {
			port = u.Port()
		}
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host, _ = os.Hostname()
	}
	if host == "" {
		host = "localhost"
	}
	if port == "" {
		port = "8083"
	}
	return net.JoinHostPort(host, port)
}

// Listener is the first of listeners.
func (p Properties) Listener() string {
	first, _, _ := strings.Cut(p.Get("listeners"), ",")
	return strings.TrimSpace(first)
}

// millis reads a duration in milliseconds.
func (p Properties) millis(key string, otherwise time.Duration) (time.Duration, error) {
	v := p.Get(key)
	if v == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%s is %q (from %s): a positive number of milliseconds is expected", key, v, p.Origin[key])
	}
	return time.Duration(n) * time.Millisecond, nil
}
