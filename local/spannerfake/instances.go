package spannerfake

import (
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"cloud.google.com/go/spanner/admin/instance/apiv1/instancepb"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// instanceAdmin is what clients need of instances: names under which databases are kept. Operations are done when their
// call returns.
type instanceAdmin struct {
	instancepb.UnimplementedInstanceAdminServer
	*Server
}

func (a *instanceAdmin) CreateInstance(_ context.Context, r *instancepb.CreateInstanceRequest) (*longrunningpb.Operation, error) {
	if r.InstanceId == "" || r.Parent == "" {
		return nil, status.Error(codes.InvalidArgument, "An instance needs a project and a name")
	}
	name := r.Parent + "/instances/" + r.InstanceId
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.instances[name] != nil {
		return nil, status.Errorf(codes.AlreadyExists, "Instance already exists: %s", name)
	}
	in := &instancepb.Instance{}
	if r.Instance != nil {
		in = proto.CloneOf(r.Instance)
	}
	now := timestamppb.New(a.Now())
	in.Name, in.State, in.CreateTime, in.UpdateTime = name, instancepb.Instance_READY, now, now
	if in.ProcessingUnits == 0 {
		in.ProcessingUnits = max(in.NodeCount, 1) * 1000
	}
	a.instances[name] = in
	return done(name, "create", &instancepb.CreateInstanceMetadata{Instance: in, StartTime: now, EndTime: now}, in)
}

func (a *instanceAdmin) GetInstance(_ context.Context, r *instancepb.GetInstanceRequest) (*instancepb.Instance, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	in := a.instances[r.Name]
	if in == nil {
		return nil, noInstance(r.Name)
	}
	return in, nil
}

func (a *instanceAdmin) ListInstances(_ context.Context, r *instancepb.ListInstancesRequest) (*instancepb.ListInstancesResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := &instancepb.ListInstancesResponse{}
	for name, in := range a.instances {
		if strings.HasPrefix(name, r.Parent+"/") {
			out.Instances = append(out.Instances, in)
		}
	}
	slices.SortFunc(out.Instances, func(x, y *instancepb.Instance) int { return strings.Compare(x.Name, y.Name) })
	return out, nil
}

func (a *instanceAdmin) DeleteInstance(_ context.Context, r *instancepb.DeleteInstanceRequest) (*emptypb.Empty, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.instances, r.Name)
	for name := range a.databases {
		if strings.HasPrefix(name, r.Name+"/") {
			a.drop(name)
		}
	}
	return &emptypb.Empty{}, nil
}

func (a *instanceAdmin) GetInstanceConfig(_ context.Context, r *instancepb.GetInstanceConfigRequest) (*instancepb.InstanceConfig, error) {
	return &instancepb.InstanceConfig{Name: r.Name, DisplayName: "Fake"}, nil
}

func (a *instanceAdmin) ListInstanceConfigs(_ context.Context, r *instancepb.ListInstanceConfigsRequest) (*instancepb.ListInstanceConfigsResponse, error) {
	return &instancepb.ListInstanceConfigsResponse{InstanceConfigs: []*instancepb.InstanceConfig{{Name: r.Parent + "/instanceConfigs/fake", DisplayName: "Fake"}}}, nil
}

// done is an operation that ended well.
func done(of, what string, meta, answer proto.Message) (*longrunningpb.Operation, error) {
	m, err := anypb.New(meta)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "encode operation: %v", err)
	}
	a, err := anypb.New(answer)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "encode operation: %v", err)
	}
	return &longrunningpb.Operation{
		Name: of + "/operations/" + what, Metadata: m, Done: true, Result: &longrunningpb.Operation_Response{Response: a},
	}, nil
}

func noInstance(name string) error {
	return absent("Instance", name, "type.googleapis.com/google.spanner.admin.instance.v1.Instance")
}

func noDatabase(name string) error {
	return absent("Database", name, "type.googleapis.com/google.spanner.admin.database.v1.Database")
}

func noSession(name string) error {
	return absent("Session", name, "type.googleapis.com/google.spanner.v1.Session")
}

// absent says which resource there is none of, in the detail that clients know a lost session by too.
func absent(what, name, kind string) error {
	st := status.Newf(codes.NotFound, "%s not found: %s", what, name)
	if with, err := st.WithDetails(&errdetails.ResourceInfo{ResourceType: kind, ResourceName: name, Description: what + " does not exist."}); err == nil {
		st = with
	}
	return st.Err()
}
