package spannerfake

import (
	"encoding/base64"
	"strconv"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/protobuf/types/known/structpb"
)

// literal is the value of a literal; false for any other expression.
func literal(x ast.Expr) (cell, bool) {
	switch x := x.(type) {
	case *ast.NullLiteral:
		return cell{null, of(sppb.TypeCode_INT64)}, true
	case *ast.BoolLiteral:
		return boolean(x.Value), true
	case *ast.IntLiteral:
		return cell{text(x.Value), of(sppb.TypeCode_INT64)}, true
	case *ast.FloatLiteral:
		f, err := strconv.ParseFloat(x.Value, 64)
		return cell{float(f), of(sppb.TypeCode_FLOAT64)}, err == nil
	case *ast.StringLiteral:
		return cell{text(x.Value), of(sppb.TypeCode_STRING)}, true
	case *ast.BytesLiteral:
		return cell{text(base64.StdEncoding.EncodeToString(x.Value)), of(sppb.TypeCode_BYTES)}, true
	case *ast.DateLiteral:
		return cell{text(x.Value.Value), of(sppb.TypeCode_DATE)}, true
	case *ast.TimestampLiteral:
		return cell{text(x.Value.Value), of(sppb.TypeCode_TIMESTAMP)}, true
	case *ast.NumericLiteral:
		return cell{text(x.Value.Value), of(sppb.TypeCode_NUMERIC)}, true
	case *ast.JSONLiteral:
		return cell{text(x.Value.Value), of(sppb.TypeCode_JSON)}, true
	case *ast.ArrayLiteral:
		var values []*structpb.Value
		elem := of(sppb.TypeCode_INT64)
		for _, item := range x.Values {
			v, ok := literal(item)
			if !ok {
				return cell{}, false
			}
			values, elem = append(values, v.Value), v.typ
		}
		return cell{structOf(values...), arrayOf(elem)}, true
	}
	return cell{}, false
}
