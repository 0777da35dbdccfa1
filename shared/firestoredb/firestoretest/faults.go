package firestoretest

import (
	"context"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// faults are put between the client and whatever server it talks to, so that the emulator can be used in them too.
type faults struct {
	commits atomic.Int64 // that the client sent
	lose    atomic.Int64 // how many replies of applied commits to lose
	refuse  atomic.Int64 // how many commits to answer without sending them
	code    codes.Code   // what those are answered with
}

func (f *faults) option() grpc.DialOption {
	return grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if !strings.HasSuffix(method, "/Commit") {
			return next(ctx, method, req, reply, conn, opts...)
		}
		f.commits.Add(1)
		if f.refuse.Add(-1) >= 0 {
			return status.Error(f.code, "injected")
		}
		if err := next(ctx, method, req, reply, conn, opts...); err != nil {
			return err
		}
		if f.lose.Add(-1) >= 0 {
			return status.Error(codes.Unavailable, "injected: the reply is lost")
		}
		return nil
	})
}

const always = 1 << 40

// afterCommit calls f after the first commit that the server applied, before the client hears of it.
func afterCommit(f func()) grpc.DialOption {
	var done atomic.Bool
	return grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := next(ctx, method, req, reply, conn, opts...)
		if err == nil && strings.HasSuffix(method, "/Commit") && !done.Swap(true) {
			f()
		}
		return err
	})
}
