package changestream

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Query is one bounded read of one partition. Both ends are inclusive, as Spanner's are.
type Query struct {
	Token     string        // RootToken: the initial query, without a token
	Start     time.Time     // inclusive
	End       time.Time     // inclusive; never zero: a query without end would outlive its function
	Heartbeat time.Duration // 100 ms to 5 min
}

// Reader reads partitions of one change stream. It is safe for concurrent use.
type Reader interface {
	// Read streams the records of q in commit order. The sequence ends cleanly when Spanner ended the query (with or
	// without a child record: a clean end is not the end of the partition), or with one error:
	//  1. *OutOfRange: Spanner refuses the start for this partition.
	//  2. *Undecodable: a row that cannot be understood, naming the field (I7).
	//  3. the context's error when the caller stopped.
	//  4. anything else: a failure of the service or the way to it; Transient tells whether trying again makes sense.
	// Nothing of the query runs on when the loop over the sequence has been left.
	Read(ctx context.Context, q Query) iter.Seq2[Record, error]

	// Exact tells whether a query whose end lies ahead returns every record. The Cloud Spanner emulator's does not (it
	// skips a change that falls on the edge of its internal 100 ms steps); there, only a query whose end has passed may
	// be believed.
	Exact() bool
}

// OutOfRange is Spanner's refusal of a start timestamp: before retention, after the partition's end, or of an unknown
// token. Message is Spanner's own text, which carries the valid range.
type OutOfRange struct {
	Token   string
	Start   time.Time
	Message string
}

func (e *OutOfRange) Error() string {
	return "change stream partition " + Short(e.Token) + " cannot be read from " + e.Start.UTC().Format(time.RFC3339Nano) + ": " + e.Message
}

// Undecodable is a row, or part of one, that the product does not understand.
type Undecodable struct {
	Field  string // path, for example data_change_record.mods[0].keys
	Reason string
}

func (e *Undecodable) Error() string {
	return "change record cannot be understood: field " + e.Field + ": " + e.Reason
}

// ErrTransient is wrapped by errors after which the same call may succeed: an unreachable or overloaded service.
var ErrTransient = errors.New("transient failure")

// Transient tells whether trying the same call again may succeed.
func Transient(err error) bool { return errors.Is(err, ErrTransient) }

// Short is a partition token cut for a message or a log line; tokens are over a hundred characters long.
func Short(token string) string {
	if len(token) <= 16 {
		return token
	}
	return token[:8] + "…" + token[len(token)-7:]
}
