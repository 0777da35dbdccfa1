package changestream

import (
	"errors"
	"regexp"
	"strings"
	"time"
)

// Statement is the SQL of a partition query and its parameters by name: time.Time, int64, or *string where nil is NULL.
type Statement struct {
	SQL    string
	Params map[string]any
}

// Decoder decodes rows of one partition query. It is not safe for concurrent use.
type Decoder interface {
	// Decode appends the records of a row's first column to dst: data changes, then heartbeats, then children. What it
	// cannot understand is *Undecodable. Records share what they have in common (Columns): do not change them.
	Decode(dst []Record, column Value) ([]Record, error)
}

// Dialect is all that differs between the databases that have change streams: how a partition is asked for, and how its
// rows are read.
type Dialect struct {
	Name string // as information_schema.database_options has it

	statement func(stream string, q Query) Statement
	name      *regexp.Regexp
	decoder   func(column Shape) (Decoder, error)
}

// Statement is the query of one partition of the stream. A name that no stream can have is an error, never SQL.
func (d *Dialect) Statement(stream string, q Query) (Statement, error) {
	if !d.name.MatchString(stream) {
		return Statement{}, errors.New("no change stream can have the name " + excerpt(stream))
	}
	return d.statement(stream, q), nil
}

// Decoder is made once for each query, from the type of its column.
func (d *Dialect) Decoder(column Shape) (Decoder, error) { return d.decoder(column) }

// The dialects, for streams with the default partition mode.
var (
	GoogleSQL = &Dialect{
		Name: "GOOGLE_STANDARD_SQL",
		statement: func(stream string, q Query) Statement {
			return Statement{
				SQL: "SELECT ChangeRecord FROM `READ_" + stream + "`(start_timestamp => @start, end_timestamp => @end, " +
					"partition_token => @token, heartbeat_milliseconds => @heartbeat)",
				Params: q.params("start", "end", "token", "heartbeat"),
			}
		},
		name:    regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,127}$`),
		decoder: func(column Shape) (Decoder, error) { return newStructDecoder(column) },
	}
	PostgreSQL = &Dialect{
		Name: "POSTGRESQL",
		statement: func(stream string, q Query) Statement {
			return Statement{
				SQL:    `SELECT * FROM "spanner"."read_json_` + strings.ReplaceAll(stream, `"`, `""`) + `"($1, $2, $3, $4, null)`,
				Params: q.params("p1", "p2", "p3", "p4"),
			}
		},
		name:    regexp.MustCompile(`^[^\x00]{1,128}$`), // it is quoted
		decoder: func(Shape) (Decoder, error) { return jsonDecoder{}, nil },
	}
)

// ErrMutable refuses streams whose partitions have movable key ranges: they are asked for with another function or
// another end, and answer with partition start, end and event records. To support them is to give DialectOf a third and a
// fourth value, and Record the events.
var ErrMutable = errors.New("partition_mode MUTABLE_KEY_RANGE is not supported: create the change stream with partition_mode='IMMUTABLE_KEY_RANGE'")

// DialectOf finds the dialect by the database's option database_dialect ("" is GoogleSQL) and the stream's option
// partition_mode ("" is the default mode). Errors: ErrMutable, or one that names the option it does not know.
func DialectOf(database, mode string) (*Dialect, error) {
	switch mode {
	case "", "IMMUTABLE_KEY_RANGE":
	case "MUTABLE_KEY_RANGE":
		return nil, ErrMutable
	default:
		return nil, errors.New("unknown partition_mode " + excerpt(mode))
	}
	switch database {
	case "", GoogleSQL.Name:
		return GoogleSQL, nil
	case PostgreSQL.Name:
		return PostgreSQL, nil
	}
	return nil, errors.New("unknown database_dialect " + excerpt(database))
}

// params are a query's parameters. The root is asked for without a token.
func (q Query) params(start, end, token, heartbeat string) map[string]any {
	var t *string
	if q.Token != RootToken {
		t = &q.Token
	}
	return map[string]any{start: q.Start.UTC(), end: q.End.UTC(), token: t, heartbeat: int64(q.Heartbeat / time.Millisecond)}
}
