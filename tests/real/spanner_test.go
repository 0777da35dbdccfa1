//go:build real

package real

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"cloud.google.com/go/spanner"
	database "cloud.google.com/go/spanner/admin/database/apiv1"
	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"
	instance "cloud.google.com/go/spanner/admin/instance/apiv1"
	"cloud.google.com/go/spanner/admin/instance/apiv1/instancepb"
	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sluice.example/shared/connector"
	"sluice.example/shared/spannerdb/readertest"
)

// TestSpanner holds Google's emulator to the suite that the fake passes. Its partitions live one to two seconds here.
func TestSpanner(t *testing.T) {
	before := goleak.IgnoreCurrent()
	host := service(t, "SPANNER_EMULATOR_HOST") // the clients below read it, too
	t.Run("Suite", func(t *testing.T) {
		readertest.Run(t, readertest.Server{WholeSeconds: true, Create: func(t *testing.T, dialect databasepb.DatabaseDialect, ddl ...string) readertest.Database {
			cfg := connector.Settings{Name: "suite", Project: "suite", Instance: "suite", EmulatorHost: host, Database: "d" + strings.ToLower(rand.Text())[:20]}
			emulated(t, cfg, dialect, ddl)
			writer, err := spanner.NewClientWithConfig(t.Context(), "projects/"+cfg.Project+"/instances/"+cfg.Instance+"/databases/"+cfg.Database,
				spanner.ClientConfig{DisableNativeMetrics: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(writer.Close)
			return readertest.Database{Settings: cfg, Writer: writer}
		}})
	})
	goleak.VerifyNone(t, before)
}

// emulated makes a database in the emulator, and its instance unless it is there.
func emulated(t *testing.T, cfg connector.Settings, dialect databasepb.DatabaseDialect, ddl []string) {
	t.Helper()
	ctx := t.Context()
	instances, err := instance.NewInstanceAdminClient(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer instances.Close()
	project := "projects/" + cfg.Project
	made, err := instances.CreateInstance(ctx, &instancepb.CreateInstanceRequest{Parent: project, InstanceId: cfg.Instance, Instance: &instancepb.Instance{
		Config: project + "/instanceConfigs/emulator-config", DisplayName: cfg.Instance, NodeCount: 1,
	}})
	if err == nil {
		_, err = made.Wait(ctx)
	}
	if err != nil && status.Code(err) != codes.AlreadyExists {
		t.Fatal(err)
	}
	databases, err := database.NewDatabaseAdminClient(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer databases.Close()
	// A database of the PostgreSQL dialect takes no statements at its creation.
	create := &databasepb.CreateDatabaseRequest{Parent: project + "/instances/" + cfg.Instance, CreateStatement: "CREATE DATABASE `" + cfg.Database + "`", DatabaseDialect: dialect}
	if dialect == databasepb.DatabaseDialect_POSTGRESQL {
		create.CreateStatement = fmt.Sprintf("CREATE DATABASE %q", cfg.Database)
	}
	op, err := databases.CreateDatabase(ctx, create)
	if err == nil {
		_, err = op.Wait(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	update, err := databases.UpdateDatabaseDdl(ctx, &databasepb.UpdateDatabaseDdlRequest{Database: create.Parent + "/databases/" + cfg.Database, Statements: ddl})
	if err == nil {
		err = update.Wait(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
}
