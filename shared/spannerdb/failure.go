package spannerdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/spanner"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sluice.example/shared/changestream"
)

// refused makes an OutOfRange of a refusal of a query's start or token; nil when the error is something else. Spanner
// uses OUT_OF_RANGE or INVALID_ARGUMENT for it, the emulator OUT_OF_RANGE.
func refused(q changestream.Query, err error) error {
	code, text := spanner.ErrCode(err), describe(err)
	low := strings.ToLower(text)
	about := strings.Contains(low, "start_timestamp") || strings.Contains(low, "start timestamp") || strings.Contains(low, "partition_token") || strings.Contains(low, "partition token")
	if code == codes.OutOfRange || code == codes.InvalidArgument && about {
		return &changestream.OutOfRange{Token: q.Token, Start: q.Start, Message: text}
	}
	return nil
}

// fault names what was asked for and what to do about it. Errors that may go away by themselves wrap
// changestream.ErrTransient; the caller's own end stays recognisable.
func (n names) fault(doing string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	text := describe(err)
	switch code := spanner.ErrCode(err); code {
	case codes.Canceled:
		return fmt.Errorf("%s: %w", doing, context.Canceled)
	case codes.Unavailable, codes.DeadlineExceeded:
		return fmt.Errorf("%s: Spanner at %s cannot be reached (%s): %w", doing, n.where(), text, changestream.ErrTransient)
	case codes.Aborted, codes.ResourceExhausted, codes.Internal, codes.Unknown:
		return fmt.Errorf("%s: %s: %w", doing, text, changestream.ErrTransient)
	case codes.NotFound:
		return fmt.Errorf("%s: %s: check gcp.spanner.project.id, gcp.spanner.instance.id and gcp.spanner.database.id (%s)", doing, text, n.path())
	case codes.PermissionDenied, codes.Unauthenticated:
		return fmt.Errorf("%s: %s: the credentials need spanner.databaseReader on %s", doing, text, n.path())
	default:
		return fmt.Errorf("%s: %s (%s, change stream %s)", doing, text, n.path(), n.stream)
	}
}

func (n names) where() string {
	if n.host != "" {
		return n.host
	}
	return "spanner.googleapis.com"
}

// describe is the service's own text, without the client's wrapping.
func describe(err error) string {
	var e *spanner.Error
	if errors.As(err, &e) {
		return strings.TrimSpace(e.Desc)
	}
	if s, ok := status.FromError(err); ok {
		return s.Message()
	}
	return err.Error()
}

// patience is how long a client call may wait for a service that does not answer, when its caller sets no limit.
const patience = 12 * time.Second
