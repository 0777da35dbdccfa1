package spannerfake

import (
	"context"
	"strings"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// Call is one request as a Hook sees it.
type Call struct {
	Method   string // of the API, such as Commit or ExecuteStreamingSql
	Database string // full name; "" when the call is about none
	SQL      string // of a statement
	Query    *Query // of a partition query; nil for everything else
	Attempt  int    // how many queries of the same token there were, this one included
}

// Fault is what is done to a request. The zero value does nothing.
type Fault struct {
	Delay time.Duration // waited first

	// One of these stops a call. A partition query lets After rows through first, whatever they are.
	Code  codes.Code // answered, with Message
	Cut   bool       // the connection is closed
	End   bool       // the query ends cleanly, as if there were nothing more (LC-01)
	Stall bool       // nothing comes any more, until the caller goes away
	After int

	Message string // of Code, or of a lost reply; "": "injected"
	Lost    bool   // a unary call is done, and then answered with Code (UNAVAILABLE when that is OK)

	// These change what a partition query returns.
	Rows       []*structpb.Value                                // returned first; Row and RecordRow make them
	Only       bool                                             // nothing else is returned
	NoChildren bool                                             // the children record is left out
	Repeat     int                                              // the children record is returned so often more
	Edit       func(n int, row *structpb.Value) *structpb.Value // row n, from 0, becomes the result; nil leaves it out
}

// stops tells whether the fault stops a call.
func (f *Fault) stops() bool { return f.Code != codes.OK || f.Cut || f.End || f.Stall }

// Hook decides about each request; it is called from many goroutines and must not block. It may count instead.
type Hook func(Call) Fault

// Inject puts a hook in place of the one before; nil: none. Queries that run are not affected.
func (s *Server) Inject(h Hook) {
	if h == nil {
		s.hook.Store(nil)
		return
	}
	s.hook.Store(&h)
}

// OnQuery applies a fault to the queries of one token; RootToken: those without.
func OnQuery(token string, f Fault) Hook {
	if token == RootToken {
		token = ""
	}
	return func(c Call) Fault {
		if c.Query == nil || c.Query.Token != token {
			return Fault{}
		}
		return f
	}
}

// OnMethod applies a fault to the calls of one method.
func OnMethod(method string, f Fault) Hook {
	return func(c Call) Fault {
		if c.Method != method {
			return Fault{}
		}
		return f
	}
}

func (s *Server) decide(c Call) Fault {
	h := s.hook.Load()
	if h == nil {
		return Fault{}
	}
	return (*h)(c)
}

// unary lets a fault befall a unary call.
func (s *Server) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	f := s.decide(callOf(info.FullMethod, req))
	if !f.Lost {
		if err := s.befall(ctx, f); err != nil {
			return nil, err
		}
		return next(ctx, req)
	}
	if err := s.befall(ctx, Fault{Delay: f.Delay}); err != nil {
		return nil, err
	}
	answer, err := next(ctx, req)
	if err != nil {
		return answer, err
	}
	if f.Code == codes.OK {
		f.Code = codes.Unavailable
	}
	return nil, f.err()
}

// meet lets a fault befall a call that streams.
func (s *Server) meet(ctx context.Context, c Call) error { return s.befall(ctx, s.decide(c)) }

func (s *Server) befall(ctx context.Context, f Fault) error {
	if f.Delay > 0 {
		if err := pauseFor(ctx, f.Delay); err != nil {
			return err
		}
	}
	if !f.stops() {
		return nil
	}
	return s.stopped(ctx, f)
}

// stopped does what stops a call and returns its error; nil for a clean end.
func (s *Server) stopped(ctx context.Context, f Fault) error {
	switch {
	case f.End:
		return nil
	case f.Cut:
		s.conns.cut(ctx)
		return status.Error(codes.Unavailable, "injected: the connection is cut")
	case f.Stall:
		<-ctx.Done()
		return status.FromContextError(ctx.Err()).Err()
	}
	return f.err()
}

func (f *Fault) err() error {
	if f.Message == "" {
		return status.Error(f.Code, "injected")
	}
	return status.Error(f.Code, f.Message)
}

func pauseFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}

// callOf describes a unary request.
func callOf(fullMethod string, req any) Call {
	c := Call{Method: fullMethod[strings.LastIndexByte(fullMethod, '/')+1:]}
	var name string
	switch r := req.(type) {
	case interface{ GetSession() string }:
		name = r.GetSession()
	case interface{ GetDatabase() string }:
		name = r.GetDatabase()
	case interface{ GetName() string }:
		name = r.GetName()
	}
	if i := strings.Index(name, "/sessions/"); i >= 0 {
		name = name[:i]
	}
	if strings.Contains(name, "/databases/") {
		c.Database = name
	}
	if r, ok := req.(*sppb.ExecuteSqlRequest); ok {
		c.SQL = r.Sql
	}
	return c
}
