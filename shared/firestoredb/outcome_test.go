package firestoredb_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"

	"sluice.example/local/firestorefake"
	"sluice.example/shared/firestoredb"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// bubble is a store on a fake, both within a testing/synctest bubble.
func bubble(t *testing.T, test func(*testing.T, *firestorefake.Server, *firestoredb.Store)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		fake, err := firestorefake.New(firestorefake.Options{})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := fake.Conn()
		if err != nil {
			t.Fatal(err)
		}
		s, err := firestoredb.New(t.Context(), firestoredb.Config{Project: "p", Group: "g", Conn: conn})
		if err != nil {
			t.Fatal(err)
		}
		test(t, fake, s)
		if err := errors.Join(s.Close(), fake.Close()); err != nil {
			t.Error(err)
		}
	})
}

// TestContentionEndsInTime is case FS-05 with its own numbers: ABORTED for ever under a deadline of 30 s, with answers as
// slow as the emulator's, must end by itself before 27 s and within 20 tries.
func TestContentionEndsInTime(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		fault firestorefake.Fault
		tries int64 // 0: any
	}{
		"quick answers": {firestorefake.Fault{Code: codes.Aborted}, 20},
		"slow answers":  {firestorefake.Fault{Code: codes.Aborted, Delay: 2 * time.Second}, 0},
		"none at all":   {firestorefake.Fault{Delay: time.Hour}, 0},
		"unavailable":   {firestorefake.Fault{Code: codes.Unavailable}, 0},
		"exhausted":     {firestorefake.Fault{Code: codes.ResourceExhausted}, 0},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, fake *firestorefake.Server, s *firestoredb.Store) {
				var tries atomic.Int64
				hook := firestorefake.On("Commit", "slots/1", c.fault)
				fake.Inject(func(call firestorefake.Call) firestorefake.Fault {
					if call.Method == "Commit" {
						tries.Add(1)
					}
					return hook(call)
				})
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				begun := time.Now()
				err := s.Commit(ctx, "c", partition.Change{Slots: []*lease.Slot{{Number: 1, Generation: 1}}})
				if !errors.Is(err, lease.ErrStore) || errors.Is(err, lease.ErrConflict) {
					t.Errorf("got %v, want a failure of the store", err)
				}
				if took := time.Since(begun); took >= 27*time.Second {
					t.Errorf("took %v of 30 s", took)
				}
				if n := tries.Load(); c.tries > 0 && n != c.tries {
					t.Errorf("took %d tries, want %d", n, c.tries)
				}
				fake.Inject(nil)
			})
		})
	}
}

// TestCommitEndsWithItsContext cancels a commit that nobody answers.
func TestCommitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, fake *firestorefake.Server, s *firestoredb.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		fake.Inject(func(firestorefake.Call) firestorefake.Fault {
			cancel()
			return firestorefake.Fault{Delay: time.Hour}
		})
		begun := time.Now()
		err := s.Commit(ctx, "c", partition.Change{Slots: []*lease.Slot{{Number: 1}}})
		if !errors.Is(err, lease.ErrStore) || !errors.Is(err, context.Canceled) || time.Since(begun) != 0 {
			t.Errorf("after %v: %v, want a failure of the store that tells of the cancellation", time.Since(begun), err)
		}
		fake.Inject(nil)
	})
}

// TestUnknownOutcomeIsFoundOut lets the store be away for a while after it applied a commit.
func TestUnknownOutcomeIsFoundOut(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, fake *firestorefake.Server, s *firestoredb.Store) {
		fake.Inject(firestorefake.First(5, firestorefake.On("", "", firestorefake.Fault{Lost: true})))
		slot := lease.Slot{Number: 1, Generation: 1}
		if err := s.Commit(t.Context(), "c", partition.Change{Slots: []*lease.Slot{&slot}}); err != nil {
			t.Fatal(err)
		}
		stored, err := s.Slot(t.Context(), "c", 1)
		if err != nil || !stored.Version.Equal(slot.Version) {
			t.Errorf("stored slot %+v, error %v; ours %+v", stored, err, slot)
		}
	})
}

// TestSnapshotEndsWithItsContext has neither the reads nor the end of the transaction answered.
func TestSnapshotEndsWithItsContext(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, fake *firestorefake.Server, s *firestoredb.Store) {
		fake.Inject(func(c firestorefake.Call) firestorefake.Fault {
			if c.Method == "BeginTransaction" {
				return firestorefake.Fault{}
			}
			return firestorefake.Fault{Delay: time.Hour}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := s.Snapshot(ctx, "c")
		if !errors.Is(err, lease.ErrStore) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want a failure of the store that tells of the deadline", err)
		}
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("took %v of 10 s", took)
		}
	})
}
