package spannerfake

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// stream is a change stream. All of it is guarded by the database's lock.
type stream struct {
	db      *Database
	name    string
	all     bool
	watched []*watch  // what is listed, in the order of the statement
	options []setting // what was set, in the order of the statement
	created time.Time
	dropped bool

	capture   string
	retention time.Duration
	without   map[string]bool // mod types; TTL: deletes by TTL; TXN: of writers who exclude themselves
	lost      time.Time       // the first time after the records forgotten early

	byToken map[string]*partition
	ordered []*partition // oldest first
	alive   []*partition // by position
	shapes  map[shapeKey]*shape
}

type setting struct{ name, typ, value string }

// watch is a table in a stream's FOR clause.
type watch struct {
	t       *table
	whole   bool
	columns []*column // when not whole
}

// sees is how the stream watches a table; nil: not at all.
func (s *stream) sees(t *table) *watch {
	if s.all {
		return &watch{t: t, whole: true}
	}
	for _, w := range s.watched {
		if w.t == t {
			return w
		}
	}
	return nil
}

// tracks tells whether changes of a column are captured. Generated columns that are no key never are.
func (w *watch) tracks(c *column) bool {
	return c.inKey || c.generated == "" && (w.whole || slices.Contains(w.columns, c))
}

// earliest is the first time that can be read.
func (s *stream) earliest(now time.Time) time.Time {
	at := now.Add(-s.retention)
	for _, other := range []time.Time{s.created, s.lost} {
		if other.After(at) {
			at = other
		}
	}
	return at
}

// watches reads a FOR clause; nil watches nothing.
func (s *stream) watches(f ast.ChangeStreamFor) error {
	s.all, s.watched = false, nil
	tables, ok := f.(*ast.ChangeStreamForTables)
	if !ok {
		_, s.all = f.(*ast.ChangeStreamForAll)
		return nil
	}
	for _, named := range tables.Tables {
		t := s.db.tables[named.TableName.Name]
		if t == nil {
			return status.Errorf(codes.FailedPrecondition, "Change Stream %s cannot track %s because either Change Streams do not track database objects of this type, or this Table does not exist.", s.name, named.TableName.Name)
		}
		w := &watch{t: t, whole: named.Rparen.Invalid()}
		for _, id := range named.Columns {
			c := t.column(id.Name)
			switch {
			case c == nil:
				return status.Errorf(codes.FailedPrecondition, "Change Stream %s cannot track column %s of Table %s because it does not exist.", s.name, id.Name, t.spelled())
			case c.inKey:
				return status.Errorf(codes.FailedPrecondition, "The FOR clause of Change Stream %s should not list the primary key column %s of Table %s. Please list non-key columns only, because primary key columns are always tracked if the table is tracked.", s.name, c.name, t.spelled())
			case c.generated != "":
				return status.Errorf(codes.FailedPrecondition, "Change Stream %s cannot track the generated column %s of Table %s.", s.name, c.name, t.spelled())
			}
			w.columns = append(w.columns, c)
		}
		s.watched = append(s.watched, w)
	}
	return nil
}

// set applies OPTIONS; NULL takes an option back.
func (s *stream) set(o *ast.Options) error {
	if o == nil {
		return s.resolve()
	}
	for _, r := range o.Records {
		set := setting{name: r.Name.Name}
		switch v := r.Value.(type) {
		case *ast.StringLiteral:
			set.typ, set.value = "STRING", v.Value
		case *ast.BoolLiteral:
			set.typ, set.value = "BOOL", strings.ToUpper(strconv.FormatBool(v.Value))
		case *ast.NullLiteral:
		default:
			return status.Errorf(codes.InvalidArgument, "Option %s has no literal value", set.name)
		}
		s.options = slices.DeleteFunc(s.options, func(p setting) bool { return p.name == set.name })
		if set.typ != "" {
			s.options = append(s.options, set)
		}
	}
	return s.resolve()
}

// resolve makes the options' meaning from what is set.
func (s *stream) resolve() error {
	s.capture, s.retention, s.without = "OLD_AND_NEW_VALUES", 24*time.Hour, map[string]bool{}
	for _, o := range s.options {
		switch o.name {
		case "value_capture_type":
			if !slices.Contains([]string{"OLD_AND_NEW_VALUES", "NEW_VALUES", "NEW_ROW", "NEW_ROW_AND_OLD_VALUES"}, o.value) {
				return status.Errorf(codes.FailedPrecondition, "Invalid value_capture_type: %s. Change Streams only support value capture types in OLD_AND_NEW_VALUES, NEW_ROW, and NEW_VALUES.", o.value)
			}
			s.capture = o.value
		case "retention_period":
			d, ok := period(o.value)
			if !ok || d < 24*time.Hour || d > 7*24*time.Hour {
				return status.Errorf(codes.FailedPrecondition, "Invalid retention_period: %s. Change Streams retention period must be a value in the range [24h, 7d].", o.value)
			}
			s.retention = d
		case "exclude_insert":
			s.without["INSERT"] = o.value == "TRUE"
		case "exclude_update":
			s.without["UPDATE"] = o.value == "TRUE"
		case "exclude_delete":
			s.without["DELETE"] = o.value == "TRUE"
		case "exclude_ttl_deletes":
			s.without["TTL"] = o.value == "TRUE"
		case "allow_txn_exclusion":
			s.without["TXN"] = o.value == "TRUE"
		case "partition_mode", "per_placement_tvf":
			// Kept for information_schema: such a stream can be described, not read.
		default:
			return status.Errorf(codes.InvalidArgument, "Option: %s is unknown.", o.name)
		}
	}
	return nil
}

// drop tells those who read the stream that it is gone.
func (s *stream) drop() {
	s.dropped = true
	for _, p := range s.ordered {
		p.changed()
	}
}

// movable tells whether the stream was made with key ranges that move, which the fake does not serve.
func (s *stream) movable() bool {
	return slices.ContainsFunc(s.options, func(o setting) bool { return o.name == "partition_mode" && o.value == "MUTABLE_KEY_RANGE" })
}

// period reads a number of days, or of hours, minutes or seconds: 7d, 36h.
func period(s string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err == nil && n >= 0 && n < 1000
	}
	d, err := time.ParseDuration(s)
	return d, err == nil
}
