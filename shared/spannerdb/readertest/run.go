// Package readertest says what Sluice relies on in Spanner, as tests that any server of its API can be held to: the fake
// always, the emulator when it is there. What they agree on here is what the fake may be trusted for.
//
// Partitions may split, merge and move at any moment: no case relies on one to live on.
package readertest

import (
	"strings"
	"testing"

	"cloud.google.com/go/spanner"
	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"

	"sluice.example/shared/changestream"
	"sluice.example/shared/connector"
	"sluice.example/shared/spannerdb"
)

// Server is a Spanner under test.
type Server struct {
	// Create makes a new database; all that goes with it ends with the test.
	Create func(t *testing.T, dialect databasepb.DatabaseDialect, ddl ...string) Database
	// End makes every partition of the database end soon; nil when the server does so by itself.
	End func(t *testing.T, db Database)
	// TablesOnly is a server without indexes, views, named schemas and the PostgreSQL dialect.
	TablesOnly bool
	// WholeSeconds is a server that leaves the fraction of a TIMESTAMP out of its changes (TY-07), as the emulator of
	// Google Cloud SDK 528.0.0 does.
	WholeSeconds bool
}

// says is what a change says of values, as this server does.
func (s Server) says(values string) string {
	if s.WholeSeconds {
		return strings.ReplaceAll(values, ".123456789Z", "Z")
	}
	return values
}

// Database is a database with its schema, and no data.
type Database struct {
	Settings connector.Settings // without stream
	Options  []spannerdb.Option // to open it with
	Writer   *spanner.Client
}

const (
	google   = databasepb.DatabaseDialect_GOOGLE_STANDARD_SQL
	postgres = databasepb.DatabaseDialect_POSTGRESQL
)

// Run holds a server to everything. Cases run beside each other.
func Run(t *testing.T, s Server) {
	cases := map[string]func(*testing.T, Server){
		"RootNamesPartitions":        rootNamesPartitions,
		"EveryType":                  everyType,
		"BothEndsAreInclusive":       bothEndsAreInclusive,
		"WholeTransactions":          wholeTransactions,
		"NothingThereIsAHeartbeat":   nothingThereIsAHeartbeat,
		"LiveQueryTellsOfItself":     liveQueryTellsOfItself,
		"LeavingEndsTheQuery":        leavingEndsTheQuery,
		"CanceledIsTheCallers":       canceledIsTheCallers,
		"PartitionEndsWithChildren":  partitionEndsWithChildren,
		"LC-13 StartBeforeTheStream": startBeforeTheStream,
		"UnknownToken":               unknownToken,
		"UnknownStream":              unknownStream,
		"SK-04 ColumnsOfTheStream":   columnsOfTheStream,
		"TablesOfTheStream":          tablesOfTheStream,
		"Check":                      check,
	}
	if !s.TablesOnly {
		cases["SK-07 ColumnInSeveralIndexes"] = columnInSeveralIndexes
		cases["ViewsAndSchemas"] = viewsAndSchemas
		cases["SK-18 PostgreSQL"] = postgreSQL
		cases["SK-18 PostgreSQLTypes"] = postgreSQLTypes
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

// open is the database as the product opens it, closed with the test.
func open(t *testing.T, db Database) *spannerdb.Database {
	t.Helper()
	d, err := spannerdb.Open(t.Context(), db.Settings, db.Options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// simple is a database with table T(id, v) and stream S of it, and its reader.
func simple(t *testing.T, s Server) (Database, changestream.Reader) {
	t.Helper()
	db := s.Create(t, google, "CREATE TABLE T (id INT64 NOT NULL, v STRING(MAX)) PRIMARY KEY (id)", "CREATE CHANGE STREAM S FOR ALL")
	return db, open(t, db).Reader("S")
}
