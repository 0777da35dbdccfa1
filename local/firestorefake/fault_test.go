package firestorefake_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sluice.example/local/firestorefake"
)

// bubble is a fake and a client within a testing/synctest bubble, where a delay takes no time.
func bubble(t *testing.T, test func(*testing.T, *firestorefake.Server, *firestore.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		fake, err := firestorefake.New(firestorefake.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := client(t.Context(), fake)
		if err != nil {
			t.Fatal(err)
		}
		test(t, fake, c)
		if err := errors.Join(c.Close(), fake.Close()); err != nil {
			t.Error(err)
		}
	})
}

var one = map[string]any{"n": 1}

func TestLostReplyIsApplied(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, fake *firestorefake.Server, c *firestore.Client) {
		fake.Inject(firestorefake.First(1, firestorefake.On("Commit", "c/a", firestorefake.Fault{Lost: true})))
		// The client sends the creation again, which finds the first.
		if _, err := c.Doc("c/a").Create(t.Context(), one); status.Code(err) != codes.AlreadyExists {
			t.Errorf("creation whose reply is lost: %v, want AlreadyExists", err)
		}
	})
}

func TestFaultsAreForTheirDocuments(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, fake *firestorefake.Server, c *firestore.Client) {
		fake.Inject(firestorefake.On("Commit", "c/a", firestorefake.Fault{Code: codes.Aborted}))
		if _, err := c.Doc("c/a").Set(t.Context(), one); status.Code(err) != codes.Aborted {
			t.Errorf("the document of the fault: %v, want Aborted", err)
		}
		if _, err := c.Doc("c/b").Set(t.Context(), one); err != nil {
			t.Errorf("another document: %v", err)
		}
		if doc, err := c.Doc("c/a").Get(t.Context()); status.Code(err) != codes.NotFound || doc.Exists() {
			t.Errorf("the refused document: %v, error %v; want NotFound", doc, err)
		}
		fake.Inject(firestorefake.On("RunQuery", "c", firestorefake.Fault{Code: codes.PermissionDenied}))
		if _, err := c.Collection("c").Documents(t.Context()).GetAll(); status.Code(err) != codes.PermissionDenied {
			t.Errorf("the query of the fault: %v, want PermissionDenied", err)
		}
		fake.Inject(nil)
		if all, err := c.Collection("c").Documents(t.Context()).GetAll(); err != nil || len(all) != 1 {
			t.Errorf("without faults: %v, error %v", all, err)
		}
	})
}

func TestDelayEndsWithTheCall(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, fake *firestorefake.Server, c *firestore.Client) {
		var calls atomic.Int64
		fake.Inject(func(call firestorefake.Call) firestorefake.Fault {
			calls.Add(1)
			return firestorefake.Fault{Delay: 30 * time.Second}
		})
		begun := time.Now()
		if _, err := c.Doc("c/a").Set(t.Context(), one); err != nil {
			t.Errorf("a slow commit: %v", err)
		}
		if took := time.Since(begun); took != 30*time.Second {
			t.Errorf("a delay of 30 s took %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Doc("c/a").Set(ctx, one); err == nil {
			t.Error("a commit slower than its deadline succeeded")
		}
		if n := calls.Load(); n != 2 {
			t.Errorf("the hook saw %d calls, want 2", n)
		}
	})
}

// TestClockIsTheServersOwn puts it forward and back: times follow it forward, and never go back.
func TestClockIsTheServersOwn(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, fake *firestorefake.Server, c *firestore.Client) {
		write := func(n int) time.Time {
			result, err := c.Doc("c/a").Set(t.Context(), map[string]any{"n": n})
			if err != nil {
				t.Fatal(err)
			}
			return result.UpdateTime
		}
		start := write(0)
		if time.Until(start).Abs() > time.Microsecond {
			t.Errorf("commit at %v, the clock says %v", start, time.Now())
		}
		fake.Advance(10 * time.Minute)
		ahead := write(1)
		if d := ahead.Sub(start); d < 10*time.Minute || d > 10*time.Minute+time.Second {
			t.Errorf("ten minutes ahead, the next commit is %v later", d)
		}
		fake.Advance(-10 * time.Minute)
		back := write(2)
		if d := back.Sub(ahead); d != time.Microsecond {
			t.Errorf("ten minutes back, the next commit is %v later", d)
		}
		missing, err := c.Doc("c/none").Get(t.Context())
		if status.Code(err) != codes.NotFound || missing.ReadTime.Before(back) {
			t.Errorf("a read at %v after a commit at %v, error %v", missing.ReadTime, back, err)
		}
	})
}

// TestTransactionsThatNobodyEndsAreDropped begins one and lets its time pass.
func TestTransactionsThatNobodyEndsAreDropped(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, fake *firestorefake.Server, c *firestore.Client) {
		err := c.RunTransaction(t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
			fake.Advance(5 * time.Minute)
			_, err := tx.Get(c.Doc("c/a"))
			return err
		}, firestore.ReadOnly)
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("a read in a transaction of five minutes: %v, want InvalidArgument", err)
		}
	})
}
