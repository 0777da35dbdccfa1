package firestoredb

import (
	"fmt"

	"sluice.example/shared/lease"
)

// failure says what was being done when Firestore, or the way to it, failed. It wraps lease.ErrStore and the cause.
func failure(doing string, cause error, args ...any) error {
	return fmt.Errorf("%s: %w: %w", fmt.Sprintf(doing, args...), lease.ErrStore, cause)
}

// conflict says what was being done when another writer turned out to have been first. It wraps lease.ErrConflict.
func conflict(doing string, document string) error {
	return fmt.Errorf("%s: document %s: %w", doing, document, lease.ErrConflict)
}
