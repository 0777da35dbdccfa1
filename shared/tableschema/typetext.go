package tableschema

import "strings"

// Names of scalar types without lengths and precisions. Both dialects share one map, for no name means different
// things in the two.
var textKinds = map[string]Kind{
	"BOOL": Bool, "BOOLEAN": Bool,
	"INT64": Int64, "BIGINT": Int64, "OID": Int64, // records give oid as INT64 with an annotation
	"FLOAT64": Float64, "DOUBLE PRECISION": Float64,
	"FLOAT32": Float32, "REAL": Float32,
	"NUMERIC": Numeric,
	"STRING":  String, "CHARACTER VARYING": String, "VARCHAR": String, "TEXT": String,
	"BYTES": Bytes, "BYTEA": Bytes,
	"DATE":      Date,
	"TIMESTAMP": Timestamp, "TIMESTAMP WITH TIME ZONE": Timestamp, "TIMESTAMPTZ": Timestamp, "SPANNER.COMMIT_TIMESTAMP": Timestamp,
	"JSON": JSON, "JSONB": JSON,
	"TOKENLIST": TokenList, "SPANNER.TOKENLIST": TokenList,
	"UUID": UUID,
}

// parseText understands INT64, STRING(MAX), ARRAY<FLOAT32>(vector_length=>3), character varying(20)[], numeric(10,2),
// double precision[] vector length 3.
func parseText(text string) (Type, bool) {
	t := strings.ToUpper(strings.Join(strings.Fields(text), " "))
	if inner, ok := strings.CutPrefix(t, "ARRAY<"); ok {
		end := strings.LastIndexByte(inner, '>')
		if v := strings.Index(inner, ">("); v >= 0 { // the arrow of vector_length=>n is a later '>'
			end = v
			if !parenthesised(inner[v+1:]) {
				return Type{}, false
			}
		} else if end != len(inner)-1 {
			return Type{}, false
		}
		kind, ok := scalar(inner[:end])
		return Type{Kind: kind, Array: true}, ok
	}
	if i := strings.Index(t, "[] VECTOR LENGTH "); i >= 0 && digits(t[i+len("[] VECTOR LENGTH "):]) {
		t = t[:i+2]
	}
	if inner, ok := strings.CutSuffix(t, "[]"); ok {
		kind, ok := scalar(inner)
		return Type{Kind: kind, Array: true}, ok
	}
	kind, ok := scalar(t)
	return Type{Kind: kind}, ok
}

// scalar strips a length or precision and looks the rest up.
func scalar(t string) (Kind, bool) {
	if i := strings.IndexByte(t, '('); i > 0 {
		if !parenthesised(t[i:]) {
			return NoKind, false
		}
		t = t[:i]
	}
	kind, ok := textKinds[strings.TrimSpace(t)]
	return kind, ok
}

func parenthesised(t string) bool {
	return len(t) > 2 && t[0] == '(' && strings.IndexByte(t, ')') == len(t)-1
}

func digits(t string) bool {
	return t != "" && strings.Trim(t, "0123456789") == ""
}
