package changestream

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestStructDecodesEachKind(t *testing.T) {
	t.Parallel()
	mod := list(`{"Id":"9007199254740993"}`, `{"Name":"<a>"}`, `{"Name":null}`)
	want := Mod{Keys: `{"Id":"9007199254740993"}`, New: `{"Name":"<a>"}`, Old: `{"Name":null}`}
	cases := map[string]struct {
		in   Value
		want []Record
	}{
		"heartbeat": {row(nil, list(list(instantText)), nil), []Record{{Heartbeat: &Heartbeat{instant}}}},
		"first partitions, parents empty, null, or one null": {
			row(nil, nil, list(list(instantText, "00000001", list(list("a", list()), list("b", nil), list("c", list(nil)))))),
			[]Record{{Children: &ChildPartitions{instant, "00000001", []Child{{Token: "a"}, {Token: "b"}, {Token: "c"}}}}},
		},
		"merge": {
			row(nil, nil, list(list(instantText, "00000002", list(list("c", list("p1", "p2")))))),
			[]Record{{Children: &ChildPartitions{instant, "00000002", []Child{{"c", []string{"p1", "p2"}}}}}},
		},
		"values absent": {
			row(list(change("DELETE", "NEW_ROW", list(`{"Id":"1"}`, nil, nil))), nil, nil),
			[]Record{{Data: changed(Delete, NewRow, Mod{Keys: `{"Id":"1"}`})}},
		},
		"entries that hold nothing": {
			row(list(nil, make([]any, len(dataNames))), list(list(nil)), list(list(nil, nil, nil), nil)), nil,
		},
		"nothing": {row(nil, nil, nil), nil},
		"data, then heartbeats, then children": {
			row(list(change("INSERT", "NEW_VALUES", mod)), list(list(instantText)), list(list(instantText, "1", list()))),
			[]Record{{Data: changed(Insert, NewValues, want)}, {Heartbeat: &Heartbeat{instant}}, {Children: &ChildPartitions{instant, "1", nil}}},
		},
	}
	for _, kind := range []ModType{Insert, Update, Delete} {
		for _, capture := range []ValueCapture{OldAndNewValues, NewValues, NewRow, NewRowAndOldValues} {
			cases[string(kind)+" "+string(capture)] = struct {
				in   Value
				want []Record
			}{row(list(change(string(kind), string(capture), mod, mod)), nil, nil), []Record{{Data: changed(kind, capture, want, want)}}}
		}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := GoogleSQL.Decoder(column())
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Decode(nil, c.in)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

// TestStructFollowsTheType: fields in another order, fields more, and the two that older services do not send.
func TestStructFollowsTheType(t *testing.T) {
	t.Parallel()
	shape := Shape{Fields: []Field{
		of("future_record", fields("x")),
		of("child_partitions_record", with(fields("more", "child_partitions", "start_timestamp", "record_sequence"), of("child_partitions", fields("token")))),
		of("data_change_record", with(fields("new_field", "mods", "column_types", "commit_timestamp", "record_sequence", "server_transaction_id",
			"is_last_record_in_transaction_in_partition", "table_name", "mod_type", "value_capture_type", "number_of_records_in_transaction",
			"number_of_partitions_in_transaction"), of("column_types", fields("ordinal_position", "name", "type", "is_primary_key")), of("mods", fields("keys")))),
		of("heartbeat_record", fields("more", "timestamp")),
	}}
	d, err := GoogleSQL.Decoder(shape)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Decode(nil, datum{list(list(
		list(), list(list("?", list(list("tok")), instantText, "7")),
		list(list("?", list(list(`{"Id":"1"}`)), list(list("1", "Id", `{"code":"INT64"}`, true)), instantText, "00000001", "txn", true,
			"Singers", "INSERT", "NEW_VALUES", "1", "1")),
		list(list("?", instantText)),
	))})
	if err != nil || len(got) != 3 || got[0].Data == nil || got[1].Heartbeat == nil || got[2].Children == nil {
		t.Fatalf("got %+v, %v", got, err)
	}
	if d := got[0].Data; d.TransactionTag != "" || d.SystemTransaction || d.Mods[0].New != "" || d.Columns[0] != (Column{"Id", `{"code":"INT64"}`, true, 1}) {
		t.Errorf("got %+v", d)
	}
	if c := got[2].Children; c.Children[0].Token != "tok" || c.RecordSequence != "7" || !got[2].Time().Equal(instant) {
		t.Errorf("got %+v", c)
	}
}

// TestStructNamesWhatItCannotRead changes one thing at a time.
func TestStructNamesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	mod := list(`{"Id":"1"}`, nil, nil)
	put := func(r []any, i int, v any) Value { r[i] = v; return row(list(r), nil, nil) }
	good := func() []any { return change("INSERT", "NEW_VALUES", mod) }
	for field, in := range map[string]Value{
		"ChangeRecord":                                                        datum{"text"},
		"ChangeRecord[0]":                                                     datum{list("text")},
		"ChangeRecord[0].heartbeat_record":                                    datum{list(list(list(), "text", list()))},
		"ChangeRecord[0].child_partitions_record":                             datum{list(list(list(), list()))},
		"data_change_record":                                                  row(list("text"), nil, nil),
		"data_change_record.commit_timestamp":                                 put(good(), dataCommit, "yesterday"),
		"data_change_record.record_sequence":                                  put(good(), dataSequence, nil),
		"data_change_record.is_last_record_in_transaction_in_partition":       put(good(), dataLast, "true"),
		"data_change_record.number_of_records_in_transaction":                 put(good(), dataRecords, "many"),
		"data_change_record.transaction_tag":                                  put(good(), dataTag, true),
		"data_change_record.mod_type":                                         put(good(), dataModType, "UPSERT"),
		"data_change_record.value_capture_type":                               put(good(), dataCapture, "EVERYTHING"),
		"data_change_record.column_types":                                     put(good(), dataColumns, nil),
		"data_change_record.column_types[0].name":                             put(good(), dataColumns, list(list(nil, "{}", true, "1"))),
		"data_change_record.column_types[0]":                                  put(good(), dataColumns, list(nil)),
		"data_change_record.mods":                                             put(good(), dataMods, "text"),
		"data_change_record.mods[1].keys":                                     put(good(), dataMods, list(mod, list("", nil, nil))),
		"data_change_record.mods[0].new_values":                               put(good(), dataMods, list(list("{}", "[]", nil))),
		"data_change_record.mods[0].old_values":                               put(good(), dataMods, list(list("{}", nil, "text"))),
		"heartbeat_record.timestamp":                                          row(nil, list(list(true)), nil),
		"child_partitions_record.start_timestamp":                             row(nil, nil, list(list(nil, "1", list()))),
		"child_partitions_record.child_partitions":                            row(nil, nil, list(list(instantText, "1", nil))),
		"child_partitions_record.child_partitions[1].token":                   row(nil, nil, list(list(instantText, "1", list(list("a", nil), list(nil, nil))))),
		"child_partitions_record.child_partitions[0].parent_partition_tokens": row(nil, nil, list(list(instantText, "1", list(list("a", list(true)))))),
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			d, err := GoogleSQL.Decoder(column())
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Decode(nil, in)
			undecodable(t, err, field)
			if len(got) != 0 {
				t.Errorf("got %+v beside the error", got)
			}
		})
	}
}

func TestStructRefusesTypesItCannotRead(t *testing.T) {
	t.Parallel()
	without := func(kind int, name string) Shape {
		s := column()
		for i, f := range s.Fields[kind].Shape.Fields {
			if f.Name == name {
				s.Fields[kind].Shape.Fields[i].Name = "renamed"
			}
		}
		return s
	}
	for field, s := range map[string]Shape{
		"ChangeRecord":                                   {},
		"data_change_record.commit_timestamp":            without(ofData, "commit_timestamp"),
		"data_change_record.mods":                        without(ofData, "mods"),
		"heartbeat_record.timestamp":                     without(ofHeartbeat, "timestamp"),
		"child_partitions_record.child_partitions":       without(ofChildren, "child_partitions"),
		"child_partitions_record.child_partitions.token": {Fields: append(column().Fields[:2:2], of("child_partitions_record", fields(childrenNames...)))},
	} {
		_, err := GoogleSQL.Decoder(s)
		undecodable(t, err, field)
	}
	if _, err := GoogleSQL.Decoder(Shape{}); !strings.Contains(err.Error(), "MUTABLE_KEY_RANGE") {
		t.Errorf("got %v, want a hint at the partition mode", err)
	}
}

// TestStructRefusesUnknownRecords: a kind of record that came is an error, an empty place for one is not.
func TestStructRefusesUnknownRecords(t *testing.T) {
	t.Parallel()
	s := column()
	s.Fields = append(s.Fields, of("future_record", fields("x")))
	d, err := GoogleSQL.Decoder(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, empty := range []any{nil, list()} {
		if got, err := d.Decode(nil, datum{list(list(list(), list(list(instantText)), list(), empty))}); err != nil || len(got) != 1 {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	_, err = d.Decode(nil, datum{list(list(list(), list(), list(), list(list("x"))))})
	undecodable(t, err, "ChangeRecord[0].future_record")
}

// TestStructSharesColumns: as long as a table stays as it is.
func TestStructSharesColumns(t *testing.T) {
	t.Parallel()
	d, err := GoogleSQL.Decoder(column())
	if err != nil {
		t.Fatal(err)
	}
	mod := list("{}", nil, nil)
	other := change("INSERT", "NEW_VALUES", mod)
	other[dataColumns] = list(list("Id", `{"code":"STRING"}`, true, "1"))
	got, err := d.Decode(nil, row(list(change("INSERT", "NEW_VALUES", mod), change("INSERT", "NEW_VALUES", mod), other, change("INSERT", "NEW_VALUES", mod)), nil, nil))
	if err != nil || len(got) != 4 {
		t.Fatalf("got %d, %v", len(got), err)
	}
	if &got[0].Data.Columns[0] != &got[1].Data.Columns[0] {
		t.Error("two changes of one table do not share their columns")
	}
	if len(got[2].Data.Columns) != 1 || len(got[0].Data.Columns) != 2 || len(got[3].Data.Columns) != 2 {
		t.Error("columns of one change came to another")
	}
}

func undecodable(t *testing.T, err error, field string) {
	t.Helper()
	var u *Undecodable
	if !errors.As(err, &u) || u.Field != field || u.Reason == "" {
		t.Errorf("got %v, want *Undecodable of field %s", err, field)
	}
}
