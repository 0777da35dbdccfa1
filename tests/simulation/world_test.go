package simulation

import (
	"context"
	"time"

	"cloud.google.com/go/spanner"
	"google.golang.org/api/option"
)

const databasePath = "projects/p/instances/i/databases/d"

// database makes the database and a client that writes to it.
func (s *storm) database(ctx context.Context) *spanner.Client {
	d, err := s.spanner.Database(databasePath)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := d.DDL("CREATE TABLE T (id INT64 NOT NULL, seq INT64) PRIMARY KEY (id)",
		"CREATE CHANGE STREAM S FOR ALL OPTIONS (value_capture_type = 'NEW_ROW')"); err != nil {
		s.t.Fatal(err)
	}
	client, err := spanner.NewClientWithConfig(ctx, databasePath, spanner.ClientConfig{DisableNativeMetrics: true}, option.WithGRPCConn(s.spannerConn()))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(client.Close)
	return client
}

// churn splits and merges partitions until the storm is over.
func (s *storm) churn(ctx context.Context) {
	stop := s.spanner.Churn(700*time.Millisecond, s.seed)
	defer stop()
	for ctx.Err() == nil && s.raging() {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}
