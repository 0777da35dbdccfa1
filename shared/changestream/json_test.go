package changestream

import (
	"reflect"
	"strings"
	"testing"
)

const jsonChange = `{"data_change_record":{"commit_timestamp":"2024-01-01T00:00:01.123456789Z","record_sequence":"00000001",
"server_transaction_id":"txn","is_last_record_in_transaction_in_partition":true,"table_name":"Singers",
"column_types":[{"name":"Id","type":{"code":"INT64"},"is_primary_key":true,"ordinal_position":1},
{"name":"Name","type":"{\"code\":\"STRING\"}","is_primary_key":false,"ordinal_position":"2"}],
"mods":[{"keys":{"Id":"9007199254740993"},"new_values":{"Name":"<a>"},"old_values":"{\"Name\": 1.10}"}],
"mod_type":"UPDATE","value_capture_type":"OLD_AND_NEW_VALUES","number_of_records_in_transaction":3,
"number_of_partitions_in_transaction":"2","transaction_tag":"app=x","is_system_transaction":false,"later":1}}`

func decodeText(text string) ([]Record, error) {
	d, err := PostgreSQL.Decoder(Shape{})
	if err != nil {
		return nil, err
	}
	return d.Decode(nil, datum{text})
}

func TestJSONDecodesEachKind(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Record{
		jsonChange: {Data: changed(Update, OldAndNewValues, Mod{Keys: `{"Id":"9007199254740993"}`, New: `{"Name":"<a>"}`, Old: `{"Name": 1.10}`})},
		`{"heartbeat_record":{"timestamp":"2024-01-01T00:00:01.123456789Z"}}`: {Heartbeat: &Heartbeat{instant}},
		`{"child_partitions_record":{"start_timestamp":"2024-01-01T00:00:01.123456789Z","record_sequence":"1","child_partitions":[
			{"token":"a","parent_partition_tokens":["p","q"]},{"token":"b","parent_partition_tokens":[null]},{"token":"c"}]}}`: {
			Children: &ChildPartitions{instant, "1", []Child{{"a", []string{"p", "q"}}, {Token: "b"}, {Token: "c"}}}},
	} {
		got, err := decodeText(in)
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Errorf("%s: got %+v, %v; want %+v", in, got, err, want)
		}
	}
}

func TestJSONNamesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	swap := func(old, new string) string {
		if !strings.Contains(jsonChange, old) {
			panic("the example has no " + old)
		}
		return strings.Replace(jsonChange, old, new, 1)
	}
	for in, field := range map[string]string{
		``:     "read_json",
		`[]`:   "read_json",
		`{}`:   "read_json",
		`null`: "read_json",
		`{"heartbeat_record":{},"child_partitions_record":{}}`:                      "read_json",
		`{"partition_start_record":{}}`:                                             `read_json."partition_start_record"`,
		`{"heartbeat_record":{}}`:                                                   "heartbeat_record.timestamp",
		`{"heartbeat_record":null}`:                                                 "heartbeat_record.timestamp",
		`{"heartbeat_record":[]}`:                                                   "heartbeat_record",
		`{"child_partitions_record":{"record_sequence":"1","child_partitions":[]}}`: "child_partitions_record.start_timestamp",
		`{"child_partitions_record":{"start_timestamp":"2024-01-01T00:00:01Z","record_sequence":"1","child_partitions":[{}]}}`: "child_partitions_record.child_partitions[0].token",
		swap(`"table_name":"Singers",`, ``):                    "data_change_record.table_name",
		swap(`"table_name":"Singers"`, `"table_name":5`):       "data_change_record.table_name",
		swap(`"mod_type":"UPDATE"`, `"mod_type":"X"`):          "data_change_record.mod_type",
		swap(`_transaction":3`, `_transaction":1.5`):           "data_change_record.number_of_records_in_transaction",
		swap(`"keys":{"Id":"9007199254740993"},`, ``):          "data_change_record.mods[0].keys",
		swap(`"new_values":{"Name":"<a>"}`, `"new_values":[]`): "data_change_record.mods[0].new_values",
		swap(`"name":"Id",`, ``):                               "data_change_record.column_types[0].name",
		swap(`"type":{"code":"INT64"},`, ``):                   "data_change_record.column_types[0].type",
	} {
		got, err := decodeText(in)
		undecodable(t, err, field)
		if len(got) != 0 {
			t.Errorf("%s: got %+v beside the error", in, got)
		}
	}
	d, _ := PostgreSQL.Decoder(Shape{})
	_, err := d.Decode(nil, datum{true})
	undecodable(t, err, "read_json")
}

// TestDialectsAgree: both forms of one change are the same record.
func TestDialectsAgree(t *testing.T) {
	t.Parallel()
	text, err := decodeText(jsonChange)
	if err != nil {
		t.Fatal(err)
	}
	d, err := GoogleSQL.Decoder(column())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := d.Decode(nil, row(list(change("UPDATE", "OLD_AND_NEW_VALUES",
		list(`{"Id":"9007199254740993"}`, `{"Name":"<a>"}`, `{"Name": 1.10}`))), nil, nil))
	if err != nil || !reflect.DeepEqual(rows, text) {
		t.Errorf("%+v, %v; %+v", rows, err, text)
	}
}
