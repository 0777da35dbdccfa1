package spannerfake

import (
	"slices"
	"strings"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// relation is rows with named, typed columns: a table, a view of information_schema, a join, a result.
type relation struct {
	columns []relColumn
	rows    [][]*structpb.Value
}

type relColumn struct {
	of   string // the table's name in the query
	name string
	typ  *sppb.Type
}

func (r *relation) shape() *sppb.StructType {
	out := &sppb.StructType{}
	for _, c := range r.columns {
		out.Fields = append(out.Fields, field(c.name, c.typ))
	}
	return out
}

// find is the place of a column, -1 when there is none.
func (r *relation) find(of, name string) int {
	return slices.IndexFunc(r.columns, func(c relColumn) bool {
		return strings.EqualFold(c.name, name) && (of == "" || strings.EqualFold(c.of, of))
	})
}

// env is what expressions of a query can refer to: parameters and, while rows are looked at, a row.
type env struct {
	d      *Database
	params map[string]cell
	now    time.Time
	reads  *attempt // the transaction; nil: none that matters
	rel    *relation
	row    []*structpb.Value
}

func newEnv(d *Database, r *sppb.ExecuteSqlRequest) *env {
	e := &env{d: d, params: make(map[string]cell), now: d.server.Now()}
	for name, v := range r.GetParams().GetFields() {
		t := r.ParamTypes[name]
		if t == nil {
			t = of(guess(v))
		}
		e.params[strings.ToLower(name)] = cell{v, t}
	}
	return e
}

// guess is the type of a parameter that came without one.
func guess(v *structpb.Value) sppb.TypeCode {
	switch v.GetKind().(type) {
	case *structpb.Value_BoolValue:
		return sppb.TypeCode_BOOL
	case *structpb.Value_NumberValue:
		return sppb.TypeCode_FLOAT64
	}
	return sppb.TypeCode_STRING
}

// query runs a query: SELECT with joins, WHERE, DISTINCT, ORDER BY and LIMIT, and COUNT(*). The database's lock is held.
func (e *env) query(q ast.QueryExpr) (*relation, error) {
	switch q := q.(type) {
	case *ast.Select:
		return e.choose(q, nil)
	case *ast.SubQuery:
		return e.query(q.Query)
	case *ast.Query:
		if q.With != nil || len(q.PipeOperators) > 0 {
			break
		}
		sel, ok := q.Query.(*ast.Select)
		if !ok {
			break
		}
		res, err := e.choose(sel, q.OrderBy)
		if err != nil || q.Limit == nil {
			return res, err
		}
		return res, e.limit(res, q.Limit)
	}
	return nil, status.Errorf(codes.Unimplemented, "the fake does not run queries of this form: %s", q.SQL())
}

func (e *env) limit(res *relation, l *ast.Limit) error {
	bound := func(v ast.IntValue) (int, error) {
		c, err := e.eval(v.(ast.Expr))
		if err != nil {
			return 0, err
		}
		n, err := parseInt(c.GetStringValue())
		if err != nil || n < 0 {
			return 0, status.Error(codes.InvalidArgument, "LIMIT and OFFSET need a number")
		}
		return int(min(n, int64(len(res.rows)))), nil
	}
	if l.Offset != nil {
		n, err := bound(l.Offset.Value)
		if err != nil {
			return err
		}
		res.rows = res.rows[n:]
	}
	n, err := bound(l.Count)
	if err != nil {
		return err
	}
	res.rows = res.rows[:n]
	return nil
}

// choose runs a SELECT. It is ordered before columns are chosen, so that any column may decide, and so may an alias.
func (e *env) choose(sel *ast.Select, order *ast.OrderBy) (*relation, error) {
	if sel.GroupBy != nil || sel.Having != nil || sel.As != nil {
		return nil, status.Errorf(codes.Unimplemented, "the fake does not run queries of this form: %s", sel.SQL())
	}
	from := &relation{rows: [][]*structpb.Value{{}}}
	if sel.From != nil {
		var err error
		if from, err = e.source(sel.From.Source); err != nil {
			return nil, err
		}
	}
	within := e.on(from)
	if sel.Where != nil {
		if err := within.keep(sel.Where.Expr); err != nil {
			return nil, err
		}
	}
	if counts(sel) {
		n := integer(int64(len(from.rows)))
		return &relation{columns: []relColumn{{name: alias(sel.Results[0]), typ: of(sppb.TypeCode_INT64)}}, rows: [][]*structpb.Value{{n}}}, nil
	}
	if order != nil {
		if err := within.sort(sel, order); err != nil {
			return nil, err
		}
	}
	res, err := within.project(sel.Results)
	if err == nil && sel.AllOrDistinct == ast.AllOrDistinctDistinct {
		seen := make(map[string]bool)
		res.rows = slices.DeleteFunc(res.rows, func(row []*structpb.Value) bool {
			k := string(appendJSON(nil, structOf(row...)))
			again := seen[k]
			seen[k] = true
			return again
		})
	}
	return res, err
}

func counts(sel *ast.Select) bool {
	if len(sel.Results) != 1 {
		return false
	}
	_, ok := expression(sel.Results[0]).(*ast.CountStarExpr)
	return ok
}

// on is the environment of a relation's rows.
func (e *env) on(r *relation) *env {
	inner := *e
	inner.rel, inner.row = r, nil
	return &inner
}

func (e *env) keep(where ast.Expr) error {
	var kept [][]*structpb.Value
	for _, e.row = range e.rel.rows {
		v, err := e.eval(where)
		if err != nil {
			return err
		}
		if v.GetBoolValue() {
			kept = append(kept, e.row)
		}
	}
	e.rel.rows = kept
	return nil
}
