package spannerfake

import (
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	database "cloud.google.com/go/spanner/admin/database/apiv1"
	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"
	instance "cloud.google.com/go/spanner/admin/instance/apiv1"
	"cloud.google.com/go/spanner/admin/instance/apiv1/instancepb"
	"google.golang.org/api/option"

	"sluice.example/shared/changestream"
)

// TestClientsOnly makes everything with the real clients, as a user of the emulator would.
func TestClientsOnly(t *testing.T) {
	t.Parallel()
	s := New(Options{Partitions: 1})
	t.Cleanup(func() { _ = s.Close() })
	conn, err := s.Conn()
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	instances, err := instance.NewInstanceAdminClient(ctx, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = instances.Close() })
	made, err := instances.CreateInstance(ctx, &instancepb.CreateInstanceRequest{
		Parent: "projects/p", InstanceId: "i", Instance: &instancepb.Instance{Config: "projects/p/instanceConfigs/x", NodeCount: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if in, err := made.Wait(ctx); err != nil || in.Name != "projects/p/instances/i" {
		t.Fatalf("instance %v, %v", in, err)
	}
	databases, err := database.NewDatabaseAdminClient(ctx, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	op, err := databases.CreateDatabase(ctx, &databasepb.CreateDatabaseRequest{
		Parent: "projects/p/instances/i", CreateStatement: "CREATE DATABASE `d`",
		ExtraStatements: []string{singers, "CREATE CHANGE STREAM s FOR ALL"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := op.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	w := &world{Server: s, client: open(t, s)}
	begin := time.Now()
	at, err := w.client.Apply(ctx, []*spanner.Mutation{
		spanner.InsertMap("Singers", map[string]any{"Id": 1, "Name": "Ann"}),
	}, spanner.TransactionTag("app=test"))
	if err != nil {
		t.Fatal(err)
	}
	roots := w.must(t, "s", "", begin, time.Now())
	if len(roots) != 1 || roots[0].Children == nil || len(roots[0].Children.Children[0].Parents) != 0 {
		t.Fatalf("roots: %+v", roots)
	}
	token := roots[0].Children.Children[0].Token
	if len(token) < 100 || !strings.HasPrefix(token, "__8B") || !strings.HasSuffix(token, "__") {
		t.Errorf("token %q is not like production's", token)
	}
	recs := w.must(t, "s", token, begin, time.Now())
	if len(recs) != 1 || recs[0].Data == nil {
		t.Fatalf("records: %+v", recs)
	}
	got := recs[0].Data
	if !got.CommitTimestamp.Equal(at) || got.TransactionTag != "app=test" || got.ModType != changestream.Insert || !got.LastInPartition {
		t.Errorf("record: %+v, committed at %v", got, at)
	}
	if m := got.Mods[0]; m.Keys != `{"Id":"1"}` || m.New != `{"Age":null,"Name":"Ann"}` || m.Old != "{}" {
		t.Errorf("mod: %+v", m)
	}
}
