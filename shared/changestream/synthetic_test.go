package changestream_test

import (
	"encoding/json"
	"slices"
	"strings"

	"sluice.example/shared/changestream"
)

// obj is a struct of a row with its fields in order. Fields are nil, string, bool, obj or []any.
type obj []member

type member struct {
	name string
	is   any
}

// node is a changestream.Value; a pointer, so that it costs no allocation in an interface.
type node struct {
	is    any
	items []*node
}

func valueOf(v any) *node {
	n := &node{is: v}
	switch v := v.(type) {
	case obj:
		for _, m := range v {
			n.items = append(n.items, valueOf(m.is))
		}
	case []any:
		for _, e := range v {
			n.items = append(n.items, valueOf(e))
		}
	}
	return n
}

func (n *node) Null() bool           { return n.is == nil }
func (n *node) Text() (string, bool) { s, ok := n.is.(string); return s, ok }
func (n *node) Bool() (bool, bool)   { b, ok := n.is.(bool); return b, ok }
func (n *node) Len() (int, bool) {
	switch n.is.(type) {
	case obj, []any:
		return len(n.items), true
	}
	return 0, false
}
func (n *node) At(i int) changestream.Value { return n.items[i] }

// shapeOf is the type of a value: of an array, that of its first element.
func shapeOf(v any) (s changestream.Shape) {
	switch v := v.(type) {
	case obj:
		for _, m := range v {
			s.Fields = append(s.Fields, changestream.Field{Name: m.name, Shape: shapeOf(m.is)})
		}
	case []any:
		if len(v) > 0 {
			return shapeOf(v[0])
		}
	}
	return s
}

// gone takes a field away.
type gone struct{}

// with is a copy of v in which the value at a path ("mods.0.keys") is another one, or not there.
func with(v any, path string, is any) any {
	if path == "" {
		return is
	}
	head, rest, _ := strings.Cut(path, ".")
	switch v := v.(type) {
	case obj:
		var out obj
		for _, m := range v {
			if m.name == head {
				m.is = with(m.is, rest, is)
			}
			if m.is != (any)(gone{}) || m.name != head {
				out = append(out, m)
			}
		}
		return out
	case []any:
		out := slices.Clone(v)
		out[int(head[0]-'0')] = with(v[int(head[0]-'0')], rest, is)
		return out
	}
	return v
}

// mixed is v with the fields of every struct in reverse order, and one more that nobody knows.
func mixed(v any) any {
	switch v := v.(type) {
	case obj:
		out := obj{{"novelty", "?"}}
		for _, m := range slices.Backward(v) {
			out = append(out, member{m.name, mixed(m.is)})
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = mixed(e)
		}
		return out
	}
	return v
}

// The three kinds of record, as a GoogleSQL row has them.
var (
	dataRecord = obj{
		{"commit_timestamp", "2026-01-02T03:04:05.123456789Z"},
		{"record_sequence", "00000001"},
		{"server_transaction_id", "txn"},
		{"is_last_record_in_transaction_in_partition", true},
		{"table_name", "T"},
		{"column_types", []any{
			obj{{"name", "id"}, {"type", `{"code":"INT64"}`}, {"is_primary_key", true}, {"ordinal_position", "1"}},
			obj{{"name", "v"}, {"type", `{"code":"STRING"}`}, {"is_primary_key", false}, {"ordinal_position", "2"}},
		}},
		{"mods", []any{obj{{"keys", `{"id":"9007199254740993"}`}, {"new_values", `{"v":"<é>"}`}, {"old_values", `{"v":null}`}}}},
		{"mod_type", "UPDATE"},
		{"value_capture_type", "OLD_AND_NEW_VALUES"},
		{"number_of_records_in_transaction", "2"},
		{"number_of_partitions_in_transaction", "3"},
		{"transaction_tag", "app=x"},
		{"is_system_transaction", true},
	}
	heartbeatRecord = obj{{"timestamp", "2026-01-02T03:04:06Z"}}
	childrenRecord  = obj{
		{"start_timestamp", "2026-01-02T03:04:07.000000001Z"},
		{"record_sequence", "00000002"},
		{"child_partitions", []any{
			obj{{"token", "a"}, {"parent_partition_tokens", []any{"p", "q"}}},
			obj{{"token", "b"}, {"parent_partition_tokens", []any{nil}}},
			obj{{"token", "c"}, {"parent_partition_tokens", []any{}}},
		}},
	}
)

// change is a row of one record of each kind.
func change(data, heartbeat, children any) []any {
	return []any{obj{
		{"data_change_record", []any{data}}, {"heartbeat_record", []any{heartbeat}}, {"child_partitions_record", []any{children}},
	}}
}

func whole() []any { return change(dataRecord, heartbeatRecord, childrenRecord) }

// asJSON is a record as PostgreSQL-dialect databases send it: what GoogleSQL has as JSON in text is JSON in place, and
// numbers are numbers.
func asJSON(v any) any {
	switch v := v.(type) {
	case obj:
		out := make(map[string]any)
		for _, m := range v {
			out[m.name] = asJSON(m.is)
			text, ok := m.is.(string)
			if !ok {
				continue
			}
			switch m.name {
			case "type", "keys", "new_values", "old_values", "ordinal_position", "number_of_records_in_transaction", "number_of_partitions_in_transaction":
				if json.Valid([]byte(text)) {
					out[m.name] = json.RawMessage(text)
				}
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = asJSON(e)
		}
		return out
	}
	return v
}

func jsonRow(kind string, v any) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any{kind: asJSON(v)}); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(text.String())
}
