package spannerdb

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sluice.example/shared/changestream"
)

var here = names{project: "p", instance: "i", database: "d", host: "localhost:9010"}

func TestFailuresThatPass(t *testing.T) {
	t.Parallel()
	d := &Database{name: here}
	for _, err := range []error{
		status.Error(codes.Unavailable, "connection refused"), status.Error(codes.Aborted, "x"), status.Error(codes.DeadlineExceeded, "x"),
		status.Error(codes.ResourceExhausted, "x"), status.Error(codes.Internal, "stream terminated by RST_STREAM"), context.DeadlineExceeded,
		status.Error(codes.NotFound, "Session not found: projects/p/instances/i/databases/d/sessions/s"),
		status.Error(codes.Unauthenticated, "per-RPC creds failed: Post oauth2: dial tcp: lookup: no such host"),
	} {
		if got := d.failure("query change stream s1", err); !changestream.Transient(got) || !strings.HasPrefix(got.Error(), "query change stream s1: ") {
			t.Errorf("%v: %v", err, got)
		}
	}
}

func TestFailuresThatStayNameKeyAndWayOut(t *testing.T) {
	t.Parallel()
	about := func(code codes.Code, text, kind string) error {
		s, err := status.New(code, text).WithDetails(&errdetails.ResourceInfo{ResourceType: "type.googleapis.com/google.spanner.admin." + kind})
		if err != nil {
			t.Fatal(err)
		}
		return s.Err()
	}
	for name, c := range map[string]struct {
		err         error
		change      func(*names)
		key, wayOut string
	}{
		"database":    {status.Error(codes.NotFound, "Database not found: d"), nil, databaseKey, "check " + projectKey},
		"instance":    {status.Error(codes.NotFound, "Instance not found: i"), nil, instanceKey, instanceKey},
		"by details":  {about(codes.NotFound, "nothing here", "instance.v1.Instance"), nil, instanceKey, instanceKey},
		"project":     {status.Error(codes.NotFound, "Project not found: p"), nil, projectKey, projectKey},
		"rights":      {status.Error(codes.PermissionDenied, "no"), nil, databaseKey, "the identity that the function runs as needs roles/spanner.databaseReader"},
		"account":     {status.Error(codes.PermissionDenied, "no"), func(n *names) { n.credentials = pathKey }, pathKey, "the account of " + pathKey},
		"role":        {status.Error(codes.PermissionDenied, "no"), func(n *names) { n.role = "r" }, roleKey, "EXECUTE on its read function"},
		"nobody":      {status.Error(codes.Unauthenticated, "no"), nil, jsonKey, "set " + jsonKey},
		"key revoked": {status.Error(codes.Unauthenticated, "no"), func(n *names) { n.credentials = jsonKey }, jsonKey, "not accepted"},
		"query":       {status.Error(codes.InvalidArgument, "Table-valued function not found: READ_s1"), nil, streamKey, "check " + streamKey},
	} {
		d := &Database{name: here}
		if c.change != nil {
			c.change(&d.name)
		}
		var p *Problem
		err := d.failure("query change stream s1", c.err)
		if !errors.As(err, &p) || changestream.Transient(err) || p.Key != c.key || !strings.Contains(p.Text, c.wayOut) ||
			!strings.Contains(p.Text, "change stream s1 in projects/p/instances/i/databases/d") || !errors.Is(err, c.err) {
			t.Errorf("%s: %#v", name, err)
		}
	}
}

// TestRefusalsOfTheStart has the emulator's own texts, and the service's as apache/beam recognises it.
func TestRefusalsOfTheStart(t *testing.T) {
	t.Parallel()
	q := changestream.Query{Token: "tok", Start: time.Unix(1, 1)}
	for _, err := range []error{
		status.Error(codes.OutOfRange, "Specified start_timestamp is too far in the past. Please specify"),
		status.Error(codes.OutOfRange, "anything else"),
		status.Error(codes.InvalidArgument, "Specified start_timestamp is invalid for the partition"),
		status.Error(codes.InvalidArgument, "Specified partition_token is invalid, as it does not belong to the Change Stream"),
	} {
		var out *changestream.OutOfRange
		if !errors.As(refused(q, err), &out) || out.Token != "tok" || out.Start != q.Start || out.Message != describe(err) {
			t.Errorf("%v: %+v", err, out)
		}
	}
	for _, err := range []error{
		status.Error(codes.OutOfRange, "heartbeat_milliseconds must be within min 100 and max 300000."),
		status.Error(codes.InvalidArgument, "If end_timestamp is specified, start_timestamp must be <= end_timestamp."),
		status.Error(codes.InvalidArgument, "Syntax error"), status.Error(codes.NotFound, "start_timestamp"), context.Canceled,
	} {
		if got := refused(q, err); got != nil {
			t.Errorf("%v: %v", err, got)
		}
	}
}

func TestEndOfContext(t *testing.T) {
	t.Parallel()
	soon, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if got := endOf(soon, status.Error(codes.DeadlineExceeded, "")); !errors.Is(got, context.DeadlineExceeded) {
		t.Errorf("the server saw the deadline first: %v", got)
	}
	if got := endOf(t.Context(), status.Error(codes.DeadlineExceeded, "")); got != nil {
		t.Errorf("a deadline that is not the caller's: %v", got)
	}
	cancel()
	if got := endOf(soon, status.Error(codes.Unavailable, "")); !errors.Is(got, context.Canceled) {
		t.Errorf("got %v", got)
	}
}
