package firestoredb

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sluice.example/shared/lease"
)

// failure says what was being done when Firestore, or the way to it, failed. It wraps lease.ErrStore and the cause, which
// for the end of a context is the context's own error.
func failure(doing string, cause error, args ...any) error {
	switch status.Code(cause) {
	case codes.Canceled:
		cause = fmt.Errorf("%w: %w", context.Canceled, cause)
	case codes.DeadlineExceeded:
		cause = fmt.Errorf("%w: %w", context.DeadlineExceeded, cause)
	}
	return fmt.Errorf("%s: %w: %w", fmt.Sprintf(doing, args...), lease.ErrStore, cause)
}

// conflict says what was being done when another writer turned out to have been first. It wraps lease.ErrConflict.
func conflict(doing string, document string) error {
	return fmt.Errorf("%s: document %s: %w", doing, document, lease.ErrConflict)
}
