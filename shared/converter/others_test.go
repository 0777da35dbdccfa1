package converter_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice.example/shared/converter"
	"sluice.example/shared/delivery"
	"sluice.example/shared/record"
)

func TestOtherConverters(t *testing.T) {
	t.Parallel()
	s := set(t, "key.converter", "org.apache.kafka.connect.storage.StringConverter", "value.converter", "org.apache.kafka.connect.converters.ByteArrayConverter")
	row := &record.Schema{Type: record.Struct, Fields: []record.Field{{Name: "a", Schema: optional}, {Name: "n", Schema: record.OptionalOf(record.Int64)}, {Name: "f", Schema: record.Of(record.Float64)}}}
	full := record.StructOf([]record.Value{record.StringOf(`q"\`), record.Null, record.Float64Of(1e7)})
	list := record.ArrayOf([]record.Value{text2, record.Null, record.BoolOf(true)})
	entries := record.MapOf([]record.Value{text2, record.Int64Of(1), record.StringOf("y"), record.Null})
	named := func(typ record.Type, name string) *record.Schema {
		return &record.Schema{Type: typ, Name: "org.apache.kafka.connect.data." + name}
	}
	for _, test := range []struct {
		schema       *record.Schema
		value        record.Value
		java, header string
	}{
		{optional, text2, "x", "x"},
		{optional, record.Null, "<null>", "<null>"},
		{record.Of(record.Int64), record.Int64Of(-3), "-3", "-3"},
		{record.Of(record.Float32), record.Float32Of(3.14), "3.14", "3.14"},
		{record.Of(record.Boolean), record.BoolOf(false), "false", "false"},
		{record.Of(record.Bytes), record.BytesOf("\x01\x02\x03"), "AQID", "AQID"},
		{row, full, `Struct{a=q"\,f=1.0E7}`, `{"a":"q\"\\","n":null,"f":1.0E7}`},
		{nil, list, "[x, null, true]", `["x",null,true]`},
		{nil, entries, "{x=1, y=null}", `{"x":1,"y":null}`},
		{named(record.Int32, "Date"), record.Int32Of(1), "1", "1970-01-02"},
		{named(record.Int32, "Time"), record.Int32Of(3723004), "3723004", "01:02:03.004Z"},
		{named(record.Int64, "Timestamp"), record.Int64Of(1700000000123), "1700000000123", "2023-11-14T22:13:20.123Z"},
	} {
		if got := text(t, s.Key, test.schema, test.value); got != test.java {
			t.Errorf("StringConverter: %s instead of %s", got, test.java)
		}
		if got := text(t, s.Header, test.schema, test.value); got != test.header {
			t.Errorf("SimpleHeaderConverter: %s instead of %s", got, test.header)
		}
	}
	if got := text(t, s.Value, nil, record.BytesOf("\x00raw")) + text(t, s.Value, record.OptionalOf(record.Bytes), record.Null); got != "\x00raw<null>" {
		t.Errorf("%q", got)
	}
	for _, v := range []record.Value{text2, full} {
		if _, _, err := s.Value.Append(context.Background(), nil, "t", nil, v); err == nil {
			t.Error("ByteArrayConverter took what is no bytes")
		}
	}
}

func TestConvertersAreChosenByClass(t *testing.T) {
	t.Parallel()
	worker := map[string]string{"key.converter": "StringConverter", "value.converter": "org.apache.kafka.connect.json.JsonConverter", "value.converter.schemas.enable": "false"}
	value := func(connector map[string]string) string {
		s, err := converter.NewSet(connector, worker)
		if err != nil {
			t.Fatal(err)
		}
		return text(t, s.Value, optional, text2)
	}
	for name, test := range map[string]struct {
		connector map[string]string
		want      string
	}{
		"the worker's": {nil, `"x"`},
		"the connector's, without the worker's keys": {map[string]string{"value.converter": "Json"}, `{"schema":{"type":"string","optional":true},"payload":"x"}`},
		"keys without a class do not count":          {map[string]string{"value.converter.schemas.enable": "true"}, `"x"`},
		"the connector's with its keys":              {map[string]string{"value.converter": "JsonConverter", "value.converter.schemas.enable": "False"}, `"x"`},
	} {
		if got := value(test.connector); got != test.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	_, err := converter.NewSet(map[string]string{"key.converter": "com.example.A", "value.converter": "com.example.B", "header.converter": "com.example.C"}, worker)
	var e *converter.UnknownClass
	if !errors.As(err, &e) || e.Class != "com.example.A" {
		t.Fatal(err)
	}
	for _, part := range []string{"key.converter", "com.example.A", "value.converter", "com.example.B", "header.converter", "com.example.C", "org.apache.kafka.connect.json.JsonConverter"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name %s", err, part)
		}
	}
	data, headers := converter.Classes()
	if !slices.IsSorted(data) || slices.Contains(data, "org.apache.kafka.connect.storage.SimpleHeaderConverter") || !slices.Contains(headers, "org.apache.kafka.connect.storage.SimpleHeaderConverter") {
		t.Error(data, headers)
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	s := set(t, append(bare, "key.converter", "org.apache.kafka.connect.storage.StringConverter")...)
	rec := &record.Record{Topic: "t", Partition: record.AnyPartition, KeySchema: optional, Key: record.StringOf(""), ValueSchema: optional, Value: text2,
		Headers: []record.Header{{Key: "a", Schema: optional, Value: text2}, {Key: "n", Schema: optional}, {Key: "e", Schema: optional, Value: record.StringOf("")}, {Key: "b", Schema: record.Of(record.Int64), Value: record.Int64Of(5)}}}
	want := delivery.Message{Topic: "t", Partition: -1, Key: []byte{}, Value: []byte(`"x"`),
		Headers: []delivery.Header{{Key: "a", Value: []byte("x")}, {Key: "n"}, {Key: "e", Value: []byte{}}, {Key: "b", Value: []byte("5")}}}
	got, err := s.Message(context.Background(), rec)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got.Key = append(got.Key, "grown"...)
	if string(got.Value) != `"x"` {
		t.Error("growing the key wrote over the value")
	}
	if got, err = s.Message(context.Background(), &record.Record{Topic: "t"}); err != nil || got.Key != nil || got.Value != nil || got.Headers != nil {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := s.Message(context.Background(), &record.Record{Topic: "t", ValueSchema: record.Of(record.Int64), Value: text2}); err == nil || !strings.Contains(err.Error(), "value of a record for topic t") {
		t.Error(err)
	}
}

// TestMessagesDoNotShareBytes makes messages of many sizes at once and looks at all of them afterwards.
func TestMessagesDoNotShareBytes(t *testing.T) {
	t.Parallel()
	s := set(t, append(bare, "key.converter", "org.apache.kafka.connect.storage.StringConverter")...)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			fill := func(i int) string { return strings.Repeat(string(rune('a'+(i+g)%26)), i*i%40000) }
			var made []delivery.Message
			for i := range 300 {
				v := record.StringOf(fill(i))
				m, err := s.Message(context.Background(), &record.Record{Topic: "t", KeySchema: optional, Key: v, ValueSchema: optional, Value: v, Headers: []record.Header{{Key: "h", Schema: optional, Value: v}}})
				if err != nil {
					t.Error(err)
				}
				made = append(made, m)
			}
			for i, m := range made {
				if want := fill(i); string(m.Key) != want || string(m.Value) != `"`+want+`"` || string(m.Headers[0].Value) != want {
					t.Errorf("message %d was written over", i)
				}
			}
		})
	}
	wg.Wait()
}
