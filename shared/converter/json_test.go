package converter_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sluice.example/shared/converter"
	"sluice.example/shared/record"
)

// set makes converters of a worker's configuration: key, value, key, value.
func set(t *testing.T, pairs ...string) *converter.Set {
	t.Helper()
	c := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		c[pairs[i]] = pairs[i+1]
	}
	s, err := converter.NewSet(nil, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// text is a value's bytes; "<null>" when it has none.
func text(t *testing.T, c converter.Converter, s *record.Schema, v record.Value) string {
	t.Helper()
	out, null, err := c.Append(context.Background(), []byte("before"), "topic", s, v)
	if err != nil {
		t.Fatal(err)
	}
	if null {
		return "<null>"
	}
	return strings.TrimPrefix(string(out), "before")
}

var (
	bare     = []string{"value.converter", "org.apache.kafka.connect.json.JsonConverter", "value.converter.schemas.enable", "false"}
	text2    = record.StringOf("x")
	optional = record.OptionalOf(record.String)
)

func TestJSONWithAndWithoutSchemas(t *testing.T) {
	t.Parallel()
	with, without := set(t).Value, set(t, bare...).Value
	byDefault := record.Int32Of(7)
	decimal := &record.Schema{Type: record.Bytes, Name: "org.apache.kafka.connect.data.Decimal", Version: 1, Parameters: []record.Parameter{{Name: "scale", Value: "2"}}}
	row := &record.Schema{Type: record.Struct, Name: "Row", Doc: "a \"row\"", Fields: []record.Field{
		{Name: "i", Schema: &record.Schema{Type: record.Int32, Default: &byDefault}}, {Name: "dec", Schema: decimal},
		{Name: "m", Schema: &record.Schema{Type: record.Map, Optional: true, Key: record.Of(record.String), Elem: record.OptionalOf(record.Float32)}},
	}}
	pairs := &record.Schema{Type: record.Map, Key: record.Of(record.Int64), Elem: record.Of(record.Boolean)}
	for _, test := range []struct {
		name             string
		schema           *record.Schema
		value            record.Value
		payload, schema2 string
	}{
		{"string", record.Of(record.String), text2, `"x"`, `{"type":"string","optional":false}`},
		{"optional null", optional, record.Null, `null`, `{"type":"string","optional":true}`},
		{"no schema", nil, text2, `"x"`, `null`},
		{"struct", row, record.StructOf([]record.Value{record.Null, record.BytesOf("\x30\x39"), record.MapOf([]record.Value{text2, record.Float32Of(1)})}),
			`{"i":7,"dec":"MDk=","m":{"x":1.0}}`,
			`{"type":"struct","fields":[{"type":"int32","optional":false,"default":7,"field":"i"},{"type":"bytes","optional":false,"name":"org.apache.kafka.connect.data.Decimal","version":1,"parameters":{"scale":"2"},"field":"dec"},{"type":"map","keys":{"type":"string","optional":false},"values":{"type":"float","optional":true},"optional":true,"field":"m"}],"optional":false,"name":"Row","doc":"a \"row\""}`},
		{"empty struct", &record.Schema{Type: record.Struct}, record.StructOf(nil), `{}`, `{"type":"struct","fields":[],"optional":false}`},
		{"map without string keys", pairs, record.MapOf([]record.Value{record.Int64Of(1), record.BoolOf(true), record.Int64Of(2), record.BoolOf(false)}), `[[1,true],[2,false]]`,
			`{"type":"map","keys":{"type":"int64","optional":false},"values":{"type":"boolean","optional":false},"optional":false}`},
		{"bare map", nil, record.MapOf([]record.Value{text2, record.ArrayOf([]record.Value{record.Null, record.Int(record.Int8, -1)})}), `{"x":[null,-1]}`, `null`},
		{"bare map of integers", nil, record.MapOf([]record.Value{record.Int64Of(1), text2}), `[[1,"x"]]`, `null`},
		{"bare empty map", nil, record.MapOf(nil), `{}`, `null`},
	} {
		if got := text(t, without, test.schema, test.value); got != test.payload {
			t.Errorf("%s: %s", test.name, got)
		}
		if got, want := text(t, with, test.schema, test.value), `{"schema":`+test.schema2+`,"payload":`+test.payload+`}`; got != want {
			t.Errorf("%s: %s instead of %s", test.name, got, want)
		}
	}
	if got := text(t, with, nil, record.Null) + text(t, without, nil, record.Null); got != "<null><null>" {
		t.Errorf("a tombstone is %s", got)
	}
}

func TestJSONRefuses(t *testing.T) {
	t.Parallel()
	c := set(t, bare...).Value
	inner := &record.Schema{Type: record.Struct, Fields: []record.Field{{Name: "b", Schema: &record.Schema{Type: record.Array, Elem: record.Of(record.Int64)}}}}
	outer := &record.Schema{Type: record.Struct, Fields: []record.Field{{Name: "a", Schema: inner}}}
	wrap := func(v record.Value) record.Value {
		return record.StructOf([]record.Value{record.StructOf([]record.Value{v})})
	}
	for _, test := range []struct {
		schema *record.Schema
		value  record.Value
		path   string
	}{
		{outer, wrap(record.Null), "a.b"},
		{outer, wrap(record.ArrayOf([]record.Value{record.Int64Of(1), text2})), "a.b[1]"},
		{outer, record.StructOf(nil), ""},
		{nil, record.StructOf(nil), ""},
		{record.Of(record.String), record.Null, ""},
	} {
		out, _, err := c.Append(context.Background(), []byte("before"), "t", test.schema, test.value)
		var e *converter.Invalid
		if !errors.As(err, &e) || e.Path != test.path || string(out) != "before" {
			t.Errorf("%v, %q", err, out)
		}
	}
}

func TestJSONSettings(t *testing.T) {
	t.Parallel()
	decimal := &record.Schema{Type: record.Bytes, Name: "org.apache.kafka.connect.data.Decimal", Parameters: []record.Parameter{{Name: "scale", Value: "2"}}}
	numeric := set(t, append(bare, "value.converter.decimal.format", "numeric")...).Value
	for unscaled, want := range map[string]string{"\x30\x39": "123.45", "\xff": "-0.01", "\x00": "0.00", "\x05": "0.05"} {
		if got := text(t, numeric, decimal, record.BytesOf(unscaled)); got != want {
			t.Errorf("%x: %s", unscaled, got)
		}
	}
	for scale, want := range map[string]string{"-9": "1E+9", "7": "1E-7", "6": "0.000001", "0": "1"} {
		d := &record.Schema{Type: record.Bytes, Name: decimal.Name, Parameters: []record.Parameter{{Name: "scale", Value: scale}}}
		if got := text(t, numeric, d, record.BytesOf("\x01")); got != want {
			t.Errorf("1 of scale %s: %s", scale, got)
		}
	}
	byDefault := text2
	s := &record.Schema{Type: record.String, Optional: true, Default: &byDefault}
	if got := text(t, set(t, append(bare, "value.converter.replace.null.with.default", "FALSE")...).Value, s, record.Null); got != "null" {
		t.Error(got)
	}
	if got := text(t, set(t, bare...).Value, s, record.Null); got != `"x"` {
		t.Error(got)
	}
	for _, bad := range []string{"schemas.enable", "decimal.format", "replace.null.with.default", "schemas.cache.size"} {
		if _, err := converter.NewSet(nil, map[string]string{"key.converter." + bad: "maybe"}); err == nil || !strings.Contains(err.Error(), bad) || !strings.Contains(err.Error(), "key.converter") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestFloats has numbers as JDK 25 printed them: a type, the bits, the text.
func TestFloats(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/java-floats.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := set(t, bare...).Value
	for s := bufio.NewScanner(f); s.Scan(); {
		var typ, bits, want = "", "", ""
		if p := strings.Fields(s.Text()); len(p) == 3 {
			typ, bits, want = p[0], p[1], p[2]
		}
		u, _ := strconv.ParseUint(bits, 16, 64)
		schema, v := record.Of(record.Float64), record.Float64Of(math.Float64frombits(u))
		if typ == "F" {
			schema, v = record.Of(record.Float32), record.Float32Of(math.Float32frombits(uint32(u)))
		}
		if got := strings.Trim(text(t, c, schema, v), `"`); got != want {
			t.Errorf("%s: %s", s.Text(), got)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	c := set(t, bare...).Value
	for in, want := range map[string]string{
		"\x00\x01\x1f\x7f\b\f\n\r\t": "\\u0000\\u0001\\u001F\x7f\\b\\f\\n\\r\\t", `"\/`: `\"\\/`, "<>&\u2028": "<>&\u2028", "😀": `\uD83D\uDE00`,
		"eight by😀tes 日本": `eight by\uD83D\uDE00tes 日本`, "\xff": "\uFFFD", "twelve bytes\x1b": `twelve bytes\u001B`, "\U0010FFFF": `\uDBFF\uDFFF`,
	} {
		if got := text(t, c, record.Of(record.String), record.StringOf(in)); got != `"`+want+`"` {
			t.Errorf("%q: %s", in, got)
		}
	}
}

// TestTextIsReadBack: whatever the string, a JSON parser reads the same from what is written.
func TestTextIsReadBack(t *testing.T) {
	t.Parallel()
	c := set(t, bare...).Value
	rapid.Check(t, func(rt *rapid.T) {
		in := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(rt, "text")
		var out string
		if err := json.Unmarshal([]byte(text(t, c, record.Of(record.String), record.StringOf(in))), &out); err != nil {
			rt.Fatal(err)
		}
		if want := string([]rune(in)); out != want || utf8.ValidString(in) && out != in {
			rt.Fatalf("%q came back as %q", in, out)
		}
	})
}
