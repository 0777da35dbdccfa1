package firestorefake

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
)

// Options of a server. The zero value is an empty store in memory.
type Options struct {
	Path    string           // of the file that keeps the documents, made if it is not there; empty: in memory only
	Sync    bool             // survive a loss of power, at the price of a disk flush for each commit; a killed process loses nothing without it
	Indexes Indexes          // what is declared; the zero value is a new database's, every field by itself
	Clock   func() time.Time // nil: time.Now
}

// Server is a running fake. Its methods may be called from any goroutine.
type Server struct {
	grpc    *grpc.Server
	inside  *bufconn.Listener
	store   *store
	hook    atomic.Pointer[Hook]
	serving sync.WaitGroup
}

// New opens the store and serves Conn. It fails when the file cannot be read or another process has it.
func New(o Options) (*Server, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	st, err := openStore(o)
	if err != nil {
		return nil, fmt.Errorf("open fake firestore: %w", err)
	}
	s := &Server{store: st, inside: bufconn.Listen(1 << 20)}
	s.grpc = grpc.NewServer(
		grpc.MaxRecvMsgSize(maxRequest),
		grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.WaitForHandlers(true), // the file must not be closed under a commit
		grpc.UnaryInterceptor(s.unary),
		grpc.StreamInterceptor(s.stream),
	)
	pb.RegisterFirestoreServer(s.grpc, &service{store: st})
	s.serving.Go(func() { _ = s.Serve(s.inside) })
	return s, nil
}

// Serve answers on a listener until Close, then returns nil.
func (s *Server) Serve(l net.Listener) error {
	if err := s.grpc.Serve(l); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serve fake firestore: %w", err)
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
	conn, err := grpc.NewClient("passthrough:///firestorefake", opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to fake firestore: %w", err)
	}
	return conn, nil
}

// Advance sets how far the server's clock is ahead of Options.Clock; negative is behind. Commit times grow all the same.
func (s *Server) Advance(d time.Duration) { s.store.ahead.Store(int64(d)) }

// Close cuts connections, waits for what is being answered, and closes the file.
func (s *Server) Close() error {
	s.grpc.Stop()
	s.serving.Wait()
	if err := s.store.close(); err != nil {
		return fmt.Errorf("close fake firestore: %w", err)
	}
	return nil
}

// service is the API. Each file of the package has the methods of one idea.
type service struct {
	pb.UnimplementedFirestoreServer
	*store
}
