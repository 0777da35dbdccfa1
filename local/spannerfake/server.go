package spannerfake

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"
	"cloud.google.com/go/spanner/admin/instance/apiv1/instancepb"
	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
)

// Options are what a server may be told. The zero value is a server on the system's clock.
type Options struct {
	Clock      func() time.Time // nil: time.Now. Commit timestamps increase even when it goes back
	Partitions int              // of a new change stream; 0: 2, as the emulator's
	Ordered    bool             // partitions are ranges of keys as they are, not of their hashes
	Seed       uint64           // of tokens and transaction ids; equal seeds give equal ones
	MaxRecords int              // change records kept for one partition, beside retention; 0: a million
}

// Server is a Spanner. It is safe for concurrent use.
type Server struct {
	opts    Options
	ahead   atomic.Int64  // nanoseconds by which the clock is set forward
	named   atomic.Uint64 // names given out, of partitions, sessions and transactions
	hook    atomic.Pointer[Hook]
	grpc    *grpc.Server
	inside  *bufconn.Listener
	serving sync.WaitGroup
	conns   conns
	log     queryLog

	mu        sync.Mutex
	instances map[string]*instancepb.Instance
	databases map[string]*Database
	sessions  map[string]*session
	churning  []func()
}

// New starts a server that listens within the process. Close ends it.
func New(o Options) *Server {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Partitions <= 0 {
		o.Partitions = 2
	}
	if o.MaxRecords <= 0 {
		o.MaxRecords = 1_000_000
	}
	s := &Server{
		opts: o, inside: bufconn.Listen(1 << 20),
		instances: make(map[string]*instancepb.Instance), databases: make(map[string]*Database), sessions: make(map[string]*session),
	}
	s.grpc = grpc.NewServer(
		grpc.MaxRecvMsgSize(math.MaxInt32),
		grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.WaitForHandlers(true), // nothing of a query runs on after Close
		grpc.UnaryInterceptor(s.unary),
	)
	sppb.RegisterSpannerServer(s.grpc, &service{Server: s})
	databasepb.RegisterDatabaseAdminServer(s.grpc, &databaseAdmin{Server: s})
	instancepb.RegisterInstanceAdminServer(s.grpc, &instanceAdmin{Server: s})
	s.serving.Go(func() { _ = s.Serve(s.inside) })
	return s
}

// Serve answers on a listener until Close, then returns nil.
func (s *Server) Serve(l net.Listener) error {
	if err := s.grpc.Serve(&tracked{Listener: l, conns: &s.conns}); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serve fake spanner: %w", err)
	}
	return nil
}

// Conn is a new connection within the process, with more options when given. The caller closes it, or the client that it
// is given to does.
func (s *Server) Conn(more ...grpc.DialOption) (*grpc.ClientConn, error) {
	opts := append([]grpc.DialOption{
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return s.inside.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)),
	}, more...)
	conn, err := grpc.NewClient("passthrough:///spannerfake", opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to fake spanner: %w", err)
	}
	return conn, nil
}

// Close cuts connections and waits until nothing of the server runs any more. A second Close does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	churning := s.churning
	s.churning = nil
	s.mu.Unlock()
	for _, stop := range churning {
		stop()
	}
	s.grpc.Stop()
	s.serving.Wait()
	return nil
}

// Advance sets how far the server's clock is ahead of Options.Clock; negative is behind. Queries that wait look again.
func (s *Server) Advance(d time.Duration) {
	s.ahead.Store(int64(d))
	for _, d := range s.all() {
		d.wakeAll()
	}
}

// Now is the server's clock.
func (s *Server) Now() time.Time {
	// The monotonic reading is dropped: timestamps are compared with those that came over the wire.
	return s.opts.Clock().Add(time.Duration(s.ahead.Load())).Round(0).UTC()
}

// service is the data API. Each file of the package has the methods of one idea.
type service struct {
	sppb.UnimplementedSpannerServer
	*Server
}
