package spannerfake

import (
	"strconv"
	"strings"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// columnType is the type of a column in its three spellings: DDL and information_schema, the API, and the change record.
type columnType struct {
	code sppb.TypeCode
	elem *columnType // of an ARRAY
	size int64       // most characters of a STRING, bytes of a BYTES; 0: no limit
	text string      // "ARRAY<STRING(MAX)>"
	api  *sppb.Type
	json string // {"code":"INT64"}, as change records spell it
}

// typeOf reads a type of DDL. A name that is no type of Spanner's is a protocol buffer.
func typeOf(t ast.SchemaType) (*columnType, error) {
	switch t := t.(type) {
	case *ast.ScalarSchemaType:
		return scalar(string(t.Name), 0)
	case *ast.SizedSchemaType:
		if t.Max {
			return scalar(string(t.Name), 0)
		}
		size, err := strconv.ParseInt(t.Size.SQL(), 0, 64)
		if err != nil || size <= 0 {
			return nil, status.Errorf(codes.InvalidArgument, "Type %s has no valid size", t.SQL())
		}
		return scalar(string(t.Name), size)
	case *ast.ArraySchemaType:
		elem, err := typeOf(t.Item)
		if err != nil {
			return nil, err
		}
		c := &columnType{code: sppb.TypeCode_ARRAY, elem: elem, text: "ARRAY<" + elem.text + ">"}
		for i, arg := range t.NamedArgs {
			c.text += map[bool]string{true: "(", false: ", "}[i == 0] + arg.Name.Name + "=>" + arg.Value.SQL()
		}
		if len(t.NamedArgs) > 0 {
			c.text += ")"
		}
		c.api = &sppb.Type{Code: c.code, ArrayElementType: elem.api}
		c.json = `{"array_element_type":` + elem.json + `,"code":"ARRAY"}`
		return c, nil
	case *ast.NamedType:
		parts := make([]string, len(t.Path))
		for i, p := range t.Path {
			parts[i] = p.Name
		}
		name := strings.Join(parts, ".")
		if strings.EqualFold(name, "UUID") {
			return scalar("UUID", 0)
		}
		return &columnType{
			code: sppb.TypeCode_PROTO, text: "PROTO<" + name + ">",
			api:  &sppb.Type{Code: sppb.TypeCode_PROTO, ProtoTypeFqn: name},
			json: `{"code":"PROTO","proto_type_fqn":` + quoted(name) + `}`,
		}, nil
	}
	return nil, status.Errorf(codes.FailedPrecondition, "Type %s cannot be the type of a column", t.SQL())
}

func scalar(name string, size int64) (*columnType, error) {
	name = strings.ToUpper(name)
	code := sppb.TypeCode_TYPE_CODE_UNSPECIFIED
	if name == "TOKENLIST" {
		// The API has no code for it: such a column cannot be read.
		return &columnType{text: name, api: &sppb.Type{}, json: `{"code":"TOKENLIST"}`}, nil
	}
	if n, ok := sppb.TypeCode_value[name]; ok {
		code = sppb.TypeCode(n)
	}
	if code == sppb.TypeCode_TYPE_CODE_UNSPECIFIED {
		return nil, status.Errorf(codes.FailedPrecondition, "Type %s is not known", name)
	}
	c := &columnType{code: code, size: size, text: name, api: &sppb.Type{Code: code}, json: `{"code":"` + name + `"}`}
	if code == sppb.TypeCode_STRING || code == sppb.TypeCode_BYTES {
		c.text += "(MAX)"
		if size > 0 {
			c.text = name + "(" + strconv.FormatInt(size, 10) + ")"
		}
	}
	return c, nil
}
