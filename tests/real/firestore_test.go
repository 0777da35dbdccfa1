//go:build real

package real

import (
	"context"
	"math"
	"os"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"sluice.example/shared/firestoredb/firestoretest"
)

// TestFirestore holds Google's emulator to the suite that the fake passes.
func TestFirestore(t *testing.T) {
	host := os.Getenv("FIRESTORE_EMULATOR_HOST")
	if host == "" {
		t.Fatal("FIRESTORE_EMULATOR_HOST is not set: start the Firestore emulator first")
	}
	// The store is given a connection, so that the client must not dial one of its own, which nobody would close.
	t.Setenv("FIRESTORE_EMULATOR_HOST", "")
	firestoretest.Run(t, func(t *testing.T, opts ...grpc.DialOption) *grpc.ClientConn {
		conn, err := grpc.NewClient("passthrough:///"+host, append([]grpc.DialOption{
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithPerRPCCredentials(owner{}),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)),
		}, opts...)...)
		if err != nil {
			t.Fatal(err)
		}
		return conn
	})
}

// owner is who the emulator lets do everything; others may not write batches.
type owner struct{}

func (owner) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer owner"}, nil
}

func (owner) RequireTransportSecurity() bool { return false }
