package changestream

import (
	"encoding/json"
	"errors"
	"testing"
)

// FuzzJSON: whatever comes, decoding answers with one record or with *Undecodable, and a record is whole.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{jsonChange, `{"heartbeat_record":{"timestamp":"2024-01-01T00:00:01Z"}}`,
		`{"child_partitions_record":{"start_timestamp":"2024-01-01T00:00:01Z","record_sequence":"1","child_partitions":[{"token":"a"}]}}`,
		`{}`, `null`, `{"data_change_record":null}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decodeText(text)
		sound(t, got, err, 1)
	})
}

// FuzzStruct decodes rows that JSON describes: null, strings, booleans and arrays, in any arrangement.
func FuzzStruct(f *testing.F) {
	for _, v := range []Value{
		row(list(change("INSERT", "NEW_VALUES", list("{}", nil, nil))), list(list(instantText)), list(list(instantText, "1", list(list("a", list(nil)))))),
		row(nil, nil, nil), datum{nil}, datum{list(nil)}, datum{list(list())},
	} {
		text, err := json.Marshal(v.(datum).v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		if json.Unmarshal(text, &v) != nil {
			return
		}
		d, err := GoogleSQL.Decoder(column())
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Decode(nil, datum{v})
		sound(t, got, err, -1)
	})
}

func sound(t *testing.T, got []Record, err error, n int) {
	t.Helper()
	var u *Undecodable
	if err != nil {
		if !errors.As(err, &u) || u.Field == "" || u.Reason == "" {
			t.Errorf("got %v, want *Undecodable", err)
		}
		return
	}
	if n >= 0 && len(got) != n {
		t.Errorf("%d records, want %d", len(got), n)
	}
	for _, r := range got {
		set := 0
		for _, is := range []bool{r.Data != nil, r.Heartbeat != nil, r.Children != nil} {
			if is {
				set++
			}
		}
		if set != 1 {
			t.Errorf("%d fields of a record are set, want 1", set)
		}
		if r.Data != nil {
			if known(r.Data) != nil {
				t.Errorf("a change of kind %q, %q", r.Data.ModType, r.Data.ValueCapture)
			}
			for _, m := range r.Data.Mods {
				if !isObject(m.Keys) {
					t.Errorf("keys %q", m.Keys)
				}
			}
		}
	}
}
