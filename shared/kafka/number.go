package kafka

import (
	"fmt"
	"strconv"
	"time"
)

// numbers reads settings that are numbers. The first that cannot be read is kept as err, with the name under which the
// user wrote it; one that is not set leaves what it would change.
type numbers struct {
	values map[string]string
	err    error
}

// integer reads a whole number of at least least; ok is false when it is not set or cannot be read.
func (r *numbers) integer(key string, least int64) (n int64, ok bool) {
	v := r.values[key]
	if v == "" || r.err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < least {
		r.err = fmt.Errorf("%s is %q: a whole number of at least %d is expected", written(r.values, key), v, least)
		return 0, false
	}
	return n, true
}

// millis reads milliseconds, and brings them into what the client library takes. -1 is Java's "never": the longest.
func (r *numbers) millis(key string, to *time.Duration, least, most time.Duration) {
	n, ok := r.integer(key, -1)
	if !ok {
		return
	}
	if n < 0 || n > most.Milliseconds() {
		*to = most
		return
	}
	*to = max(least, time.Duration(n)*time.Millisecond)
}
