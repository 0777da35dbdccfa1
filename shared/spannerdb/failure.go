package spannerdb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cloud.google.com/go/spanner"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sluice.example/shared/changestream"
)

// failure decides what an error of the client means; doing says what was asked for, a verb first. The caller has looked at
// its own context before. Outcomes:
//  1. The service or the way to it failed, and may not the next time: wraps changestream.ErrTransient.
//  2. Anything else: *Problem.
func (d *Database) failure(doing string, err error) error {
	code, text := codeOf(err), describe(err)
	n := d.name
	problem := func(key, wayOut string) error {
		return &Problem{Key: key, Text: fmt.Sprintf("%s in %s: %s: %s", doing, n.path(), text, wayOut), Err: err}
	}
	switch code {
	case codes.Unavailable, codes.DeadlineExceeded:
		return fmt.Errorf("%s: Spanner at %s cannot be reached: %s: %w", doing, n.where(), text, changestream.ErrTransient)
	case codes.Aborted, codes.ResourceExhausted, codes.Internal, codes.Unknown, codes.Canceled:
		// Internal is how a reset of the HTTP/2 stream shows; Canceled, when the caller did not, a connection given up.
		return fmt.Errorf("%s: %s: %w", doing, text, changestream.ErrTransient)
	case codes.NotFound:
		if sessionLost(err) {
			return fmt.Errorf("%s: the session was lost, the next query opens another: %w", doing, changestream.ErrTransient)
		}
		return problem(missingPart(err, text), "check "+projectKey+", "+instanceKey+" and "+databaseKey)
	case codes.PermissionDenied:
		key, who := databaseKey, "the identity that the function runs as"
		switch {
		case n.role != "":
			return problem(roleKey, "the role "+n.role+" needs SELECT on the change stream and EXECUTE on its read function")
		case n.credentials != "":
			key, who = n.credentials, "the account of "+n.credentials
		}
		return problem(key, who+" needs roles/spanner.databaseReader")
	case codes.Unauthenticated:
		if overNetwork(text) {
			return fmt.Errorf("%s: no access token could be fetched: %s: %w", doing, text, changestream.ErrTransient)
		}
		if n.credentials == "" {
			return problem(jsonKey, "set "+jsonKey+" or "+pathKey+", or run with an identity that Google knows")
		}
		return problem(n.credentials, "the credentials of "+n.credentials+" are not accepted")
	}
	return problem(streamKey, "check "+streamKey+" and the database")
}

// refused makes *OutOfRange of a refusal of a query's start or token; nil when the error is something else. Seen at the
// emulator: OUT_OF_RANGE for a start in the past or future, INVALID_ARGUMENT for a token of another stream, and both also
// for what a correct query never asks (a heartbeat out of range, an end before the start), which is no refusal of a start.
// The service uses either code.
func refused(q changestream.Query, err error) error {
	code, text := codeOf(err), describe(err)
	low := strings.ReplaceAll(strings.ToLower(text), "_", " ")
	about := strings.Contains(low, "start timestamp") || strings.Contains(low, "partition token")
	ours := strings.Contains(low, "heartbeat milliseconds") || strings.Contains(low, "must be <= end timestamp")
	if code == codes.OutOfRange && !ours || code == codes.InvalidArgument && about && !ours {
		return &changestream.OutOfRange{Token: q.Token, Start: q.Start, Message: text}
	}
	return nil
}

// unopened is the failure of making a client. Its error may repeat parts of the credentials, so it is told by kind only.
func (d *Database) unopened(err error) error {
	if d.name.credentials != "" {
		return &Problem{Key: d.name.credentials, Text: "the credentials of " + d.name.credentials + " cannot be used"}
	}
	text := err.Error()
	if strings.Contains(text, "could not find default credentials") {
		return &Problem{Key: jsonKey, Text: "there are no credentials: set " + jsonKey + " or " + pathKey + ", or run with an identity that Google knows"}
	}
	return &Problem{Key: databaseKey, Text: "open " + d.name.path() + ": " + text}
}

// codeOf is the status of a client's error; a plain error of the context has the code that gRPC gives it.
func codeOf(err error) codes.Code {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return codes.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		return codes.Canceled
	}
	return spanner.ErrCode(err)
}

// describe is the service's own text, without the client's wrapping.
func describe(err error) string {
	//lint:ignore SA1019 the replacement does not carry the texts of errors that the client itself makes
	var e *spanner.Error
	if errors.As(err, &e) {
		if s, ok := status.FromError(e.Unwrap()); ok && e.Unwrap() != nil {
			return strings.TrimSpace(s.Message())
		}
		return strings.TrimSpace(e.Desc)
	}
	if s, ok := status.FromError(err); ok {
		return strings.TrimSpace(s.Message())
	}
	return err.Error()
}

// resource is the kind of thing that an error is about, from its details: "google.spanner.admin.database.v1.Database".
func resource(err error) string {
	if s, ok := status.FromError(err); ok {
		for _, detail := range s.Details() {
			if r, ok := detail.(*errdetails.ResourceInfo); ok {
				return r.GetResourceType()
			}
		}
	}
	return ""
}

func sessionLost(err error) bool {
	return codeOf(err) == codes.NotFound &&
		(strings.HasSuffix(resource(err), ".Session") || strings.Contains(describe(err), "Session not found"))
}

// missingPart is the key of what was not found.
func missingPart(err error, text string) string {
	kind, low := resource(err), strings.ToLower(text)
	switch {
	case strings.HasSuffix(kind, ".Instance") || strings.Contains(low, "instance not found"):
		return instanceKey
	case strings.HasSuffix(kind, ".Project") || strings.Contains(low, "project not found"):
		return projectKey
	}
	return databaseKey
}

// overNetwork tells a token endpoint that cannot be reached from one that says no; gRPC has one code for both.
func overNetwork(text string) bool {
	return strings.Contains(text, "dial tcp") || strings.Contains(text, "i/o timeout") || strings.Contains(text, "connection reset")
}
