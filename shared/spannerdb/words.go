package spannerdb

import (
	"cloud.google.com/go/spanner"

	"sluice.example/shared/changestream"
)

// words are what differs between the dialects' information_schema. All queries of it read one view, without joins, so that
// they are the same for both and for a server that stands in.
type words struct {
	schema string // of tables without a named schema
	param  string // the one parameter, as SQL has it
	key    string // and as the request has it
	all    string // the column "all", whose name is a keyword
}

func wordsOf(d *changestream.Dialect) words {
	if d == changestream.PostgreSQL {
		return words{schema: "public", param: "$1", key: "p1", all: `"all"`}
	}
	return words{param: "@stream", key: "stream", all: "`all`"}
}

// ofStream is a query of one view for the rows of one stream.
func (w words) ofStream(columns, view, stream string) spanner.Statement {
	return spanner.Statement{
		SQL:    "SELECT " + columns + " FROM information_schema." + view + " WHERE change_stream_name = " + w.param,
		Params: map[string]any{w.key: stream},
	}
}

// system tells the schemas of the database itself.
func system(schema string) bool {
	switch schema {
	case "INFORMATION_SCHEMA", "SPANNER_SYS", "information_schema", "spanner_sys", "pg_catalog":
		return true
	}
	return false
}
