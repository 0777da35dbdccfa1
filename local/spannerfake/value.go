package spannerfake

import (
	"encoding/base64"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// pending stands for the commit timestamp in a written value.
const pending = "spanner.commit_timestamp()"

// check tells whether a value may be written to a column, and returns it as Spanner would keep it: numbers without
// needless digits, JSON in its normal form. pending is replaced by the commit timestamp.
func (c *column) check(t *table, v *structpb.Value, commit time.Time) (*structpb.Value, error) {
	if isNull(v) {
		if c.notNull {
			return nil, status.Errorf(codes.FailedPrecondition, "Cannot specify a null value for column: %s.%s in table: %s", t.spelled(), c.name, t.spelled())
		}
		return null, nil
	}
	if c.typ.code == sppb.TypeCode_TIMESTAMP && v.GetStringValue() == pending {
		if !c.stamped {
			return nil, status.Errorf(codes.FailedPrecondition, "Cannot write commit timestamp because the allow_commit_timestamp column option is not set to true for column %s", c.name)
		}
		return structpb.NewStringValue(stamp(commit)), nil
	}
	v, err := normal(c.typ, v)
	if err != nil {
		return nil, err
	}
	if c.stamped {
		if ts, _ := time.Parse(time.RFC3339Nano, v.GetStringValue()); ts.After(commit) {
			return nil, status.Errorf(codes.FailedPrecondition, "Cannot write timestamps in the future, found: %s", v.GetStringValue())
		}
	}
	if size := length(c.typ, v); c.typ.size > 0 && size > c.typ.size {
		return nil, status.Errorf(codes.FailedPrecondition, "New value exceeds the maximum size limit for this column: %s.%s, size: %d, limit: %d.", t.spelled(), c.name, size, c.typ.size)
	}
	return v, nil
}

// length counts as the limit of a type does.
func length(t *columnType, v *structpb.Value) int64 {
	switch s := v.GetStringValue(); t.code {
	case sppb.TypeCode_STRING:
		return int64(utf8.RuneCountInString(s))
	case sppb.TypeCode_BYTES:
		return int64(base64.StdEncoding.DecodedLen(len(s)) - strings.Count(s, "="))
	}
	return 0
}

// normal is a value that is not NULL in Spanner's own form, or an error when its type does not have it.
func normal(t *columnType, v *structpb.Value) (*structpb.Value, error) {
	s, isText := v.GetKind().(*structpb.Value_StringValue)
	if !isText {
		return normalOther(t, v)
	}
	text := s.StringValue
	switch t.code {
	case sppb.TypeCode_STRING:
		if utf8.ValidString(text) {
			return v, nil
		}
	case sppb.TypeCode_INT64, sppb.TypeCode_ENUM:
		n, err := parseInt(text)
		if err != nil {
			return nil, unlike(text, "an integer")
		}
		if canonical := strconv.FormatInt(n, 10); canonical != text {
			return structpb.NewStringValue(canonical), nil
		}
		return v, nil
	case sppb.TypeCode_FLOAT64, sppb.TypeCode_FLOAT32:
		if text == "NaN" || text == "Infinity" || text == "-Infinity" {
			return v, nil
		}
	case sppb.TypeCode_BYTES, sppb.TypeCode_PROTO:
		if _, err := base64.StdEncoding.DecodeString(text); err == nil {
			return v, nil
		}
	case sppb.TypeCode_DATE:
		if _, err := time.Parse(time.DateOnly, text); err == nil {
			return v, nil
		}
	case sppb.TypeCode_TIMESTAMP:
		if ts, err := time.Parse(time.RFC3339Nano, text); err == nil {
			return structpb.NewStringValue(stamp(ts)), nil
		}
	case sppb.TypeCode_NUMERIC:
		if n, ok := normalNumeric(text); ok {
			return structpb.NewStringValue(n), nil
		}
	case sppb.TypeCode_JSON:
		if doc, err := normalJSON(text); err == nil {
			return structpb.NewStringValue(doc), nil
		}
	case sppb.TypeCode_UUID:
		if low := strings.ToLower(text); uuid.MatchString(low) {
			return structpb.NewStringValue(low), nil
		}
	case sppb.TypeCode_INTERVAL:
		return v, nil
	}
	return nil, unlike(text, "a value of type "+t.text)
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// normalOther is normal for what does not come as text.
func normalOther(t *columnType, v *structpb.Value) (*structpb.Value, error) {
	switch k := v.GetKind().(type) {
	case *structpb.Value_BoolValue:
		if t.code == sppb.TypeCode_BOOL {
			return v, nil
		}
	case *structpb.Value_NumberValue:
		if t.code == sppb.TypeCode_FLOAT64 {
			return v, nil
		}
		if t.code == sppb.TypeCode_FLOAT32 {
			return structpb.NewNumberValue(float64(float32(k.NumberValue))), nil
		}
	case *structpb.Value_ListValue:
		if t.elem == nil {
			break
		}
		out := make([]*structpb.Value, len(k.ListValue.GetValues()))
		for i, e := range k.ListValue.GetValues() {
			if isNull(e) {
				out[i] = null
				continue
			}
			var err error
			if out[i], err = normal(t.elem, e); err != nil {
				return nil, err
			}
		}
		return structOf(out...), nil
	}
	return nil, unlike(string(appendJSON(nil, v)), "a value of type "+t.text)
}

func unlike(text, what string) error {
	return status.Errorf(codes.FailedPrecondition, "Could not parse %s as %s", text, what)
}

func isNull(v *structpb.Value) bool {
	_, ok := v.GetKind().(*structpb.Value_NullValue)
	return ok || v.GetKind() == nil
}

func parseInt(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }

// number is a FLOAT as such, whichever way it came.
func number(v *structpb.Value) float64 {
	switch v.GetStringValue() {
	case "NaN":
		return math.NaN()
	case "Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	}
	return v.GetNumberValue()
}

// stamp is a timestamp as the API spells it: up to nine digits, zeros at the end left out.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
