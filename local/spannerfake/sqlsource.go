package spannerfake

import (
	"strings"

	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// source is what a FROM clause names. Rows may be shared with nobody: the caller changes the list, not the rows.
func (e *env) source(t ast.TableExpr) (*relation, error) {
	switch t := t.(type) {
	case *ast.TableName:
		return e.table(t.Table.Name, as(t.As, t.Table.Name))
	case *ast.PathTableExpr:
		schema, name := nameOf(t.Path)
		if strings.EqualFold(schema, "information_schema") {
			view, ok := views[strings.ToLower(name)]
			if !ok {
				return nil, status.Errorf(codes.InvalidArgument, "Table not found: %s", t.Path.SQL())
			}
			return view.of(e.d, as(t.As, name)), nil
		}
		return e.table(spell(t.Path), as(t.As, name))
	case *ast.SubQueryTableExpr:
		r, err := e.query(t.Query)
		if err != nil {
			return nil, err
		}
		for i := range r.columns {
			r.columns[i].of = as(t.As, "")
		}
		return r, nil
	case *ast.ParenTableExpr:
		return e.source(t.Source)
	case *ast.Join:
		return e.join(t)
	}
	return nil, status.Errorf(codes.Unimplemented, "the fake does not know this part of a FROM clause: %s", t.SQL())
}

func as(a *ast.AsAlias, name string) string {
	if a == nil {
		return name
	}
	return a.Alias.Name
}

// table is a table's rows in the order of its key.
func (e *env) table(name, as string) (*relation, error) {
	t := e.d.tables[name]
	if t == nil {
		return nil, status.Errorf(codes.InvalidArgument, "Table not found: %s", name)
	}
	e.reads.saw(t)
	r := &relation{}
	for _, c := range t.columns {
		r.columns = append(r.columns, relColumn{as, c.name, c.typ.api})
	}
	for _, key := range t.rows.between("", "") {
		r.rows = append(r.rows, pick(t.rows.byKey[key], t.columns))
	}
	return r, nil
}

func pick(r row, columns []*column) []*structpb.Value {
	out := make([]*structpb.Value, len(columns))
	for i, c := range columns {
		out[i] = r.at(c)
	}
	return out
}

// join tries every pair: what is joined here is small.
func (e *env) join(j *ast.Join) (*relation, error) {
	left, err := e.source(j.Left)
	if err != nil {
		return nil, err
	}
	right, err := e.source(j.Right)
	if err != nil {
		return nil, err
	}
	if j.Op != ast.InnerJoin && j.Op != ast.LeftOuterJoin && j.Op != ast.CrossJoin && j.Op != ast.CommaJoin {
		return nil, status.Errorf(codes.Unimplemented, "the fake does not know the join %s", j.Op)
	}
	out := &relation{columns: append(append([]relColumn(nil), left.columns...), right.columns...)}
	within := e.on(out)
	for _, l := range left.rows {
		matched := false
		for _, r := range right.rows {
			within.row = append(append([]*structpb.Value(nil), l...), r...)
			ok, err := within.joined(j.Cond, left, right)
			if err != nil {
				return nil, err
			}
			if ok {
				matched = true
				out.rows = append(out.rows, within.row)
			}
		}
		if !matched && j.Op == ast.LeftOuterJoin {
			row := append([]*structpb.Value(nil), l...)
			for range right.columns {
				row = append(row, null)
			}
			out.rows = append(out.rows, row)
		}
	}
	return out, nil
}

func (e *env) joined(cond ast.JoinCondition, left, right *relation) (bool, error) {
	switch cond := cond.(type) {
	case *ast.On:
		v, err := e.eval(cond.Expr)
		return v.GetBoolValue(), err
	case *ast.Using:
		for _, id := range cond.Idents {
			l, r := left.find("", id.Name), right.find("", id.Name)
			if l < 0 || r < 0 {
				return false, unknown(id.Name)
			}
			a, b := cell{e.row[l], left.columns[l].typ}, cell{e.row[len(left.columns)+r], right.columns[r].typ}
			if isNull(a.Value) || isNull(b.Value) || compare(a, b) != 0 {
				return false, nil
			}
		}
	}
	return true, nil
}
