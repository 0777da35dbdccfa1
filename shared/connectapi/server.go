package connectapi

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"sluice.example/shared/clock"
	"sluice.example/shared/connector"
)

// Options is what the API needs. Store and Worker are required; the rest has defaults.
type Options struct {
	Store   Store
	Checker Checker // nil: what needs a network is not checked
	Waker   Waker   // nil: nobody is woken, changes wait for the next tick
	Worker  connector.Worker

	WorkerID string // host:port that status shows for what no worker has claimed yet; localhost:8083 by default
	Version  string // of Connect, as GET / tells it; 4.1.1 by default
	Commit   string // beside it

	// ClusterID asks for the Kafka cluster's id; the first answer is kept. Nil, or an error: GET / has null there.
	ClusterID func(ctx context.Context) (string, error)
	// Resolve looks up the references of a configuration, for validation only: what is stored keeps them. Nil: values
	// with references are stored unjudged.
	Resolve func(ctx context.Context, cfg map[string]string) (map[string]string, error)

	Logger *slog.Logger // nil: nothing is logged
	Clock  clock.Clock  // nil: the system's

	Timeout      time.Duration // of a whole request; 14 s by default, below what gateways allow
	CheckTimeout time.Duration // of the Checker; 10 s by default
}

// Connect's version that the API speaks as, unless Options say otherwise.
const defaultVersion = "4.1.1"

type server struct {
	Options
	routes  []route
	cluster atomic.Pointer[string]
}

// New returns the API. It is safe for concurrent use and does nothing in the background.
func New(o Options) http.Handler {
	s := &server{Options: o}
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	if s.Clock == nil {
		s.Clock = clock.System
	}
	if s.Version == "" {
		s.Version = defaultVersion
	}
	if s.WorkerID == "" {
		s.WorkerID = "localhost:8083"
	}
	if s.Timeout <= 0 {
		s.Timeout = 14 * time.Second
	}
	if s.CheckTimeout <= 0 {
		s.CheckTimeout = 10 * time.Second
	}
	s.routes = s.table()
	return s
}

// ServeHTTP answers one request within Options.Timeout, whatever the store does, and whatever a handler does. How long a
// body may take to arrive is for the http.Server to say.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
	defer cancel()

	a, err := s.answer(ctx, w, r)
	if err != nil {
		a = s.failed(r, err)
	}
	a.write(w, r)
}

// answer finds and calls the handler. A panic in it is the request's failure and nobody else's.
func (s *server) answer(ctx context.Context, w http.ResponseWriter, r *http.Request) (a answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	c, handle, err := s.route(w, r)
	if err != nil {
		return answer{}, err
	}
	return handle(ctx, c)
}

// changed passes on that a connector changed.
func (s *server) changed(name string) {
	if s.Waker != nil {
		s.Waker.Changed(name)
	}
}
