package task

import "time"

// Events are the hooks through which measurements are taken; the data path knows nothing of metrics. A nil func is not
// called. They are called from several goroutines and must be quick.
type Events struct {
	Taken     func(connector string, slot int, generation int64)
	Claimed   func(connector string, slot, partitions int)
	Lost      func(connector string, slot int)
	Delivered func(connector string, slot, records int, took time.Duration, newest time.Time)
	Query     func(connector string, slot int, token string, start, end time.Time)
	Finished  func(connector string, slot int, token string, children int)
}
