package firestoredb_test

import (
	"testing"

	"google.golang.org/grpc"

	"sluice.example/infra/firestore"
	"sluice.example/local/firestorefake"
	"sluice.example/shared/firestoredb/firestoretest"
)

// TestStoreOnFake runs the whole suite against the fake, with the indexes that production declares.
func TestStoreOnFake(t *testing.T) {
	indexes, err := firestorefake.ParseIndexes(firestore.Indexes)
	if err != nil {
		t.Fatal(err)
	}
	fake, err := firestorefake.New(firestorefake.Options{Indexes: indexes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := fake.Close(); err != nil {
			t.Error(err)
		}
	})
	firestoretest.Run(t, func(t *testing.T, opts ...grpc.DialOption) *grpc.ClientConn {
		conn, err := fake.Conn(opts...)
		if err != nil {
			t.Fatal(err)
		}
		return conn
	})
}
