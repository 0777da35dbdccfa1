package spannerfake

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"sluice.example/shared/changestream"
)

// follow runs a query and hands its records on, until it ends or ctx does.
func follow(ctx context.Context, t *testing.T, w *world, token string, start, end time.Time, beat time.Duration) (<-chan changestream.Record, <-chan error) {
	t.Helper()
	out, done := make(chan changestream.Record, 1000), make(chan error, 1)
	go func() {
		done <- w.ask(ctx, "s", token, start, end, beat, func(v *structpb.Value) bool {
			out <- decode(t, v)
			return true
		})
		close(out)
	}()
	return out, done
}

// TestLiveQuery runs on the bubble's clock: every time is exact.
func TestLiveQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
		token := w.Partitions("s")[0].Token
		start := time.Now()
		recs, done := follow(t.Context(), t, w, token, start, start.Add(10*time.Second), 2*time.Second)

		beat := <-recs
		if since := time.Since(start); since != 2*time.Second || beat.Heartbeat == nil || !beat.Time().Equal(time.Now()) {
			t.Fatalf("after %v: %+v", since, beat)
		}
		// A commit at the very time of a heartbeat comes after it.
		at := w.mustApply(t, Insert("Singers", []string{"Id"}, 1))
		if !at.After(beat.Time()) {
			t.Errorf("committed at %v, told complete up to %v", at, beat.Time())
		}
		before := time.Now()
		if r := <-recs; r.Data == nil || !r.Time().Equal(at) || !time.Now().Equal(before) {
			t.Errorf("the change came after %v: %+v", time.Since(before), r)
		}
		// With data there is no heartbeat until the interval has passed again.
		time.Sleep(1500 * time.Millisecond)
		at = w.mustApply(t, Update("Singers", []string{"Id", "Age"}, 1, 5))
		if r := <-recs; r.Data == nil || !r.Time().Equal(at) {
			t.Errorf("second change: %+v", r)
		}
		for _, want := range []time.Duration{5500 * time.Millisecond, 7500 * time.Millisecond, 9500 * time.Millisecond} {
			if r := <-recs; r.Heartbeat == nil || r.Time().Sub(start) != want {
				t.Errorf("heartbeat at %v instead of %v: %+v", r.Time().Sub(start), want, r)
			}
		}
		if err := <-done; err != nil || time.Since(start) != 10*time.Second {
			t.Errorf("ended after %v: %v", time.Since(start), err)
		}
	})
}

func TestQueryWhoseEndHasPassed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
		token := w.Partitions("s")[0].Token
		time.Sleep(time.Second)
		start := time.Now()
		at := w.mustApply(t, Insert("Singers", []string{"Id"}, 1))
		time.Sleep(time.Second)
		// Both ends are inclusive, and after data there is nothing more.
		if r := w.must(t, "s", token, at, at); len(r) != 1 || r[0].Data == nil {
			t.Errorf("from and to the commit: %+v", r)
		}
		end := start.Add(time.Second / 2).Add(1)
		empty := w.must(t, "s", token, at.Add(1), end)
		if len(empty) != 1 || empty[0].Heartbeat == nil || !empty[0].Time().Equal(end) {
			t.Errorf("nothing to say is one heartbeat at the end: %+v", empty)
		}
		// An end that is now is passed: nothing is committed at it any more.
		now := time.Now()
		w.must(t, "s", token, at.Add(1), now)
		if at := w.mustApply(t, Insert("Singers", []string{"Id"}, 2)); !at.After(now) {
			t.Errorf("committed at %v after a query up to %v", at, now)
		}
	})
}

func TestFutureStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
		token := w.Partitions("s")[0].Token
		begin := time.Now()
		recs, done := follow(t.Context(), t, w, token, begin.Add(time.Minute), begin.Add(2*time.Minute), 30*time.Second)
		w.mustApply(t, Insert("Singers", []string{"Id"}, 1)) // before the start: not to be seen
		if r := <-recs; r.Heartbeat == nil || r.Time().Sub(begin) != 90*time.Second {
			t.Errorf("first: %+v", r)
		}
		if err := <-done; err != nil || time.Since(begin) != 2*time.Minute {
			t.Errorf("ended after %v: %v", time.Since(begin), err)
		}
		begin = time.Now()
		if roots := w.must(t, "s", "", begin.Add(time.Minute), time.Time{}); len(roots) != 1 || time.Since(begin) != time.Minute {
			t.Errorf("roots of the future after %v: %+v", time.Since(begin), roots)
		}
	})
}

func TestLiveQuerySeesItsPartitionEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
		token := w.Partitions("s")[0].Token
		recs, done := follow(t.Context(), t, w, token, time.Now(), time.Time{}, time.Minute)
		synctest.Wait()
		before := time.Now()
		at := w.mustApply(t, Insert("Singers", []string{"Id"}, 1))
		_, _, split, err := w.Split(token)
		if err != nil {
			t.Fatal(err)
		}
		if r := <-recs; r.Data == nil || !r.Time().Equal(at) {
			t.Errorf("first: %+v", r)
		}
		if r := <-recs; r.Children == nil || !r.Time().Equal(split) {
			t.Errorf("then: %+v", r)
		}
		if err := <-done; err != nil || !time.Now().Equal(before) {
			t.Errorf("ended after %v: %v", time.Since(before), err)
		}
	})
}

func TestAdvanceWakes(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
	token := w.Partitions("s")[0].Token
	recs, done := follow(t.Context(), t, w, token, w.Now(), w.Now().Add(time.Hour), time.Minute)
	for w.QueriesOf(token) == 0 { // until it is there
		if _, err := w.Apply(InsertOrUpdate("Singers", []string{"Id"}, 1)); err != nil {
			t.Fatal(err)
		}
	}
	w.Advance(2 * time.Hour)
	if err := <-done; err != nil {
		t.Error(err)
	}
	for range recs {
	}
	if at := w.mustApply(t, Insert("Singers", []string{"Id"}, 2)); time.Until(at) < time.Hour {
		t.Errorf("committed at %v", at)
	}
}

func TestCloseEndsLiveQueries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
		w.Churn(time.Minute, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // the client tries again until then
		defer cancel()
		_, done := follow(ctx, t, w, w.Partitions("s")[0].Token, time.Now(), time.Time{}, time.Second)
		synctest.Wait()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err == nil {
			t.Error("the query ended cleanly")
		}
		if err := w.Close(); err != nil {
			t.Errorf("second close: %v", err)
		}
	})
}

func TestDroppedStreamEndsItsQueries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL")
		_, done := follow(t.Context(), t, w, w.Partitions("s")[0].Token, time.Now(), time.Time{}, time.Minute)
		synctest.Wait()
		if err := w.DDL("DROP CHANGE STREAM s"); err != nil {
			t.Fatal(err)
		}
		if err := <-done; status.Code(err) != codes.NotFound {
			t.Error(err)
		}
	})
}
