package changestream

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// jsonData is a data change as PostgreSQL-dialect databases send it. Pointers tell an absent member from an empty one.
type jsonData struct {
	Commit      *moment      `json:"commit_timestamp"`
	Sequence    *string      `json:"record_sequence"`
	Transaction *string      `json:"server_transaction_id"`
	Last        *bool        `json:"is_last_record_in_transaction_in_partition"`
	Table       *string      `json:"table_name"`
	Columns     []jsonColumn `json:"column_types"`
	Mods        []jsonMod    `json:"mods"`
	ModType     *string      `json:"mod_type"`
	Capture     *string      `json:"value_capture_type"`
	Records     *whole       `json:"number_of_records_in_transaction"`
	Partitions  *whole       `json:"number_of_partitions_in_transaction"`
	Tag         string       `json:"transaction_tag"`
	System      bool         `json:"is_system_transaction"`
}

type jsonColumn struct {
	Name       *string         `json:"name"`
	Type       json.RawMessage `json:"type"`
	PrimaryKey *bool           `json:"is_primary_key"`
	Ordinal    *whole          `json:"ordinal_position"`
}

type jsonMod struct {
	Keys json.RawMessage `json:"keys"`
	New  json.RawMessage `json:"new_values"`
	Old  json.RawMessage `json:"old_values"`
}

func (j *jsonData) record() (*DataChange, error) {
	const path = "data_change_record."
	for i, absent := range [...]bool{
		dataCommit: j.Commit == nil, dataSequence: j.Sequence == nil, dataTransaction: j.Transaction == nil, dataLast: j.Last == nil,
		dataTable: j.Table == nil, dataColumns: j.Columns == nil, dataMods: j.Mods == nil, dataModType: j.ModType == nil,
		dataCapture: j.Capture == nil, dataRecords: j.Records == nil, dataPartitions: j.Partitions == nil,
	} {
		if absent {
			return nil, missing(path + dataNames[i])
		}
	}
	d := &DataChange{
		CommitTimestamp: time.Time(*j.Commit), RecordSequence: *j.Sequence, TransactionID: *j.Transaction, LastInPartition: *j.Last,
		Table: *j.Table, ModType: ModType(*j.ModType), ValueCapture: ValueCapture(*j.Capture),
		RecordsInTxn: int64(*j.Records), PartitionsInTxn: int64(*j.Partitions), TransactionTag: j.Tag, SystemTransaction: j.System,
		Columns: make([]Column, len(j.Columns)), Mods: make([]Mod, len(j.Mods)),
	}
	if err := known(d); err != nil {
		return nil, err
	}
	for i, c := range j.Columns {
		at := path + "column_types[" + strconv.Itoa(i) + "]."
		switch {
		case c.Name == nil:
			return nil, missing(at + "name")
		case plain(c.Type) == "":
			return nil, missing(at + "type")
		case c.PrimaryKey == nil:
			return nil, missing(at + "is_primary_key")
		case c.Ordinal == nil:
			return nil, missing(at + "ordinal_position")
		}
		d.Columns[i] = Column{Name: *c.Name, Type: plain(c.Type), PrimaryKey: *c.PrimaryKey, Ordinal: int64(*c.Ordinal)}
	}
	for i, m := range j.Mods {
		at := path + "mods[" + strconv.Itoa(i) + "]."
		d.Mods[i] = Mod{Keys: plain(m.Keys), New: plain(m.New), Old: plain(m.Old)}
		if d.Mods[i].Keys == "" {
			return nil, missing(at + "keys")
		}
		for k, text := range [...]string{modKeys: d.Mods[i].Keys, modNew: d.Mods[i].New, modOld: d.Mods[i].Old} {
			if text != "" && !isObject(text) {
				return nil, &Undecodable{Field: at + modNames[k], Reason: "is not a JSON object: " + excerpt(text)}
			}
		}
	}
	return d, nil
}

// whole is an integer that JSON carries as a number or, as everywhere else in a change record, as text.
type whole int64

// UnmarshalJSON implements json.Unmarshaler.
func (w *whole) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
	if err != nil {
		return &json.UnmarshalTypeError{Value: "value " + excerpt(string(text)), Type: reflect.TypeFor[int64]()}
	}
	*w = whole(n)
	return nil
}

// moment is a timestamp. A wrong one is refused by the field's name, without the value.
type moment time.Time

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(text []byte) error {
	t, err := time.Parse(`"`+time.RFC3339Nano+`"`, string(text))
	if err != nil {
		return &json.UnmarshalTypeError{Value: "value of another form", Type: reflect.TypeFor[time.Time]()}
	}
	*m = moment(t.UTC())
	return nil
}
