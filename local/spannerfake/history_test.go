package spannerfake

import (
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	"google.golang.org/grpc/codes"
)

// TestRetention lets time pass: what is too old is refused with the earliest time there is, and forgotten.
func TestRetention(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL OPTIONS (retention_period = '24h')")
	p := w.Partitions("s")[0]
	old := w.mustApply(t, Insert("Singers", []string{"Id"}, 1))
	_, err := w.all(t, "s", p.Token, p.Start.Add(-1), old)
	if spanner.ErrCode(err) != codes.OutOfRange || !strings.Contains(err.Error(), "too far in the past") || !strings.Contains(err.Error(), zoned(p.Start)) {
		t.Errorf("before the stream was: %v", err)
	}
	w.Advance(25 * time.Hour)
	_, err = w.all(t, "s", p.Token, old, old)
	if spanner.ErrCode(err) != codes.OutOfRange || !strings.Contains(err.Error(), "too far in the past") {
		t.Errorf("too old: %v", err)
	}
	w.mustApply(t, Insert("Singers", []string{"Id"}, 2))
	if n := w.Partitions("s")[0].Records; n != 1 {
		t.Errorf("%d records are kept", n)
	}
	if err := w.DDL("ALTER CHANGE STREAM s SET OPTIONS (retention_period = '7d')"); err != nil {
		t.Fatal(err)
	}
	// A partition that ended long ago is forgotten; its token is then nobody's.
	_, right, _, err := w.Split(p.Token)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance(30 * 24 * time.Hour)
	if _, _, err := w.Move(right); err != nil {
		t.Fatal(err)
	}
	now := w.Now()
	if _, err := w.all(t, "s", p.Token, now, now); spanner.ErrCode(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "partition_token is invalid") {
		t.Errorf("a forgotten token: %v", err)
	}
}

// TestMostRecords: more records than are kept move the earliest time that can be read, and nothing is skipped quietly.
func TestMostRecords(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1, MaxRecords: 3}, singers, "CREATE CHANGE STREAM s FOR ALL")
	p := w.Partitions("s")[0]
	var times []time.Time
	for i := range 5 {
		times = append(times, w.mustApply(t, Insert("Singers", []string{"Id"}, i)))
	}
	if _, err := w.all(t, "s", p.Token, p.Start, times[4]); spanner.ErrCode(err) != codes.OutOfRange || !strings.Contains(err.Error(), zoned(times[1].Add(1))) {
		t.Errorf("got %v", err)
	}
	if recs := w.must(t, "s", p.Token, times[2], times[4]); kinds(recs) != "ddd" {
		t.Errorf("got %s", kinds(recs))
	}
}

func TestClockMayStandOrGoBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	w := setup(t, Options{Clock: func() time.Time { return now }}, singers)
	last := now
	for i := range 3 {
		w.Advance(-time.Duration(i) * time.Hour)
		at := w.mustApply(t, InsertOrUpdate("Singers", []string{"Id"}, 1))
		if !at.After(last) || at.Nanosecond()%1000 != 0 || at.Sub(last) > time.Millisecond {
			t.Errorf("committed at %v after %v", at, last)
		}
		last = at
	}
}
