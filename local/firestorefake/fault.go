package firestorefake

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Call is one request as a Hook sees it.
type Call struct {
	Method    string   // such as Commit or RunQuery
	Documents []string // paths below documents/ that it reads or writes; of a query, that of the collection
}

// Fault is what is done to a request. The zero value does nothing.
type Fault struct {
	Delay time.Duration // waited first
	Code  codes.Code    // answered in place of doing anything, unless OK
	Lost  bool          // done, and then answered with Code (UNAVAILABLE when that is OK): a lost reply. For unary calls
}

// Hook decides about each request; it is called from many goroutines and must not block. It may count instead.
type Hook func(Call) Fault

// Inject puts a hook in place of the one before; nil: none.
func (s *Server) Inject(h Hook) {
	if h == nil {
		s.hook.Store(nil)
		return
	}
	s.hook.Store(&h)
}

// On applies a fault to the calls of one method, empty: any, that touch a document whose path ends in the given text.
func On(method, document string, f Fault) Hook {
	return func(c Call) Fault {
		if method != "" && method != c.Method {
			return Fault{}
		}
		for _, d := range c.Documents {
			if strings.HasSuffix(d, document) {
				return f
			}
		}
		if document == "" {
			return f
		}
		return Fault{}
	}
}

// First lets a hook act n times.
func First(n int, h Hook) Hook {
	var done atomic.Int64
	return func(c Call) Fault {
		f := h(c)
		if f == (Fault{}) || done.Add(1) > int64(n) {
			return Fault{}
		}
		return f
	}
}

func (s *Server) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	fault := s.fault(info.FullMethod, req)
	if !fault.Lost {
		if err := fault.before(ctx); err != nil {
			return nil, err
		}
		return next(ctx, req)
	}
	if err := (Fault{Delay: fault.Delay}).before(ctx); err != nil {
		return nil, err
	}
	answer, err := next(ctx, req)
	if err != nil {
		return answer, err
	}
	if fault.Code == codes.OK {
		fault.Code = codes.Unavailable
	}
	return nil, status.Error(fault.Code, "injected: done, but the reply is lost")
}

func (s *Server) stream(srv any, in grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return next(srv, &faultyStream{ServerStream: in, server: s, method: info.FullMethod})
}

// faultyStream meets the fault when the request has been read, because only then is it known.
type faultyStream struct {
	grpc.ServerStream
	server *Server
	method string
}

func (f *faultyStream) RecvMsg(m any) error {
	if err := f.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	return f.server.fault(f.method, m).before(f.Context())
}

func (s *Server) fault(fullMethod string, req any) Fault {
	h := s.hook.Load()
	if h == nil {
		return Fault{}
	}
	return (*h)(Call{Method: fullMethod[strings.LastIndexByte(fullMethod, '/')+1:], Documents: touched(req)})
}

func (f Fault) before(ctx context.Context) error {
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		}
	}
	if f.Code != codes.OK {
		return status.Error(f.Code, "injected")
	}
	return nil
}

// touched lists the documents of a request.
func touched(req any) []string {
	var names []string
	switch r := req.(type) {
	case *pb.CommitRequest:
		for _, w := range r.Writes {
			names = append(names, below(target(w)))
		}
	case *pb.BatchWriteRequest:
		for _, w := range r.Writes {
			names = append(names, below(target(w)))
		}
	case *pb.BatchGetDocumentsRequest:
		for _, n := range r.Documents {
			names = append(names, below(n))
		}
	case *pb.RunQueryRequest:
		names = append(names, collectionsOf(r.Parent, r.GetStructuredQuery())...)
	case *pb.RunAggregationQueryRequest:
		names = append(names, collectionsOf(r.Parent, r.GetStructuredAggregationQuery().GetStructuredQuery())...)
	}
	return names
}

func collectionsOf(parent string, q *pb.StructuredQuery) []string {
	var names []string
	for _, from := range q.GetFrom() {
		names = append(names, below(parent+"/"+from.CollectionId))
	}
	return names
}

// below cuts the database off a name.
func below(name string) string {
	if _, rest, ok := strings.Cut(name, "/documents/"); ok {
		return rest
	}
	return name
}
