package changestream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// jsonRecord is the row of a PostgreSQL-dialect database: one JSONB column with exactly one member.
type jsonRecord struct {
	Data      *jsonData      `json:"data_change_record"`
	Heartbeat *jsonHeartbeat `json:"heartbeat_record"`
	Children  *jsonChildren  `json:"child_partitions_record"`
}

type jsonData struct {
	Commit      *time.Time   `json:"commit_timestamp"`
	Sequence    *string      `json:"record_sequence"`
	Transaction *string      `json:"server_transaction_id"`
	Last        *bool        `json:"is_last_record_in_transaction_in_partition"`
	Table       *string      `json:"table_name"`
	Columns     []jsonColumn `json:"column_types"`
	Mods        []jsonMod    `json:"mods"`
	ModType     *string      `json:"mod_type"`
	Capture     *string      `json:"value_capture_type"`
	Records     *int64       `json:"number_of_records_in_transaction"`
	Partitions  *int64       `json:"number_of_partitions_in_transaction"`
	Tag         string       `json:"transaction_tag"`
	System      bool         `json:"is_system_transaction"`
}

type jsonColumn struct {
	Name       string          `json:"name"`
	Type       json.RawMessage `json:"type"`
	PrimaryKey bool            `json:"is_primary_key"`
	Ordinal    int64           `json:"ordinal_position"`
}

type jsonMod struct {
	Keys json.RawMessage `json:"keys"`
	New  json.RawMessage `json:"new_values"`
	Old  json.RawMessage `json:"old_values"`
}

type jsonHeartbeat struct {
	Timestamp *time.Time `json:"timestamp"`
}

type jsonChildren struct {
	Start    *time.Time `json:"start_timestamp"`
	Sequence string     `json:"record_sequence"`
	Children []struct {
		Token   *string   `json:"token"`
		Parents []*string `json:"parent_partition_tokens"`
	} `json:"child_partitions"`
}

// DecodeJSON appends the record of a PostgreSQL-dialect row to dst.
func DecodeJSON(dst []Record, text string) ([]Record, error) {
	var r jsonRecord
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return dst, &Undecodable{Field: "read_json", Reason: err.Error()}
	}
	switch {
	case r.Data != nil:
		d, err := r.Data.record()
		if err != nil {
			return dst, err
		}
		return append(dst, Record{Data: d}), nil
	case r.Heartbeat != nil:
		if r.Heartbeat.Timestamp == nil {
			return dst, &Undecodable{Field: "heartbeat_record.timestamp", Reason: "is missing"}
		}
		return append(dst, Record{Heartbeat: &Heartbeat{Timestamp: *r.Heartbeat.Timestamp}}), nil
	case r.Children != nil:
		c, err := r.Children.record()
		if err != nil {
			return dst, err
		}
		return append(dst, Record{Children: c}), nil
	}
	var names map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &names); err != nil || len(names) == 0 {
		return dst, &Undecodable{Field: "read_json", Reason: "has no record"}
	}
	var known []string
	for n := range names {
		known = append(known, n)
	}
	return dst, &Undecodable{Field: "read_json", Reason: "unknown record kind " + strings.Join(known, ", ")}
}

func (j *jsonData) record() (*DataChange, error) {
	for _, f := range []struct {
		name    string
		missing bool
	}{
		{"commit_timestamp", j.Commit == nil}, {"record_sequence", j.Sequence == nil}, {"server_transaction_id", j.Transaction == nil},
		{"is_last_record_in_transaction_in_partition", j.Last == nil}, {"table_name", j.Table == nil}, {"column_types", j.Columns == nil},
		{"mods", j.Mods == nil}, {"mod_type", j.ModType == nil}, {"value_capture_type", j.Capture == nil},
		{"number_of_records_in_transaction", j.Records == nil}, {"number_of_partitions_in_transaction", j.Partitions == nil},
	} {
		if f.missing {
			return nil, &Undecodable{Field: "data_change_record." + f.name, Reason: "is missing"}
		}
	}
	d := &DataChange{
		CommitTimestamp: *j.Commit, RecordSequence: *j.Sequence, TransactionID: *j.Transaction, LastInPartition: *j.Last, Table: *j.Table,
		ModType: ModType(*j.ModType), ValueCapture: ValueCapture(*j.Capture), RecordsInTxn: *j.Records, PartitionsInTxn: *j.Partitions,
		TransactionTag: j.Tag, SystemTransaction: j.System,
	}
	for _, c := range j.Columns {
		d.Columns = append(d.Columns, Column{Name: c.Name, Type: plain(c.Type), PrimaryKey: c.PrimaryKey, Ordinal: c.Ordinal})
	}
	for i, m := range j.Mods {
		if m.Keys == nil {
			return nil, &Undecodable{Field: fmt.Sprintf("data_change_record.mods[%d].keys", i), Reason: "is missing"}
		}
		d.Mods = append(d.Mods, Mod{Keys: plain(m.Keys), New: plain(m.New), Old: plain(m.Old)})
	}
	return d, known(d)
}

func (j *jsonChildren) record() (*ChildPartitions, error) {
	if j.Start == nil {
		return nil, &Undecodable{Field: "child_partitions_record.start_timestamp", Reason: "is missing"}
	}
	c := &ChildPartitions{StartTimestamp: *j.Start, RecordSequence: j.Sequence}
	for i, k := range j.Children {
		if k.Token == nil {
			return nil, &Undecodable{Field: fmt.Sprintf("child_partitions_record.child_partitions[%d].token", i), Reason: "is missing"}
		}
		child := Child{Token: *k.Token}
		for _, p := range k.Parents {
			if p != nil {
				child.Parents = append(child.Parents, *p)
			}
		}
		c.Children = append(c.Children, child)
	}
	return c, nil
}

// plain is a JSON object as text: some servers send it as an object, some as a string that holds one.
func plain(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	return string(raw)
}
