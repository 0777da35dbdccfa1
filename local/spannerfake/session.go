package spannerfake

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// session is a client's session. A multiplexed one has many transactions at a time.
type session struct {
	name        string
	db          *Database
	multiplexed bool
	role        string
	made        time.Time
}

func (s *session) describe() *sppb.Session {
	return &sppb.Session{
		Name: s.name, Multiplexed: s.multiplexed, CreatorRole: s.role,
		CreateTime: timestamppb.New(s.made), ApproximateLastUseTime: timestamppb.New(s.made),
	}
}

func (s *service) open(database string, template *sppb.Session) (*sppb.Session, error) {
	d, err := s.find(database)
	if err != nil {
		return nil, err
	}
	made := &session{
		name: fmt.Sprintf("%s/sessions/%d", database, s.named.Add(1)), db: d,
		multiplexed: template.GetMultiplexed(), role: template.GetCreatorRole(), made: s.Now(),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[made.name] = made
	return made.describe(), nil
}

func (s *service) CreateSession(_ context.Context, r *sppb.CreateSessionRequest) (*sppb.Session, error) {
	return s.open(r.Database, r.Session)
}

func (s *service) BatchCreateSessions(_ context.Context, r *sppb.BatchCreateSessionsRequest) (*sppb.BatchCreateSessionsResponse, error) {
	out := &sppb.BatchCreateSessionsResponse{}
	for range max(r.SessionCount, 1) {
		made, err := s.open(r.Database, r.SessionTemplate)
		if err != nil {
			return nil, err
		}
		out.Session = append(out.Session, made)
	}
	return out, nil
}

func (s *service) GetSession(_ context.Context, r *sppb.GetSessionRequest) (*sppb.Session, error) {
	found, err := s.session(r.Name)
	if err != nil {
		return nil, err
	}
	return found.describe(), nil
}

func (s *service) ListSessions(_ context.Context, r *sppb.ListSessionsRequest) (*sppb.ListSessionsResponse, error) {
	if _, err := s.find(r.Database); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &sppb.ListSessionsResponse{}
	for name, one := range s.sessions {
		if strings.HasPrefix(name, r.Database+"/") && !one.multiplexed {
			out.Sessions = append(out.Sessions, one.describe())
		}
	}
	slices.SortFunc(out.Sessions, func(a, b *sppb.Session) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func (s *service) DeleteSession(_ context.Context, r *sppb.DeleteSessionRequest) (*emptypb.Empty, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.sessions[r.Name]; one != nil && one.multiplexed {
		return nil, status.Error(codes.InvalidArgument, "Multiplexed sessions cannot be deleted")
	}
	delete(s.sessions, r.Name)
	return &emptypb.Empty{}, nil
}

// session finds a session whose database still exists.
func (s *Server) session(name string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.sessions[name]
	switch {
	case one == nil:
		return nil, noSession(name)
	case s.databases[one.db.name] != one.db:
		return nil, noDatabase(one.db.name)
	}
	return one, nil
}
