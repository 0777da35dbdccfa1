// Package clock is the only way the product learns the time: a source that a test can replace, and the budget of one
// invocation. Pure rules never import it; they are given now.
package clock

import (
	"context"
	"time"
)

// Clock tells the time. Implementations are safe for concurrent use.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock. Its readings carry Go's monotonic part, so that a difference of two of them does not
// see the wall clock jump.
var System Clock = system{}

type system struct{}

func (system) Now() time.Time { return time.Now() }

// Skewed is another clock set wrong by By: positive is fast. It exists to prove that a worker with a wrong clock costs
// work and never correctness (I3).
type Skewed struct {
	Clock Clock
	By    time.Duration
}

// Now is the wrong time.
func (s Skewed) Now() time.Time { return s.Clock.Now().Add(s.By) }

// Budget is how long one invocation may work: until End, counted on the local clock. A platform's own deadline wins
// over the asked length when it comes first, less margin, which is what ending a slice cleanly takes.
type Budget struct {
	End time.Time
}

// NewBudget gives the budget of an invocation that starts now and may run for length. The context's deadline, when
// there is one, cuts it to deadline - margin. A budget that is already spent has End before now; the caller then
// claims nothing and returns.
func NewBudget(ctx context.Context, now time.Time, length, margin time.Duration) Budget {
	end := now.Add(length)
	if deadline, ok := ctx.Deadline(); ok {
		if cut := now.Add(time.Until(deadline) - margin); cut.Before(end) {
			end = cut
		}
	}
	return Budget{End: end}
}

// Left is the time that remains at now; negative when the budget is spent.
func (b Budget) Left(now time.Time) time.Duration { return b.End.Sub(now) }
