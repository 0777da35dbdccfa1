package changestream_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"sluice.example/shared/changestream"
)

// decoded are the records of whole().
func decoded() []changestream.Record {
	at := func(sec, nsec int) time.Time { return time.Date(2026, 1, 2, 3, 4, sec, nsec, time.UTC) }
	return []changestream.Record{
		{Data: &changestream.DataChange{
			CommitTimestamp: at(5, 123456789), RecordSequence: "00000001", TransactionID: "txn", LastInPartition: true, Table: "T",
			Columns: []changestream.Column{
				{Name: "id", Type: `{"code":"INT64"}`, PrimaryKey: true, Ordinal: 1},
				{Name: "v", Type: `{"code":"STRING"}`, Ordinal: 2},
			},
			Mods:    []changestream.Mod{{Keys: `{"id":"9007199254740993"}`, New: `{"v":"<é>"}`, Old: `{"v":null}`}},
			ModType: changestream.Update, ValueCapture: changestream.OldAndNewValues, RecordsInTxn: 2, PartitionsInTxn: 3,
			TransactionTag: "app=x", SystemTransaction: true,
		}},
		{Heartbeat: &changestream.Heartbeat{Timestamp: at(6, 0)}},
		{Children: &changestream.ChildPartitions{StartTimestamp: at(7, 1), RecordSequence: "00000002", Children: []changestream.Child{
			{Token: "a", Parents: []string{"p", "q"}}, {Token: "b"}, {Token: "c"},
		}}},
	}
}

// google decodes a row of a shape, as a GoogleSQL query does.
func google(shape, row any) ([]changestream.Record, error) {
	d, err := changestream.GoogleSQL.Decoder(shapeOf(shape))
	if err != nil {
		return nil, err
	}
	return d.Decode(nil, valueOf(row))
}

func postgres(text string) ([]changestream.Record, error) {
	d, err := changestream.PostgreSQL.Decoder(changestream.Shape{})
	if err != nil {
		return nil, err
	}
	return d.Decode(nil, valueOf(text))
}

var kinds = map[string]any{"data_change_record": dataRecord, "heartbeat_record": heartbeatRecord, "child_partitions_record": childrenRecord}

// place is where a record of a kind stands in whole().
func place(kind string) string { return "0." + kind + ".0" }

func TestDecodeAll(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]any{"in order": whole(), "mixed, with novelties": mixed(whole())} {
		if name != "in order" { // a novelty beside the kinds of record is refused, see TestUnknownKind
			row.([]any)[0] = row.([]any)[0].(obj)[1:]
		}
		got, err := google(row, row)
		if err != nil || !reflect.DeepEqual(got, decoded()) {
			t.Errorf("GoogleSQL, %s: error %v, records\n%+v", name, err, got)
		}
	}
	for i, kind := range []string{"data_change_record", "heartbeat_record", "child_partitions_record"} {
		for name, v := range map[string]any{"in order": kinds[kind], "mixed, with novelties": mixed(kinds[kind])} {
			got, err := postgres(jsonRow(kind, v))
			if err != nil || !reflect.DeepEqual(got, decoded()[i:i+1]) {
				t.Errorf("PostgreSQL, %s of %s: error %v, records\n%+v", kind, name, err, got)
			}
		}
	}
}

// TestEmptyPlaces: arrays of nothing, nulls and structs of nulls hold no record.
func TestEmptyPlaces(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]any{
		"no rows":  []any{},
		"empty":    []any{obj{{"", []any{}}, {"", []any{}}, {"", []any{}}}},
		"null":     []any{obj{{"", nil}, {"", []any{nil}}, {"", nil}}},
		"of nulls": []any{obj{{"", []any{}}, {"", []any{obj{{"", nil}}}}, {"", []any{}}}},
	} {
		if got, err := google(whole(), row); err != nil || len(got) > 0 {
			t.Errorf("%s: records %+v, error %v", name, got, err)
		}
	}
}

// fields are all that a record must have, and the values of a wrong type for each.
var fields = []struct {
	kind, path string
	wrong      []any // beside null and absence
	optional   bool  // null and absent are fine
}{
	{"data_change_record", "commit_timestamp", []any{"yesterday", true, []any{}}, false},
	{"data_change_record", "record_sequence", []any{true, []any{}}, false},
	{"data_change_record", "server_transaction_id", []any{true}, false},
	{"data_change_record", "is_last_record_in_transaction_in_partition", []any{"true"}, false},
	{"data_change_record", "table_name", []any{false, []any{}}, false},
	{"data_change_record", "column_types", []any{"x", true}, false},
	{"data_change_record", "column_types.0.name", []any{true}, false},
	{"data_change_record", "column_types.0.type", nil, false},
	{"data_change_record", "column_types.0.is_primary_key", []any{"true"}, false},
	{"data_change_record", "column_types.0.ordinal_position", []any{"first", true}, false},
	{"data_change_record", "mods", []any{"x"}, false},
	{"data_change_record", "mods.0.keys", []any{"7", `["id"]`, true}, false},
	{"data_change_record", "mods.0.new_values", []any{"7", `[1]`, true}, true},
	{"data_change_record", "mods.0.old_values", []any{"7", `[1]`, true}, true},
	{"data_change_record", "mod_type", []any{true, "MERGE", ""}, false},
	{"data_change_record", "value_capture_type", []any{true, "EVERYTHING", ""}, false},
	{"data_change_record", "number_of_records_in_transaction", []any{"many", true}, false},
	{"data_change_record", "number_of_partitions_in_transaction", []any{"9223372036854775808"}, false},
	{"data_change_record", "transaction_tag", []any{true}, true},
	{"data_change_record", "is_system_transaction", []any{"true"}, true},
	{"heartbeat_record", "timestamp", []any{"soon", true}, false},
	{"child_partitions_record", "start_timestamp", []any{"then", true}, false},
	{"child_partitions_record", "record_sequence", []any{true}, false},
	{"child_partitions_record", "child_partitions", []any{"x", true}, false},
	{"child_partitions_record", "child_partitions.0.token", []any{true}, false},
	{"child_partitions_record", "child_partitions.0.parent_partition_tokens", []any{"p", []any{true}}, true},
}

// TestFieldsAreJudged takes each field away, or gives it null or a wrong type: what must be there is refused by name.
func TestFieldsAreJudged(t *testing.T) {
	t.Parallel()
	for _, f := range fields {
		at := place(f.kind) + "." + f.path
		judge := func(what string, err error, fine bool) {
			t.Helper()
			switch {
			case fine && err != nil:
				t.Errorf("%s.%s, %s: %v", f.kind, f.path, what, err)
			case !fine:
				leaf := f.path[strings.LastIndexByte(f.path, '.')+1:]
				refuses(t, f.kind+"."+f.path+", "+what, err, f.kind, leaf)
			}
		}
		_, err := google(with(whole(), at, gone{}), with(whole(), at, gone{}))
		judge("absent in GoogleSQL", err, f.optional)
		_, err = postgres(jsonRow(f.kind, with(kinds[f.kind], f.path, gone{})))
		judge("absent in PostgreSQL", err, f.optional)
		for _, is := range append([]any{nil}, f.wrong...) {
			fine := f.optional && is == nil
			if f.kind == "heartbeat_record" && is == nil {
				continue // a record of nulls is none in GoogleSQL, see TestEmptyPlaces
			}
			_, err = google(whole(), with(whole(), at, is))
			judge("other in GoogleSQL", err, fine)
			_, err = postgres(jsonRow(f.kind, with(kinds[f.kind], f.path, is)))
			judge("other in PostgreSQL", err, fine)
		}
	}
}

// refuses expects *Undecodable that names the field.
func refuses(t *testing.T, what string, err error, parts ...string) {
	t.Helper()
	var u *changestream.Undecodable
	if !errors.As(err, &u) {
		t.Errorf("%s: error %v, want an Undecodable", what, err)
		return
	}
	for _, p := range parts {
		if !strings.Contains(u.Field, p) {
			t.Errorf("%s: the field is %q (%s), want %q in it", what, u.Field, u.Reason, p)
		}
	}
	if u.Reason == "" || strings.Contains(u.Error(), "9007199254740993") {
		t.Errorf("%s: the message is %q", what, u)
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]any{
		"no struct": "text", "another form": []any{obj{{"ChangeRecord", "proto"}}},
		"without heartbeats": with(whole(), "0.heartbeat_record", gone{}), "without children": with(whole(), "0.child_partitions_record", gone{}),
	} {
		_, err := changestream.GoogleSQL.Decoder(shapeOf(row))
		refuses(t, name, err, "ChangeRecord")
	}
	for name, row := range map[string]any{
		"column": "text", "null column": nil, "row": []any{"text"}, "null row": []any{nil}, "short row": []any{obj{}},
		"kind": []any{obj{{"", "text"}, {"", nil}, {"", nil}}}, "short record": with(whole(), place("heartbeat_record"), obj{}),
		"mod": with(whole(), place("data_change_record")+".mods.0", "text"), "null mod": with(whole(), place("data_change_record")+".mods.0", nil),
	} {
		_, err := google(whole(), row)
		refuses(t, "wrong "+name, err)
	}
	for _, text := range []string{"", "null", "7", "[]", "{}", `{"a":1,"b":2}`, `{"heartbeat_record":{"timestamp":"2026-01-01T00:00:00Z"},"x":{}}`,
		`{"heartbeat_record":null}`, `{"heartbeat_record":[]}`, `{"heartbeat_record":{}} x`} {
		_, err := postgres(text)
		refuses(t, text, err)
	}
	d, err := changestream.PostgreSQL.Decoder(changestream.Shape{})
	if err == nil {
		_, err = d.Decode(nil, valueOf(true))
	}
	refuses(t, "no text", err, "read_json")
}

// TestUnknownKind: a record of a new kind must not be passed over (I7); an empty place for one may.
func TestUnknownKind(t *testing.T) {
	t.Parallel()
	row := whole()
	added := append(obj{{"partition_event_record", []any{heartbeatRecord}}}, row[0].(obj)...)
	_, err := google([]any{added}, []any{added})
	refuses(t, "a record of a new kind", err, "partition_event_record")
	none := with([]any{added}, "0.partition_event_record", []any{})
	if got, err := google([]any{added}, none); err != nil || len(got) != 3 {
		t.Errorf("an empty place for a new kind: %d records, error %v", len(got), err)
	}
	_, err = postgres(jsonRow("partition_event_record", heartbeatRecord))
	refuses(t, "a record of a new kind", err, "partition_event_record")
}

// TestDecodeAppends: records are put after those that are there, and those of one table share their columns.
func TestDecodeAppends(t *testing.T) {
	t.Parallel()
	d, err := changestream.GoogleSQL.Decoder(shapeOf(whole()))
	if err != nil {
		t.Fatal(err)
	}
	var all []changestream.Record
	renamed := with(whole(), place("data_change_record")+".column_types.1.name", "w").([]any)
	for _, row := range [][]any{whole(), whole(), renamed} {
		if all, err = d.Decode(all, valueOf(row)); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) != 9 {
		t.Fatalf("%d records, want 9", len(all))
	}
	if &all[0].Data.Columns[0] != &all[3].Data.Columns[0] || all[0].Data.Columns[1].Name != "v" || all[6].Data.Columns[1].Name != "w" {
		t.Errorf("columns are %+v, %+v and %+v", all[0].Data.Columns, all[3].Data.Columns, all[6].Data.Columns)
	}
}

// TestTextInText: servers that send JSON in a string inside the JSON are understood, too.
func TestTextInText(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(jsonRow("data_change_record", dataRecord), `{"code":"INT64"}`, `"{\"code\":\"INT64\"}"`)
	text = strings.ReplaceAll(text, `"keys":{"id":"9007199254740993"}`, `"keys":"{\"id\":\"9007199254740993\"}"`)
	text = strings.ReplaceAll(text, `"number_of_records_in_transaction":2`, `"number_of_records_in_transaction":"2"`)
	got, err := postgres(text)
	if err != nil || !reflect.DeepEqual(got, decoded()[:1]) {
		t.Errorf("error %v, records %+v", err, got)
	}
}
