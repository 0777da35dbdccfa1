package spannerfake

import (
	"strings"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// project chooses columns.
func (e *env) project(items []ast.SelectItem) (*relation, error) {
	out := &relation{rows: make([][]*structpb.Value, len(e.rel.rows))}
	for _, item := range items {
		var star string
		switch item := item.(type) {
		case *ast.Star:
			star = "*"
		case *ast.DotStar:
			star = item.Expr.SQL()
		}
		if star != "" {
			for i, c := range e.rel.columns {
				if star != "*" && !strings.EqualFold(star, c.of) {
					continue
				}
				out.columns = append(out.columns, c)
				for n, row := range e.rel.rows {
					out.rows[n] = append(out.rows[n], row[i])
				}
			}
			continue
		}
		x := expression(item)
		if x == nil {
			return nil, status.Errorf(codes.Unimplemented, "the fake cannot select %s", item.SQL())
		}
		typ, err := e.typeOf(x)
		if err != nil {
			return nil, err
		}
		out.columns = append(out.columns, relColumn{name: alias(item), typ: typ})
		for n, row := range e.rel.rows {
			e.row = row
			v, err := e.eval(x)
			if err != nil {
				return nil, err
			}
			out.rows[n] = append(out.rows[n], v.Value)
		}
	}
	return out, nil
}

// typeOf is an expression's type, also when there is no row to try it on.
func (e *env) typeOf(x ast.Expr) (*sppb.Type, error) {
	probe := *e
	probe.row = make([]*structpb.Value, len(e.rel.columns))
	for i := range probe.row {
		probe.row[i] = null
	}
	v, err := probe.eval(x)
	if err != nil {
		return nil, err
	}
	return v.typ, nil
}

// expression is what an item of a SELECT list computes; nil when it is none.
func expression(item ast.SelectItem) ast.Expr {
	switch item := item.(type) {
	case *ast.ExprSelectItem:
		return item.Expr
	case *ast.Alias:
		return item.Expr
	}
	return nil
}

// alias is the name of a result's column, as it is written; "" for an expression without one.
func alias(item ast.SelectItem) string {
	if a, ok := item.(*ast.Alias); ok {
		return a.As.Alias.Name
	}
	switch x := expression(item).(type) {
	case *ast.Ident:
		return x.Name
	case *ast.Path:
		return x.Idents[len(x.Idents)-1].Name
	}
	return ""
}

// aliased is an expression of ORDER BY, with an alias of the SELECT list in its place.
func aliased(sel *ast.Select, x ast.Expr) ast.Expr {
	id, ok := x.(*ast.Ident)
	if !ok {
		return x
	}
	for _, item := range sel.Results {
		if a, ok := item.(*ast.Alias); ok && strings.EqualFold(a.As.Alias.Name, id.Name) {
			return a.Expr
		}
	}
	return x
}
