package spannerfake

import (
	"encoding/base64"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/protobuf/types/known/structpb"
)

// CommitTimestamp stands for the commit timestamp in a column that allows it.
const CommitTimestamp = pending

// Insert makes a row, which must not exist.
func Insert(table string, columns []string, values ...any) *sppb.Mutation {
	return &sppb.Mutation{Operation: &sppb.Mutation_Insert{Insert: write(table, columns, values)}}
}

// Update changes columns of a row, which must exist.
func Update(table string, columns []string, values ...any) *sppb.Mutation {
	return &sppb.Mutation{Operation: &sppb.Mutation_Update{Update: write(table, columns, values)}}
}

// InsertOrUpdate makes a row or changes columns of it.
func InsertOrUpdate(table string, columns []string, values ...any) *sppb.Mutation {
	return &sppb.Mutation{Operation: &sppb.Mutation_InsertOrUpdate{InsertOrUpdate: write(table, columns, values)}}
}

// Replace makes a row anew: columns that are not given get their defaults.
func Replace(table string, columns []string, values ...any) *sppb.Mutation {
	return &sppb.Mutation{Operation: &sppb.Mutation_Replace{Replace: write(table, columns, values)}}
}

// Delete deletes the row of a key, if there is one.
func Delete(table string, key ...any) *sppb.Mutation {
	return &sppb.Mutation{Operation: &sppb.Mutation_Delete_{Delete: &sppb.Mutation_Delete{
		Table: table, KeySet: &sppb.KeySet{Keys: []*structpb.ListValue{list(key)}},
	}}}
}

func write(table string, columns []string, values []any) *sppb.Mutation_Write {
	return &sppb.Mutation_Write{Table: table, Columns: columns, Values: []*structpb.ListValue{list(values)}}
}

func list(values []any) *structpb.ListValue {
	l := &structpb.ListValue{Values: make([]*structpb.Value, len(values))}
	for i, v := range values {
		l.Values[i] = Value(v)
	}
	return l
}

// Value is a Go value as the API has it: integers as text, bytes as base64, times in RFC 3339, floats that JSON does not
// know as text, slices as arrays, nil and nil pointers as NULL, pointers as what they point to. A type that it does not
// know becomes its text.
func Value(v any) *structpb.Value {
	switch v := v.(type) {
	case nil:
		return null
	case *structpb.Value:
		return v
	case string:
		return structpb.NewStringValue(v)
	case int:
		return structpb.NewStringValue(strconv.Itoa(v))
	case int64:
		return structpb.NewStringValue(strconv.FormatInt(v, 10))
	case bool:
		return structpb.NewBoolValue(v)
	case float32:
		return float(float64(v))
	case float64:
		return float(v)
	case []byte:
		if v == nil {
			return null
		}
		return structpb.NewStringValue(base64.StdEncoding.EncodeToString(v))
	case time.Time:
		return structpb.NewStringValue(stamp(v))
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer:
		if r.IsNil() {
			return null
		}
		return Value(r.Elem().Interface())
	case reflect.Slice:
		if r.IsNil() {
			return null
		}
		out := &structpb.ListValue{}
		for i := range r.Len() {
			out.Values = append(out.Values, Value(r.Index(i).Interface()))
		}
		return structpb.NewListValue(out)
	}
	return structpb.NewStringValue(fmt.Sprint(v))
}

func float(f float64) *structpb.Value {
	switch {
	case math.IsNaN(f):
		return structpb.NewStringValue("NaN")
	case math.IsInf(f, 1):
		return structpb.NewStringValue("Infinity")
	case math.IsInf(f, -1):
		return structpb.NewStringValue("-Infinity")
	}
	return structpb.NewNumberValue(f)
}
