package spannerfake

import (
	"cmp"
	"slices"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/protobuf/types/known/structpb"
)

// sort puts the relation's rows in the order that is asked for; equal ones stay as they are.
func (e *env) sort(sel *ast.Select, order *ast.OrderBy) error {
	type keyed struct {
		row  []*structpb.Value
		keys []cell
	}
	all := make([]keyed, 0, len(e.rel.rows))
	for _, e.row = range e.rel.rows {
		k := keyed{row: e.row}
		for _, item := range order.Items {
			v, err := e.eval(aliased(sel, item.Expr))
			if err != nil {
				return err
			}
			k.keys = append(k.keys, v)
		}
		all = append(all, k)
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		for i, item := range order.Items {
			c := compare(a.keys[i], b.keys[i])
			if item.Dir == ast.DirectionDesc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	for i, k := range all {
		e.rel.rows[i] = k.row
	}
	return nil
}

// compare orders values of one type, NULL first.
func compare(a, b cell) int {
	switch an, bn := isNull(a.Value), isNull(b.Value); {
	case an && bn:
		return 0
	case an:
		return -1
	case bn:
		return 1
	}
	switch a.typ.GetCode() {
	case sppb.TypeCode_INT64:
		x, _ := parseInt(a.GetStringValue())
		y, _ := parseInt(b.GetStringValue())
		return cmp.Compare(x, y)
	case sppb.TypeCode_FLOAT64, sppb.TypeCode_FLOAT32:
		return cmp.Compare(number(a.Value), number(b.Value))
	case sppb.TypeCode_BOOL:
		return cmp.Compare(string(appendJSON(nil, a.Value)), string(appendJSON(nil, b.Value)))
	case sppb.TypeCode_TIMESTAMP:
		x, _ := time.Parse(time.RFC3339Nano, a.GetStringValue())
		y, _ := time.Parse(time.RFC3339Nano, b.GetStringValue())
		return x.Compare(y)
	}
	return cmp.Compare(a.GetStringValue(), b.GetStringValue())
}
