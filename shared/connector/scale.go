package connector

import "math"

// Scale is how many tasks a connector should have, given how many it has, how many partitions are being worked on and
// how many tasks hold none. It grows by a fifth at a time until a task would hold no more than desired, and halves when
// tasks hold fewer and more than half of them are idle. The result is within low and high, and at least 1; where the
// two contradict, high wins.
//
// The steps and their rounding are the peer's (the reference's section 4.8, observed), so that a connector keeps the
// number of tasks it had.
func Scale(current, desired, high, low, inWork, idle int) int {
	high, low, desired = max(high, 1), max(low, 1), max(desired, 1)
	n := min(max(current, low), high)
	for inWork > desired*n && n < high {
		n += min(int(math.Ceil(float64(n)*0.2)), high-n)
	}
	if n > low && inWork < desired*n && float64(idle) > float64(n)*0.5 {
		n = max(n/2, low)
	}
	return n
}
