package spannerdb

import (
	"fmt"
	"strings"

	"cloud.google.com/go/spanner"

	"sluice.example/shared/changestream"
)

// dialect is what differs between databases: the statement of a partition query and the decoding of its rows. A stream
// with movable key ranges would be another one; Streams refuses it by name until it is.
type dialect struct {
	statement func(stream string, q changestream.Query) spanner.Statement
	decoder   func(row *spanner.Row) (decode, error)
	schema    string // of tables without a named schema
	quote     func(name string) string
}

// decode appends the records of one row.
type decode func(dst []changestream.Record, row *spanner.Row) ([]changestream.Record, error)

var googleSQL = dialect{
	statement: func(stream string, q changestream.Query) spanner.Statement {
		st := spanner.NewStatement("SELECT ChangeRecord FROM READ_" + stream +
			"(start_timestamp => @start, end_timestamp => @end, partition_token => @token, heartbeat_milliseconds => @heartbeat)")
		bind(st.Params, q, "start", "end", "token", "heartbeat")
		return st
	},
	decoder: func(row *spanner.Row) (decode, error) {
		d, err := changestream.NewDecoder(shape(row.ColumnType(0)))
		if err != nil {
			return nil, err
		}
		return func(dst []changestream.Record, row *spanner.Row) ([]changestream.Record, error) {
			return d.Decode(dst, value{row.ColumnValue(0)})
		}, nil
	},
	quote: func(name string) string { return "`" + name + "`" },
}

var postgreSQL = dialect{
	statement: func(stream string, q changestream.Query) spanner.Statement {
		name := strings.ReplaceAll("read_json_"+stream, `"`, `""`)
		st := spanner.NewStatement(fmt.Sprintf(`SELECT * FROM "spanner"."%s"($1, $2, $3, $4, null)`, name))
		bind(st.Params, q, "p1", "p2", "p3", "p4")
		return st
	},
	decoder: func(*spanner.Row) (decode, error) {
		return func(dst []changestream.Record, row *spanner.Row) ([]changestream.Record, error) {
			text, ok := value{row.ColumnValue(0)}.Text()
			if !ok {
				return dst, &changestream.Undecodable{Field: "read_json", Reason: "is not text"}
			}
			return changestream.DecodeJSON(dst, text)
		}, nil
	},
	schema: "public",
	quote:  func(name string) string { return `"` + name + `"` },
}

// bind sets the parameters of a partition query. The root is asked for without a token.
func bind(params map[string]any, q changestream.Query, start, end, token, heartbeat string) {
	params[start], params[end], params[heartbeat] = q.Start, q.End, q.Heartbeat.Milliseconds()
	params[token] = spanner.NullString{StringVal: q.Token, Valid: q.Token != changestream.RootToken}
}
