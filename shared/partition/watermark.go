package partition

import (
	"time"

	"sluice.example/shared/lease"
)

// LowWatermark is the time up to which, and including which, every change of the connector is in Kafka: the lowest bound
// over the slots (each keeps one for all it holds) and over the unfinished partitions that nobody holds, born or unborn.
// All of it must have been read at one moment. ok is false when there is no unfinished partition, or no bound known: every
// doubt counts against advancing (I4).
func LowWatermark(slots []lease.Slot, unheld time.Time) (low time.Time, ok bool) {
	low = unheld
	for _, s := range slots {
		if s.Lowest.IsZero() {
			if s.Holds > 0 {
				return time.Time{}, false
			}
			continue
		}
		if low.IsZero() || s.Lowest.Before(low) {
			low = s.Lowest
		}
	}
	return low, !low.IsZero()
}
