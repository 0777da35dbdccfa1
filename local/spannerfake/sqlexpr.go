package spannerfake

import (
	"strings"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// cell is a value with its type.
type cell struct {
	*structpb.Value
	typ *sppb.Type
}

func unknown(name string) error {
	return status.Errorf(codes.InvalidArgument, "Unrecognized name: %s", name)
}

func boolean(b bool) cell { return cell{truth(b), of(sppb.TypeCode_BOOL)} }

// constant is the value of an expression without columns, such as that of DEFAULT.
func constant(x ast.Expr, now time.Time) (*structpb.Value, error) {
	v, err := (&env{now: now, rel: &relation{}}).eval(x)
	return v.Value, err
}

// eval computes an expression for the row. What is compared with NULL is NULL, as in SQL.
func (e *env) eval(x ast.Expr) (cell, error) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.eval(x.Expr)
	case *ast.Ident:
		return e.column("", x.Name)
	case *ast.Path:
		if len(x.Idents) == 2 {
			return e.column(x.Idents[0].Name, x.Idents[1].Name)
		}
	case *ast.Param:
		v, ok := e.params[strings.ToLower(x.Name)]
		if !ok {
			return cell{}, status.Errorf(codes.InvalidArgument, "No parameter found for binding: %s", x.Name)
		}
		return v, nil
	case *ast.BinaryExpr:
		return e.binary(x)
	case *ast.UnaryExpr:
		return e.unary(x)
	case *ast.InExpr:
		return e.in(x)
	case *ast.IsNullExpr:
		v, err := e.eval(x.Left)
		return boolean(isNull(v.Value) != x.Not), err
	case *ast.IsBoolExpr:
		v, err := e.eval(x.Left)
		is := !isNull(v.Value) && v.GetBoolValue() == x.Right
		return boolean(is != x.Not), err
	case *ast.CallExpr:
		return e.call(x)
	default:
		if v, ok := literal(x); ok {
			return v, nil
		}
	}
	return cell{}, status.Errorf(codes.Unimplemented, "the fake does not compute: %s", x.SQL())
}

func (e *env) column(of, name string) (cell, error) {
	if e.rel == nil {
		return cell{}, unknown(name)
	}
	i := e.rel.find(of, name)
	if i < 0 {
		return cell{}, unknown(name)
	}
	return cell{e.row[i], e.rel.columns[i].typ}, nil
}

func (e *env) binary(x *ast.BinaryExpr) (cell, error) {
	a, err := e.eval(x.Left)
	if err != nil {
		return cell{}, err
	}
	b, err := e.eval(x.Right)
	if err != nil {
		return cell{}, err
	}
	unclear := isNull(a.Value) || isNull(b.Value)
	switch x.Op {
	case ast.OpAnd:
		if !unclear {
			return boolean(a.GetBoolValue() && b.GetBoolValue()), nil
		}
		if !isNull(a.Value) && !a.GetBoolValue() || !isNull(b.Value) && !b.GetBoolValue() {
			return boolean(false), nil
		}
	case ast.OpOr:
		if a.GetBoolValue() || b.GetBoolValue() || !unclear {
			return boolean(a.GetBoolValue() || b.GetBoolValue()), nil
		}
	case ast.OpEqual, ast.OpNotEqual, ast.OpLess, ast.OpLessEqual, ast.OpGreater, ast.OpGreaterEqual:
		if unclear {
			break
		}
		c := compare(a, b)
		return boolean(map[ast.BinaryOp]bool{
			ast.OpEqual: c == 0, ast.OpNotEqual: c != 0, ast.OpLess: c < 0, ast.OpLessEqual: c <= 0,
			ast.OpGreater: c > 0, ast.OpGreaterEqual: c >= 0,
		}[x.Op]), nil
	default:
		return cell{}, status.Errorf(codes.Unimplemented, "the fake does not compute: %s", x.SQL())
	}
	return cell{null, of(sppb.TypeCode_BOOL)}, nil
}

func (e *env) unary(x *ast.UnaryExpr) (cell, error) {
	v, err := e.eval(x.Expr)
	if err != nil || isNull(v.Value) {
		return v, err
	}
	switch {
	case x.Op == ast.OpNot:
		return boolean(!v.GetBoolValue()), nil
	case x.Op == ast.OpMinus && v.typ.GetCode() == sppb.TypeCode_INT64:
		return cell{text("-" + v.GetStringValue()), v.typ}, nil
	case x.Op == ast.OpMinus && v.typ.GetCode() == sppb.TypeCode_FLOAT64:
		return cell{float(-number(v.Value)), v.typ}, nil
	}
	return cell{}, status.Errorf(codes.Unimplemented, "the fake does not compute: %s", x.SQL())
}

func (e *env) in(x *ast.InExpr) (cell, error) {
	v, err := e.eval(x.Left)
	if err != nil {
		return cell{}, err
	}
	var among []cell
	switch c := x.Right.(type) {
	case *ast.ValuesInCondition:
		for _, item := range c.Exprs {
			one, err := e.eval(item)
			if err != nil {
				return cell{}, err
			}
			among = append(among, one)
		}
	case *ast.UnnestInCondition:
		list, err := e.eval(c.Expr)
		if err != nil {
			return cell{}, err
		}
		for _, one := range list.GetListValue().GetValues() {
			among = append(among, cell{one, list.typ.GetArrayElementType()})
		}
	case *ast.SubQueryInCondition:
		rows, err := e.query(c.Query)
		if err != nil {
			return cell{}, err
		}
		for _, row := range rows.rows {
			among = append(among, cell{row[0], rows.columns[0].typ})
		}
	}
	if isNull(v.Value) {
		return cell{null, of(sppb.TypeCode_BOOL)}, nil
	}
	found := false
	for _, one := range among {
		found = found || !isNull(one.Value) && compare(v, one) == 0
	}
	return boolean(found != x.Not), nil
}
