package tableschema

import "encoding/json"

// Type codes of change records. They are compared as they come: Spanner writes them in upper case.
var codeKinds = map[string]Kind{
	"BOOL": Bool, "INT64": Int64, "FLOAT64": Float64, "FLOAT32": Float32, "NUMERIC": Numeric, "STRING": String,
	"BYTES": Bytes, "DATE": Date, "TIMESTAMP": Timestamp, "JSON": JSON, "TOKENLIST": TokenList, "UUID": UUID,
}

// parseJSON understands {"code":"INT64"} and {"code":"ARRAY","array_element_type":{"code":"STRING"}}. Members that the
// product does not use (type_annotation PG_NUMERIC and the like, whatever Spanner adds later) are passed over: the code
// alone decides the form of the value.
func parseJSON(text string) (Type, error) {
	var t struct {
		Code    string `json:"code"`
		Element *struct {
			Code string `json:"code"`
		} `json:"array_element_type"`
	}
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return Type{}, &UnknownType{Text: text}
	}
	kind, array := codeKinds[t.Code], false
	if t.Code == "ARRAY" && t.Element != nil {
		kind, array = codeKinds[t.Element.Code], true
	}
	if kind == NoKind {
		return Type{}, &UnknownType{Text: text}
	}
	return Type{Kind: kind, Array: array}, nil
}
