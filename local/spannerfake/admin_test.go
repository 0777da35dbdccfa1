package spannerfake

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/spanner"
	database "cloud.google.com/go/spanner/admin/database/apiv1"
	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"
	instance "cloud.google.com/go/spanner/admin/instance/apiv1"
	"cloud.google.com/go/spanner/admin/instance/apiv1/instancepb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
)

// loopback serves on a port, as `sluice run` does, and connects to it.
func loopback(t *testing.T, s *Server) *grpc.ClientConn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestAdministration(t *testing.T) {
	t.Parallel()
	conn := loopback(t, New(Options{}))
	ctx := t.Context()
	instances, err := instance.NewInstanceAdminClient(ctx, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	databases, err := database.NewDatabaseAdminClient(ctx, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	in := func(id string) error {
		op, err := instances.CreateInstance(ctx, &instancepb.CreateInstanceRequest{Parent: "projects/p", InstanceId: id, Instance: &instancepb.Instance{DisplayName: id}})
		if err == nil {
			_, err = op.Wait(ctx)
		}
		return err
	}
	db := func(parent, statement string, more ...string) error {
		op, err := databases.CreateDatabase(ctx, &databasepb.CreateDatabaseRequest{Parent: parent, CreateStatement: statement, ExtraStatements: more})
		if err == nil {
			_, err = op.Wait(ctx)
		}
		return err
	}
	get := func(name string) error {
		_, err := databases.GetDatabase(ctx, &databasepb.GetDatabaseRequest{Name: name})
		return err
	}
	const i, d = "projects/p/instances/i", testDB
	for _, step := range []struct {
		name string
		err  error
		want codes.Code
	}{
		{"no instance yet", get(d), codes.NotFound},
		{"database without instance", db(i, "CREATE DATABASE d"), codes.NotFound},
		{"instance", in("i"), codes.OK},
		{"again", in("i"), codes.AlreadyExists},
		{"no name", in(""), codes.InvalidArgument},
		{"no database yet", get(d), codes.NotFound},
		{"not a database", db(i, "CREATE TABLE d (a INT64) PRIMARY KEY (a)"), codes.InvalidArgument},
		{"bad schema", db(i, "CREATE DATABASE d", singers, "nonsense"), codes.InvalidArgument},
		{"it left nothing", get(d), codes.NotFound},
		{"database", db(i, "CREATE DATABASE d", singers), codes.OK},
		{"again", db(i, "CREATE DATABASE d"), codes.AlreadyExists},
		{"there it is", get(d), codes.OK},
	} {
		if status.Code(step.err) != step.want {
			t.Errorf("%s: %v", step.name, step.err)
		}
	}
	if _, err := databases.GetDatabase(ctx, &databasepb.GetDatabaseRequest{Name: "projects/p/instances/none/databases/d"}); err == nil || !strings.Contains(err.Error(), "Instance not found") {
		t.Errorf("a missing instance is told from a missing database: %v", err)
	}
	op, err := databases.UpdateDatabaseDdl(ctx, &databasepb.UpdateDatabaseDdlRequest{Database: d, Statements: []string{"CREATE CHANGE STREAM s FOR ALL;"}})
	if err == nil {
		err = op.Wait(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	ddl, err := databases.GetDatabaseDdl(ctx, &databasepb.GetDatabaseDdlRequest{Database: d})
	if err != nil || len(ddl.Statements) != 2 || ddl.Statements[1] != "CREATE CHANGE STREAM s FOR ALL" {
		t.Errorf("DDL %v, %v", ddl, err)
	}
	if got, err := instances.GetInstance(ctx, &instancepb.GetInstanceRequest{Name: i}); err != nil || got.ProcessingUnits != 1000 {
		t.Errorf("instance %v, %v", got, err)
	}
	if got, err := instances.GetInstanceConfig(ctx, &instancepb.GetInstanceConfigRequest{Name: "projects/p/instanceConfigs/c"}); err != nil || got.Name == "" {
		t.Errorf("config %v, %v", got, err)
	}
	if one, err := instances.ListInstances(ctx, &instancepb.ListInstancesRequest{Parent: "projects/p"}).Next(); err != nil || one.Name != i {
		t.Errorf("instances %v, %v", one, err)
	}
	if one, err := instances.ListInstanceConfigs(ctx, &instancepb.ListInstanceConfigsRequest{Parent: "projects/p"}).Next(); err != nil || one.Name == "" {
		t.Errorf("configs %v, %v", one, err)
	}
	if one, err := databases.ListDatabases(ctx, &databasepb.ListDatabasesRequest{Parent: i}).Next(); err != nil || one.Name != d {
		t.Errorf("databases %v, %v", one, err)
	}
	if err := databases.DropDatabase(ctx, &databasepb.DropDatabaseRequest{Database: d}); err != nil || status.Code(get(d)) != codes.NotFound {
		t.Errorf("drop: %v", err)
	}
	if err := instances.DeleteInstance(ctx, &instancepb.DeleteInstanceRequest{Name: i}); err != nil {
		t.Error(err)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	raw := sppb.NewSpannerClient(loopback(t, s))
	ctx := t.Context()
	if _, err := raw.CreateSession(ctx, &sppb.CreateSessionRequest{Database: testDB}); status.Code(err) != codes.NotFound {
		t.Errorf("no database: %v", err)
	}
	if _, err := s.Database("d"); err == nil {
		t.Error("a database of no instance")
	}
	d, err := s.Database(testDB)
	if err == nil {
		err = d.DDL(singers, "CREATE CHANGE STREAM s FOR ALL")
	}
	if err != nil || d.Name() != testDB {
		t.Fatal(err)
	}
	many, err := raw.BatchCreateSessions(ctx, &sppb.BatchCreateSessionsRequest{Database: testDB, SessionCount: 2, SessionTemplate: &sppb.Session{CreatorRole: "r"}})
	if err != nil || len(many.Session) != 2 {
		t.Fatalf("%v, %v", many, err)
	}
	one := many.Session[0].Name
	if got, err := raw.GetSession(ctx, &sppb.GetSessionRequest{Name: one}); err != nil || got.CreatorRole != "r" {
		t.Errorf("%v, %v", got, err)
	}
	multiplexed, err := raw.CreateSession(ctx, &sppb.CreateSessionRequest{Database: testDB, Session: &sppb.Session{Multiplexed: true}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := raw.DeleteSession(ctx, &sppb.DeleteSessionRequest{Name: multiplexed.Name}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("delete a multiplexed session: %v", err)
	}
	if list, err := raw.ListSessions(ctx, &sppb.ListSessionsRequest{Database: testDB}); err != nil || len(list.Sessions) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := raw.DeleteSession(ctx, &sppb.DeleteSessionRequest{Name: one}); err != nil {
		t.Error(err)
	}
	if _, err := raw.ExecuteSql(ctx, &sppb.ExecuteSqlRequest{Session: one, Sql: "SELECT 1"}); status.Code(err) != codes.NotFound {
		t.Errorf("a deleted session: %v", err)
	}
	if got, err := raw.ExecuteSql(ctx, &sppb.ExecuteSqlRequest{Session: multiplexed.Name, Sql: "SELECT 1"}); err != nil || got.Rows[0].Values[0].GetStringValue() != "1" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := raw.ExecuteSql(ctx, &sppb.ExecuteSqlRequest{Session: multiplexed.Name, Sql: "SELECT * FROM READ_s(CURRENT_TIMESTAMP(), NULL, NULL, 1000)"}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a change stream without a stream: %v", err)
	}
	if got, err := raw.Read(ctx, &sppb.ReadRequest{Session: multiplexed.Name, Table: "Singers", Columns: []string{"Id"}, KeySet: &sppb.KeySet{All: true}}); err != nil || len(got.Rows) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestDroppedDatabase ends what runs on it.
func TestDroppedDatabase(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
	token := w.Partitions("s")[0].Token
	now := w.Now()
	_, done := follow(t.Context(), t, w, token, now, now.Add(60*60*1e9), 60*1e9)
	for w.QueriesOf(token) == 0 {
		w.mustApply(t, InsertOrUpdate("Singers", []string{"Id"}, 1))
	}
	conn, err := w.Conn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := databasepb.NewDatabaseAdminClient(conn).DropDatabase(context.Background(), &databasepb.DropDatabaseRequest{Database: testDB}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; spanner.ErrCode(err) != codes.NotFound && spanner.ErrCode(err) != codes.InvalidArgument {
		t.Error(err)
	}
}

func TestReplaceAndDefaults(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, "CREATE TABLE T (Id INT64 NOT NULL, A INT64 DEFAULT (-7), U STRING(36) DEFAULT (GENERATE_UUID()), L STRING(MAX) DEFAULT (UPPER('l')), F FLOAT64 DEFAULT (1e300)) PRIMARY KEY (Id)",
		"CREATE CHANGE STREAM s FOR ALL")
	w.mustApply(t, Insert("T", []string{"Id", "A", "L"}, 1, 5, "x"))
	at := w.mustApply(t, Replace("T", []string{"Id", "U"}, 1, "u"))
	got := w.must(t, "s", w.Partitions("s")[0].Token, at, at)[0].Data
	if got.ModType != "INSERT" || got.Mods[0].New != `{"A":"-7","F":1e+300,"L":"L","U":"u"}` {
		t.Errorf("%+v", got)
	}
	w.mustApply(t, Insert("T", []string{"Id"}, 2))
	_, rows, err := w.run(t, "SELECT U FROM T WHERE Id = 2", nil)
	if err != nil || len(rows) != 1 || !uuid.MatchString(strings.Trim(rows[0], `"`)) {
		t.Errorf("%v, %v", rows, err)
	}
	for _, ddl := range []string{"ALTER TABLE T ALTER COLUMN A SET DEFAULT (8)", "ALTER TABLE T ALTER COLUMN L DROP DEFAULT", "ALTER TABLE T ALTER COLUMN L STRING(10)", "ALTER TABLE T ADD COLUMN IF NOT EXISTS L STRING(10)", "CREATE TABLE IF NOT EXISTS T (a INT64) PRIMARY KEY (a)", "DROP TABLE IF EXISTS Nope"} {
		if err := w.DDL(ddl); err != nil {
			t.Errorf("%s: %v", ddl, err)
		}
	}
	w.mustApply(t, Insert("T", []string{"Id", "U"}, 3, nil))
	if _, rows, err := w.run(t, "SELECT A, L, U FROM T WHERE Id = 3", nil); err != nil || !slices.Equal(rows, []string{`"8" null null`}) {
		t.Errorf("%v, %v", rows, err)
	}
	if err := w.DDL("DROP TABLE T"); err != nil {
		t.Error(err)
	}
}
