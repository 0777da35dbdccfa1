package firestoredb

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// maxTries bounds how often a commit is sent that Firestore answers with ABORTED (too much contention). With the waits
// between them they take some ten seconds.
const maxTries = 20

// firstWait and longestWait bound the random wait before the next try.
const (
	firstWait   = 10 * time.Millisecond
	longestWait = time.Second
)

// apply commits the writes and finds out what became of them, see the package comment and Commit.
func (s *Store) apply(ctx context.Context, doing string, writes []write) error {
	if len(writes) == 0 {
		return nil
	}
	if err := check(writes); err != nil {
		return failure("%s", err, doing)
	}
	// The last fifth of the time is kept for the caller and for finding out: the client repeats a commit that goes
	// unanswered for as long as its context lasts.
	trying, stop := withMost(ctx)
	defer stop()

	id := s.random()
	for try := 1; ; try++ {
		results, err := s.send(trying, writes, id)
		if err == nil {
			adopt(writes, func(i int) time.Time { return results[i].UpdateTime })
			return nil
		}
		if !uncertain(err) || ctx.Err() != nil {
			return failure("%s", err, doing)
		}
		found, lookErr := s.look(ctx, writes, id)
		switch {
		case lookErr != nil:
			return failure("%s: %v; find out what became of it", lookErr, doing, err)
		case found.applied:
			adopt(writes, func(i int) time.Time { return found.versions[i] })
			return nil
		case found.moved >= 0:
			return conflict(doing, writes[found.moved].label())
		}
		switch kind(err) {
		case codes.AlreadyExists, codes.NotFound:
			// What stood in the way has gone again meanwhile; any of the documents may have been it.
			return conflict(doing, writes[0].label())
		case codes.Aborted:
			if try < maxTries && pause(trying, try) {
				continue
			}
		}
		return failure("%s", err, doing)
	}
}

// uncertain tells of errors after which the commit may stand all the same: those of a repeat that met the first's
// traces, and those that are no answer at all.
func uncertain(err error) bool {
	switch kind(err) {
	case codes.FailedPrecondition, codes.AlreadyExists, codes.NotFound, codes.Aborted,
		codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Internal, codes.Unknown, codes.ResourceExhausted:
		return true
	}
	return false
}

func kind(err error) codes.Code {
	if errors.Is(err, context.DeadlineExceeded) {
		return codes.DeadlineExceeded
	}
	return status.Code(err)
}

// finding is what the documents say about a commit.
type finding struct {
	applied  bool
	versions []time.Time // when applied
	moved    int         // index of a document that is no longer what the commit expects; -1: there is none
}

// look reads the documents again, in one request.
func (s *Store) look(ctx context.Context, writes []write, id string) (finding, error) {
	refs := make([]*firestore.DocumentRef, len(writes))
	for i, w := range writes {
		refs[i] = w.ref
	}
	docs, err := s.client.GetAll(ctx, refs)
	if err != nil {
		return finding{}, err
	}
	var at time.Time // of our commit
	gone := 0
	f := finding{moved: -1, versions: make([]time.Time, len(docs))}
	for i, doc := range docs {
		switch {
		case doc.Exists() && doc.Data()[commitField] == id:
			at = doc.UpdateTime
		case writes[i].removes() && !doc.Exists():
			gone++
		}
		if !doc.UpdateTime.Equal(*writes[i].version) && f.moved < 0 {
			f.moved = i
		}
	}
	// A commit is whole: one document that carries its id proves it, and all carry its time, those too that somebody
	// has written again since. Their next write will meet that.
	for i := range f.versions {
		f.versions[i] = at
	}
	f.applied = !at.IsZero() || gone == len(writes)
	return f, nil
}

// withMost is ctx with four fifths of the time that is left.
func withMost(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)*4/5)
}

// pause waits before the next try; false: the time does not allow one.
func pause(ctx context.Context, try int) bool {
	most := min(firstWait<<min(try, 10), longestWait)
	wait := most/2 + rand.N(most/2)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
