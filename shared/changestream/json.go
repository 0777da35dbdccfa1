package changestream

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// jsonDecoder reads the rows of a PostgreSQL-dialect database: one JSONB column with exactly one member, named for the
// kind of record.
type jsonDecoder struct{}

// Decode implements Decoder.
func (jsonDecoder) Decode(dst []Record, column Value) ([]Record, error) {
	text, ok := column.Text()
	if !ok {
		return dst, &Undecodable{Field: "read_json", Reason: "is not text"}
	}
	return decodeJSON(dst, []byte(text))
}

func decodeJSON(dst []Record, text []byte) ([]Record, error) {
	var kinds map[string]json.RawMessage
	if err := json.Unmarshal(text, &kinds); err != nil {
		return dst, &Undecodable{Field: "read_json", Reason: "is not a JSON object: " + excerpt(string(text))}
	}
	if len(kinds) != 1 {
		return dst, &Undecodable{Field: "read_json", Reason: "has " + strconv.Itoa(len(kinds)) + " members instead of one record"}
	}
	for kind, body := range kinds {
		r, err := decodeKind(kind, body)
		if err != nil {
			return dst, err
		}
		dst = append(dst, r)
	}
	return dst, nil
}

func decodeKind(kind string, body []byte) (r Record, err error) {
	switch kind {
	case kindNames[ofData]:
		var j jsonData
		if err = unmarshal(kind, body, &j); err == nil {
			r.Data, err = j.record()
		}
	case kindNames[ofHeartbeat]:
		var j jsonHeartbeat
		if err = unmarshal(kind, body, &j); err == nil {
			r.Heartbeat, err = j.record()
		}
	case kindNames[ofChildren]:
		var j jsonChildren
		if err = unmarshal(kind, body, &j); err == nil {
			r.Children, err = j.record()
		}
	default:
		err = &Undecodable{Field: "read_json." + excerpt(kind), Reason: "unknown kind of record"}
	}
	return r, err
}

// unmarshal names the field that has the wrong type, and never repeats a value.
func unmarshal(path string, text []byte, into any) error {
	err := json.Unmarshal(text, into)
	if err == nil {
		return nil
	}
	if wrong, ok := err.(*json.UnmarshalTypeError); ok && wrong.Field != "" {
		return &Undecodable{Field: path + "." + wrong.Field, Reason: "is a JSON " + wrong.Value + ", expected " + wrong.Type.String()}
	}
	return &Undecodable{Field: path, Reason: err.Error()}
}

type jsonHeartbeat struct {
	Timestamp *moment `json:"timestamp"`
}

func (j *jsonHeartbeat) record() (*Heartbeat, error) {
	if j.Timestamp == nil {
		return nil, missing("heartbeat_record.timestamp")
	}
	return &Heartbeat{Timestamp: time.Time(*j.Timestamp)}, nil
}

type jsonChildren struct {
	Start    *moment `json:"start_timestamp"`
	Sequence *string `json:"record_sequence"`
	Children []struct {
		Token   *string   `json:"token"`
		Parents []*string `json:"parent_partition_tokens"`
	} `json:"child_partitions"`
}

func (j *jsonChildren) record() (*ChildPartitions, error) {
	const path = "child_partitions_record."
	switch {
	case j.Start == nil:
		return nil, missing(path + "start_timestamp")
	case j.Sequence == nil:
		return nil, missing(path + "record_sequence")
	case j.Children == nil:
		return nil, missing(path + "child_partitions")
	}
	c := &ChildPartitions{StartTimestamp: time.Time(*j.Start), RecordSequence: *j.Sequence}
	for i, k := range j.Children {
		if k.Token == nil {
			return nil, missing(path + "child_partitions[" + strconv.Itoa(i) + "].token")
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

func missing(field string) error { return &Undecodable{Field: field, Reason: "is missing"} }

// plain is the text of a JSON value: servers send an object, or a string that holds one. "" stands for null.
func plain(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return strings.TrimSpace(s)
	}
	return string(raw)
}
