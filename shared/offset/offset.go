// Package offset is the wire form of a Connect source offset for a change stream partition: the key and value of a
// record of the offsets topic. The three members that Debezium writes come first, with Debezium's meaning, so that a
// Kafka Connect worker can read the topic; Sluice's own members follow, of primitive types only, as Connect demands.
// The topic is the truth about progress: the whole partition graph can be rebuilt from it alone.
package offset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// State of a partition as far as the offsets topic knows it.
type State string

// A partition's record says RUNNING with each checkpoint and FINISHED once, together with its children. A record written
// by Debezium has no state, which reads as Running.
const (
	Running  State = "RUNNING"
	Finished State = "FINISHED"
)

// Position is the checkpoint of one partition.
type Position struct {
	// Offset is closed: every change of the partition up to and including it is in Kafka. A Debezium offset promises
	// less (its own timestamp may be delivered in part), see Closed.
	Offset time.Time
	// Closed tells that Offset was written by Sluice and is exact.
	Closed bool
	// LastSeen is the newest timestamp at which Spanner itself returned something; zero when nothing was.
	LastSeen time.Time
	// Next is where the next query starts; zero: at Offset.
	Next time.Time

	State    State
	Start    time.Time // the partition's own start
	Parents  []string
	Children []Child // of a Finished partition
}

// Child is a partition that continues a finished one.
type Child struct {
	Token   string    `json:"token"`
	Start   time.Time `json:"start"`
	Parents []string  `json:"parents"`
}

// Key is the key of the offsets record of a partition: ["<connector>",{"partitionToken":"<token>"}], the bytes that
// Connect's JsonConverter writes.
func Key(connector, token string) []byte {
	b := append([]byte{'['}, quote(connector)...)
	b = append(b, `,{"partitionToken":`...)
	b = append(b, quote(token)...)
	return append(b, "}]"...)
}

// ParseKey reads a key of the offsets topic; ok is false for a key of another form (another connector's kind, or
// Connect's ["name",null]).
func ParseKey(key []byte) (connector, token string, ok bool) {
	var parts []json.RawMessage
	if json.Unmarshal(key, &parts) != nil || len(parts) != 2 || json.Unmarshal(parts[0], &connector) != nil {
		return "", "", false
	}
	var partition map[string]any
	if json.Unmarshal(parts[1], &partition) != nil || len(partition) != 1 {
		return connector, "", false
	}
	token, ok = partition["partitionToken"].(string)
	return connector, token, ok
}

// wire is the value's form; the order of the members is fixed.
type wire struct {
	Offset         string `json:"offset"`
	StartTime      string `json:"startTime"`
	QueryStartedAt string `json:"queryStartedAt"`
	State          string `json:"state,omitempty"`
	LastSeen       string `json:"lastSeen,omitempty"`
	Next           string `json:"next,omitempty"`
	Parents        string `json:"parents,omitempty"`  // a JSON array as text: Connect allows primitives only
	Children       string `json:"children,omitempty"` // likewise
}

// Marshal is the value of the offsets record.
func (p Position) Marshal() []byte {
	w := wire{
		Offset:         FormatTime(p.Offset),
		StartTime:      FormatTime(p.Start),
		QueryStartedAt: "0001-01-01T00:00:00Z", // what Debezium writes, always
		State:          string(p.State),
	}
	if w.State == "" {
		w.State = string(Running)
	}
	if !p.LastSeen.IsZero() {
		w.LastSeen = FormatTime(p.LastSeen)
	}
	if !p.Next.IsZero() {
		w.Next = FormatTime(p.Next)
	}
	if len(p.Parents) > 0 {
		w.Parents = text(p.Parents)
	}
	if len(p.Children) > 0 {
		w.Children = text(p.Children)
	}
	return marshal(w)
}

// Parse reads the value of an offsets record, Sluice's or Debezium's. An empty object is an error, as is a value without
// an offset: it says nothing about progress.
func Parse(value []byte) (Position, error) {
	var w wire
	if err := json.Unmarshal(value, &w); err != nil {
		return Position{}, fmt.Errorf("offset value: %w", err)
	}
	p := Position{State: State(w.State), Closed: w.State != ""}
	if p.State == "" {
		p.State = Running
	}
	var err error
	for _, f := range []struct {
		name, text string
		to         *time.Time
		must       bool
	}{{"offset", w.Offset, &p.Offset, true}, {"startTime", w.StartTime, &p.Start, false}, {"lastSeen", w.LastSeen, &p.LastSeen, false}, {"next", w.Next, &p.Next, false}} {
		if f.text == "" && !f.must {
			continue
		}
		if *f.to, err = time.Parse(time.RFC3339Nano, f.text); err != nil {
			return Position{}, fmt.Errorf("offset value: member %s: %w", f.name, err)
		}
	}
	if p.Start.IsZero() {
		p.Start = p.Offset
	}
	if w.Parents != "" {
		if err := json.Unmarshal([]byte(w.Parents), &p.Parents); err != nil {
			return Position{}, fmt.Errorf("offset value: member parents: %w", err)
		}
	}
	if w.Children != "" {
		if err := json.Unmarshal([]byte(w.Children), &p.Children); err != nil {
			return Position{}, fmt.Errorf("offset value: member children: %w", err)
		}
	}
	return p, nil
}

// FormatTime prints a timestamp as Debezium does: RFC 3339 in UTC with nine digits of fraction, or none when it is zero.
func FormatTime(t time.Time) string {
	t = t.UTC()
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000000000Z")
}

func quote(s string) []byte { return marshal(s) }

func text(v any) string { return string(marshal(v)) }

// marshal is encoding/json without its escaping of HTML, which Java does not do.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings and structs of strings always encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
