//go:build real

package spannerfake

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	database "cloud.google.com/go/spanner/admin/database/apiv1"
	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"
	instance "cloud.google.com/go/spanner/admin/instance/apiv1"
	"cloud.google.com/go/spanner/admin/instance/apiv1/instancepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

var update = flag.Bool("update", false, "write the emulator's answers anew")

// TestEmulatorAnswers asks the emulator at SPANNER_EMULATOR_HOST what the golden file says it answers, and with -update
// writes the file. It has no fake in it: it says whether what the fake copies is still so.
func TestEmulatorAnswers(t *testing.T) {
	host := os.Getenv("SPANNER_EMULATOR_HOST")
	if host == "" {
		t.Fatal("SPANNER_EMULATOR_HOST is not set")
	}
	ctx := t.Context()
	instances, err := instance.NewInstanceAdminClient(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = instances.Close() })
	made, err := instances.CreateInstance(ctx, &instancepb.CreateInstanceRequest{
		Parent: "projects/p", InstanceId: "golden", Instance: &instancepb.Instance{Config: "projects/p/instanceConfigs/emulator-config", DisplayName: "golden", NodeCount: 1},
	})
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
	t.Cleanup(func() { _ = databases.Close() })
	op, err := databases.CreateDatabase(ctx, &databasepb.CreateDatabaseRequest{
		Parent: "projects/p/instances/golden", CreateStatement: fmt.Sprintf("CREATE DATABASE g%d", time.Now().UnixNano()), ExtraStatements: scenarioDDL,
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := op.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	client, err := spanner.NewClientWithConfig(ctx, db.Name, spanner.ClientConfig{DisableNativeMetrics: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	conn, err := grpc.NewClient(host, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ddl, err := databases.GetDatabaseDdl(ctx, &databasepb.GetDatabaseDdlRequest{Database: db.Name})
	if err != nil {
		t.Fatal(err)
	}
	got := play(ctx, t, db.Name, conn, client, ddl.Statements).normalized(t)
	if *update {
		b, err := json.MarshalIndent(got, "", " ")
		if err == nil {
			err = os.WriteFile(filepath.Join("testdata", goldenFile), append(b, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(golden(t), got); diff != "" {
		t.Errorf("the file (-), the emulator (+):\n%s", diff)
	}
}
