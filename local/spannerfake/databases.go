package spannerfake

import (
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"
	"github.com/cloudspannerecosystem/memefish"
	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// databaseAdmin creates, describes and drops databases. Operations are done when their call returns.
type databaseAdmin struct {
	databasepb.UnimplementedDatabaseAdminServer
	*Server
}

// CreateDatabase makes a database with its schema; of one whose schema is refused nothing stays.
func (a *databaseAdmin) CreateDatabase(_ context.Context, r *databasepb.CreateDatabaseRequest) (*longrunningpb.Operation, error) {
	if r.DatabaseDialect == databasepb.DatabaseDialect_POSTGRESQL {
		return nil, status.Error(codes.Unimplemented, "the fake has no PostgreSQL dialect")
	}
	parsed, err := memefish.ParseDDL("", r.CreateStatement)
	st, ok := parsed.(*ast.CreateDatabase)
	if err != nil || !ok {
		return nil, status.Errorf(codes.InvalidArgument, "Invalid \"CREATE DATABASE\" statement: %s", r.CreateStatement)
	}
	name := r.Parent + "/databases/" + st.Name.Name
	a.mu.Lock()
	if a.instances[r.Parent] == nil {
		a.mu.Unlock()
		return nil, noInstance(r.Parent)
	}
	if a.databases[name] != nil {
		a.mu.Unlock()
		return nil, status.Errorf(codes.AlreadyExists, "Database already exists: %s", name)
	}
	d := a.create(name)
	a.mu.Unlock()
	if err := d.DDL(r.ExtraStatements...); err != nil {
		a.mu.Lock()
		a.drop(name)
		a.mu.Unlock()
		return nil, err
	}
	return done(name, "create", &databasepb.CreateDatabaseMetadata{Database: name}, d.describe())
}

func (d *Database) describe() *databasepb.Database {
	return &databasepb.Database{
		Name: d.name, State: databasepb.Database_READY, CreateTime: timestamppb.New(d.made),
		DatabaseDialect: databasepb.DatabaseDialect_GOOGLE_STANDARD_SQL,
	}
}

func (a *databaseAdmin) GetDatabase(_ context.Context, r *databasepb.GetDatabaseRequest) (*databasepb.Database, error) {
	d, err := a.find(r.Name)
	if err != nil {
		return nil, err
	}
	return d.describe(), nil
}

func (a *databaseAdmin) ListDatabases(_ context.Context, r *databasepb.ListDatabasesRequest) (*databasepb.ListDatabasesResponse, error) {
	out := &databasepb.ListDatabasesResponse{}
	for _, d := range a.all() {
		if strings.HasPrefix(d.name, r.Parent+"/") {
			out.Databases = append(out.Databases, d.describe())
		}
	}
	return out, nil
}

func (a *databaseAdmin) DropDatabase(_ context.Context, r *databasepb.DropDatabaseRequest) (*emptypb.Empty, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drop(r.Database)
	return &emptypb.Empty{}, nil
}

// drop takes a database away, with its sessions; queries of its streams end. The server's lock is held.
func (s *Server) drop(name string) {
	d := s.databases[name]
	if d == nil {
		return
	}
	delete(s.databases, name)
	for name, one := range s.sessions {
		if one.db == d {
			delete(s.sessions, name)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, st := range d.listed {
		st.drop()
	}
}

func (a *databaseAdmin) UpdateDatabaseDdl(_ context.Context, r *databasepb.UpdateDatabaseDdlRequest) (*longrunningpb.Operation, error) {
	d, err := a.find(r.Database)
	if err != nil {
		return nil, err
	}
	if err := d.DDL(r.Statements...); err != nil {
		return nil, err
	}
	now := timestamppb.New(a.Now())
	meta := &databasepb.UpdateDatabaseDdlMetadata{
		Database: d.name, Statements: r.Statements, CommitTimestamps: slices.Repeat([]*timestamppb.Timestamp{now}, len(r.Statements)),
	}
	return done(d.name, "ddl", meta, &emptypb.Empty{})
}

func (a *databaseAdmin) GetDatabaseDdl(_ context.Context, r *databasepb.GetDatabaseDdlRequest) (*databasepb.GetDatabaseDdlResponse, error) {
	d, err := a.find(r.Database)
	if err != nil {
		return nil, err
	}
	return &databasepb.GetDatabaseDdlResponse{Statements: d.statements()}, nil
}

// find is a database by name; the error tells a missing instance from a missing database.
func (s *Server) find(name string) (*Database, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.databases[name]; d != nil {
		return d, nil
	}
	if instance, _, ok := strings.Cut(name, "/databases/"); ok && s.instances[instance] == nil {
		return nil, noInstance(instance)
	}
	return nil, noDatabase(name)
}
