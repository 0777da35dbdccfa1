package spannerfake

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// call computes the few functions that defaults and simple queries use.
func (e *env) call(x *ast.CallExpr) (cell, error) {
	var args []cell
	for _, a := range x.Args {
		arg, ok := a.(*ast.ExprArg)
		if !ok {
			return cell{}, status.Errorf(codes.Unimplemented, "the fake does not compute: %s", x.SQL())
		}
		v, err := e.eval(arg.Expr)
		if err != nil {
			return cell{}, err
		}
		args = append(args, v)
	}
	switch name := strings.ToUpper(x.Func.SQL()); {
	case name == "CURRENT_TIMESTAMP" && len(args) == 0:
		return cell{text(stamp(e.now)), of(sppb.TypeCode_TIMESTAMP)}, nil
	case name == "PENDING_COMMIT_TIMESTAMP" && len(args) == 0:
		return cell{text(pending), of(sppb.TypeCode_TIMESTAMP)}, nil
	case (name == "GENERATE_UUID" || name == "NEW_UUID") && len(args) == 0:
		return cell{text(newUUID()), of(sppb.TypeCode_STRING)}, nil
	case (name == "LOWER" || name == "UPPER") && len(args) == 1:
		if isNull(args[0].Value) {
			return args[0], nil
		}
		convert := map[string]func(string) string{"LOWER": strings.ToLower, "UPPER": strings.ToUpper}[name]
		return cell{text(convert(args[0].GetStringValue())), args[0].typ}, nil
	}
	return cell{}, status.Errorf(codes.Unimplemented, "the fake does not compute: %s", x.SQL())
}

func newUUID() string {
	b := make([]byte, 16)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
