package instance

import (
	"context"
	"log/slog"
	"time"
)

// An invocation with less time than Least left does nothing, and ends Reserve before the platform's deadline so that
// its answer still gets out: a platform that cuts an invocation off calls it failed and may repeat it.
const (
	Least   = time.Second
	Reserve = 250 * time.Millisecond
)

// Within runs do in the time that the platform gives. With no deadline do gets none and bounds itself: its own budget
// is the length of a slice. With less than Least left, or a deadline in the past as local runners send (FN-05), do is
// not called and the answer is nil: an error would only make the platform try again, and the next tick wakes the slot
// anyway.
//
// What do does is not cancelled when the caller hangs up, only by the deadline: the one who wakes a worker waits for
// seconds, a slice takes longer. Within returns when do has; nothing goes on behind it (FN-03).
func Within(ctx context.Context, what string, do func(ctx context.Context) error) error {
	deadline, ok := ctx.Deadline()
	if !ok {
		return do(context.WithoutCancel(ctx))
	}
	if left := time.Until(deadline); left < Least {
		slog.WarnContext(ctx, "too little time left to start", "function", what, "left", left)
		return nil
	}
	bounded, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline.Add(-Reserve))
	defer cancel()
	return do(bounded)
}
