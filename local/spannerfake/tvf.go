package spannerfake

import (
	"strings"
	"time"

	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Query is one partition query, as it was asked for.
type Query struct {
	Stream    string
	Token     string // "": the initial query
	Start     time.Time
	End       time.Time // zero: none, until the partition ends
	Heartbeat time.Duration
	At        time.Time // when it came
	Resumed   bool      // by a client whose connection broke; it goes on where that one stopped
}

// readFunction is what the name of a stream's read function begins with.
const readFunction = "READ_"

// arguments of a read function, in order.
var arguments = []string{"start_timestamp", "end_timestamp", "partition_token", "heartbeat_milliseconds", "read_options"}

// changeQuery reads the call of a read function out of a SELECT; nil when the statement is another one. Only the column
// ChangeRecord can be selected, and nothing else may be in the statement.
func changeQuery(sel *ast.Select, env *env) (*Query, error) {
	if sel.From == nil {
		return nil, nil
	}
	call, ok := sel.From.Source.(*ast.TVFCallExpr)
	if !ok {
		return nil, nil
	}
	_, name := nameOf(call.Name)
	stream, ok := strings.CutPrefix(name, readFunction)
	if !ok {
		return nil, status.Errorf(codes.InvalidArgument, "Table-valued function not found: %s", name)
	}
	if err := plain(sel); err != nil {
		return nil, err
	}
	given := make(map[string]ast.Expr)
	for i, a := range call.Args {
		e, ok := a.(*ast.ExprArg)
		if !ok || i >= len(arguments) {
			return nil, status.Errorf(codes.InvalidArgument, "No matching signature for table-valued function %s", name)
		}
		given[arguments[i]] = e.Expr
	}
	for _, a := range call.NamedArgs {
		given[strings.ToLower(a.Name.Name)] = a.Value
	}
	q := &Query{Stream: stream}
	for name, e := range given {
		v, err := env.eval(e)
		if err != nil {
			return nil, err
		}
		if err := q.set(name, v); err != nil {
			return nil, err
		}
	}
	if q.Start.IsZero() {
		return nil, status.Error(codes.InvalidArgument, "start_timestamp must not be null.")
	}
	if given["heartbeat_milliseconds"] == nil || q.Heartbeat == 0 {
		return nil, status.Error(codes.InvalidArgument, "heartbeat_milliseconds must not be null.")
	}
	return q, nil
}

// plain refuses what a query of a change stream may not have.
func plain(sel *ast.Select) error {
	refuse := status.Error(codes.InvalidArgument, "A change stream query may only select ChangeRecord from its read function")
	if sel.Where != nil || sel.GroupBy != nil || sel.Having != nil || sel.AllOrDistinct != "" || len(sel.Results) != 1 {
		return refuse
	}
	switch item := sel.Results[0].(type) {
	case *ast.Star:
		return nil
	case *ast.ExprSelectItem:
		if id, ok := item.Expr.(*ast.Ident); ok && strings.EqualFold(id.Name, "ChangeRecord") {
			return nil
		}
	}
	return refuse
}

func (q *Query) set(name string, v cell) error {
	text := v.GetStringValue()
	switch name {
	case "start_timestamp", "end_timestamp":
		if isNull(v.Value) {
			return nil
		}
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return status.Errorf(codes.InvalidArgument, "Could not cast literal %q to type TIMESTAMP", text)
		}
		if name == "start_timestamp" {
			q.Start = at.UTC()
		} else {
			q.End = at.UTC()
		}
	case "partition_token":
		q.Token = text
	case "heartbeat_milliseconds":
		if isNull(v.Value) {
			return nil
		}
		n, err := parseInt(text)
		if err != nil {
			return status.Errorf(codes.InvalidArgument, "Could not cast literal %q to type INT64", text)
		}
		if n < 100 || n > 300_000 {
			return status.Errorf(codes.OutOfRange, "heartbeat_milliseconds must be within min 100 and max 300000. Received heartbeat_milliseconds: %d.", n)
		}
		q.Heartbeat = time.Duration(n) * time.Millisecond
	case "read_options":
		if !isNull(v.Value) {
			return status.Error(codes.Unimplemented, "read_options must be null.")
		}
	default:
		return status.Errorf(codes.InvalidArgument, "Named argument %s not found in the read function's signature", name)
	}
	return nil
}

// zoned is a timestamp as the emulator's messages have it.
func zoned(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999999999-07:00") }

// farFuture is how far ahead a query may start, as with the emulator.
const farFuture = 10 * time.Minute

// admit finds what a query is about, or refuses it as Spanner would; the database's lock is held. The partition is nil
// for the initial query.
func (d *Database) admit(q *Query) (*stream, *partition, error) {
	s := d.streams[q.Stream]
	if s == nil {
		return nil, nil, status.Errorf(codes.InvalidArgument, "Table-valued function not found: %s%s", readFunction, q.Stream)
	}
	if s.movable() {
		return nil, nil, status.Errorf(codes.Unimplemented, "the fake describes change streams with movable key ranges, but does not serve them: %s", s.name)
	}
	if !q.End.IsZero() && q.Start.After(q.End) {
		return nil, nil, status.Errorf(codes.InvalidArgument, "If end_timestamp is specified, start_timestamp must be <= end_timestamp. Received start_timestamp: %s, end_timestamp: %s.", zoned(q.Start), zoned(q.End))
	}
	var p *partition
	if q.Token != "" {
		if p = s.byToken[q.Token]; p == nil {
			return nil, nil, status.Errorf(codes.InvalidArgument, "Specified partition_token is invalid, as it does not belong to the Change Stream associated with the TVF. Received partition_token: %s.", q.Token)
		}
	}
	now := d.server.Now()
	earliest := s.earliest(now)
	if q.Start.Before(earliest) {
		return nil, nil, tooOld(earliest, q.Start)
	}
	if latest := now.Add(farFuture); q.Start.After(latest) {
		return nil, nil, status.Errorf(codes.OutOfRange, "Specified start_timestamp is too far in the future. Please specify a start_timestamp within the earliest read timestamp: %s, and the current maximum start timestamp: %s. Received start_timestamp: %s.", zoned(earliest), zoned(latest), zoned(q.Start))
	}
	if p != nil && (q.Start.Before(p.start) || !p.end.IsZero() && q.Start.After(p.end)) {
		return nil, nil, Refusal(p.start, p.end, q.Start)
	}
	return s, p, nil
}

func tooOld(earliest, start time.Time) error {
	return status.Errorf(codes.OutOfRange, "Specified start_timestamp is too far in the past. Please specify a start_timestamp within the earliest read timestamp: %s. Received start_timestamp: %s.", zoned(earliest), zoned(start))
}

// Refusal is Spanner's refusal of a start outside a partition's time, which names that time; to zero: it goes on.
func Refusal(from, to, start time.Time) error {
	end := zoned(to)
	if to.IsZero() {
		end = "infinite-future"
	}
	return status.Errorf(codes.OutOfRange, "Specified start_timestamp is invalid for the partition. Please specify a start_timestamp within %s and %s. Received start_timestamp: %s.", zoned(from), end, zoned(start))
}
