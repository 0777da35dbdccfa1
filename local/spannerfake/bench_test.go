package spannerfake

import (
	"errors"
	"testing"

	"cloud.google.com/go/spanner"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
)

func benched(b *testing.B) (*Server, *Database) {
	b.Helper()
	s := New(Options{})
	b.Cleanup(func() { _ = s.Close() })
	d, err := s.Database(testDB)
	if err == nil {
		err = d.DDL(singers, "CREATE CHANGE STREAM s FOR ALL")
	}
	if err != nil {
		b.Fatal(err)
	}
	return s, d
}

// BenchmarkCommit is one change in one transaction, without a client.
func BenchmarkCommit(b *testing.B) {
	_, d := benched(b)
	b.ReportAllocs()
	columns := []string{"Id", "Name", "Age"}
	for n := 0; b.Loop(); n++ {
		if _, err := d.Apply(InsertOrUpdate("Singers", columns, n%5000, "somebody", n)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
}

// BenchmarkQuery is the reading of a hundred thousand changes with the real client.
func BenchmarkQuery(b *testing.B) {
	s, d := benched(b)
	const changes = 100_000
	columns := []string{"Id", "Name", "Age"}
	for n := range changes {
		if _, err := d.Apply(InsertOrUpdate("Singers", columns, n%5000, "somebody", n)); err != nil {
			b.Fatal(err)
		}
	}
	conn, err := s.Conn()
	if err != nil {
		b.Fatal(err)
	}
	c, err := spanner.NewClientWithConfig(b.Context(), testDB, spanner.ClientConfig{DisableNativeMetrics: true}, option.WithGRPCConn(conn))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close(); _ = conn.Close() })
	for b.Loop() {
		seen := 0
		for _, p := range d.Partitions("s") {
			st := spanner.NewStatement("SELECT ChangeRecord FROM READ_s(@s, @e, @t, 1000)")
			st.Params["s"], st.Params["e"], st.Params["t"] = p.Start, s.Now(), p.Token
			it := c.Single().Query(b.Context(), st)
			for {
				_, err := it.Next()
				if errors.Is(err, iterator.Done) {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				seen++
			}
		}
		if seen != changes {
			b.Fatalf("%d of %d changes", seen, changes)
		}
	}
	b.ReportMetric(float64(b.N)*changes/b.Elapsed().Seconds(), "changes/s")
}
