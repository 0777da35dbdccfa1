package spannerdb_test

import (
	"sync"
	"testing"

	"cloud.google.com/go/spanner"
	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"

	"sluice.example/local/spannerfake"
	"sluice.example/shared/connector"
	"sluice.example/shared/spannerdb"
	"sluice.example/shared/spannerdb/readertest"
)

// TestFake holds the fake to the suite that the emulator passes.
func TestFake(t *testing.T) {
	t.Parallel()
	var ends sync.Map // by the database's writer: what ends its partitions
	readertest.Run(t, readertest.Server{
		TablesOnly: true,
		Create: func(t *testing.T, _ databasepb.DatabaseDialect, ddl ...string) readertest.Database {
			fake := spannerfake.New(spannerfake.Options{})
			t.Cleanup(func() {
				if err := fake.Close(); err != nil {
					t.Error(err)
				}
			})
			cfg := connector.Settings{Name: "suite", Project: "suite", Instance: "suite", Database: "suite"}
			db, err := fake.Database("projects/suite/instances/suite/databases/suite")
			if err == nil {
				err = db.DDL(ddl...)
			}
			if err != nil {
				t.Fatal(err)
			}
			dial := func() (*grpc.ClientConn, error) { return fake.Conn() }
			conn, err := dial()
			if err != nil {
				t.Fatal(err)
			}
			writer, err := spanner.NewClientWithConfig(t.Context(), db.Name(), spanner.ClientConfig{DisableNativeMetrics: true}, option.WithGRPCConn(conn))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(writer.Close)
			ends.Store(writer, func() {
				for _, p := range db.Partitions("S") {
					if _, _, _, err := db.Split(p.Token); err != nil {
						t.Error(err)
					}
				}
			})
			return readertest.Database{Settings: cfg, Options: []spannerdb.Option{spannerdb.Dial(dial)}, Writer: writer}
		},
		End: func(t *testing.T, db readertest.Database) {
			fakes, ok := ends.Load(db.Writer)
			if !ok {
				t.Fatal("no such database")
			}
			fakes.(func())()
		},
	})
}
