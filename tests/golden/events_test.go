package golden_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"sluice.example/shared/changestream"
	"sluice.example/shared/delivery"
	"sluice.example/shared/tableschema"
)

// event is one record as it was captured from the peer's topics.
type event struct {
	Topic     string
	Partition int
	Key       string
	Value     *string
	Headers   [][2]string

	key     map[string]json.RawMessage
	payload payload
}

type payload struct {
	Before, After map[string]json.RawMessage
	Op            string
	TsNs          int64 `json:"ts_ns"`
	Source        source
}

type source struct {
	Name     string
	TsNs     int64 `json:"ts_ns"`
	Sequence string
	Project  string `json:"project_id"`
	Instance string `json:"instance_id"`
	Database string `json:"database_id"`
	Stream   string `json:"change_stream_name"`
	Table    string
	Txn      string `json:"server_transaction_id"`
	ReadAt   int64  `json:"read_at_timestamp"`
	Records  int64  `json:"number_records_in_transaction"`
	Tag      string `json:"transaction_tag"`
	System   bool   `json:"system_transaction"`
	Capture  string `json:"value_capture_type"`
	Token    string `json:"partition_token"`
	Mod      int    `json:"mod_number"`
	Last     bool   `json:"is_last_record_in_transaction_in_partition"`
	Parts    int64  `json:"number_of_partitions_in_transaction"`
}

// tables are those of the capture's script, as information_schema gives them; records name the same types.
var tables = []tableschema.Table{
	described("Singers", "*!SingerId", "INT64", "Name", "STRING(100)", "Bio", "BYTES(MAX)", "Born", "DATE", "Score", "FLOAT64", "Rate", "FLOAT32",
		"Money", "NUMERIC", "Doc", "JSON", "Tags", "ARRAY<STRING(MAX)>", "Nums", "ARRAY<INT64>", "Active", "BOOL", "UpdatedAt", "TIMESTAMP"),
	described("Lines", "*!tenant_id", "STRING(20)", "*!order_id", "INT64", "*!line_no", "INT64", "qty", "INT64", "price", "NUMERIC"),
	described("KeyOnly", "*!a", "INT64", "*b", "STRING(20)"),
}

// TestEvents takes each captured record apart into the change that it was made of, makes records of that anew, and
// wants the same bytes, topics, partitions and headers. Changes and their rows come in the order of the peer's counter.
func TestEvents(t *testing.T) {
	t.Parallel()
	for _, capture := range []changestream.ValueCapture{changestream.OldAndNewValues, changestream.NewValues, changestream.NewRow, changestream.NewRowAndOldValues} {
		t.Run(string(capture), func(t *testing.T) {
			t.Parallel()
			schemas := capture == changestream.NewRow
			events := readEvents(t, strings.ToLower(string(capture)), schemas)
			l := newLine()
			l.schemas = schemas
			s := events[0].payload.Source
			l.settings.Name, l.settings.Project, l.settings.Instance = s.Name, s.Project, s.Instance
			l.settings.Database, l.settings.ChangeStream = s.Database, s.Stream
			l.begin(t, tables...)
			for len(events) > 0 {
				dc, n := rebuild(events)
				l.now = time.Unix(0, events[0].payload.TsNs)
				got := l.run(t, dc)
				if len(got) != n {
					t.Fatalf("%s of %s: %d records, the peer has %d", dc.ModType, dc.Table, len(got), n)
				}
				for i := range got {
					compare(t, got[i], events[i], l.now)
				}
				events = events[n:]
			}
		})
	}
}

func readEvents(t *testing.T, name string, schemas bool) []event {
	f, err := os.Open(filepath.Join("testdata", "events", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var events []event
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var e event
		must(t, json.Unmarshal(s.Bytes(), &e))
		unwrap(t, e.Key, schemas, &e.key)
		if e.Value == nil {
			e.payload = events[len(events)-1].payload // the tombstone follows its delete
		} else {
			unwrap(t, *e.Value, schemas, &e.payload)
		}
		events = append(events, e)
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.payload.Source.Token, b.payload.Source.Token), cmp.Compare(a.Headers[0][1], b.Headers[0][1]))
	})
	return events
}

func unwrap(t *testing.T, text string, schemas bool, to any) {
	raw := json.RawMessage(text)
	if schemas {
		var w struct{ Payload json.RawMessage }
		must(t, json.Unmarshal(raw, &w))
		raw = w.Payload
	}
	must(t, json.Unmarshal(raw, to))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rebuild makes the change that the first events came from, and counts them.
func rebuild(events []event) (*changestream.DataChange, int) {
	p := events[0].payload
	s := p.Source
	table := tables[slices.IndexFunc(tables, func(t tableschema.Table) bool { return t.Name == s.Table })]
	dc := &changestream.DataChange{
		CommitTimestamp: time.Unix(0, s.TsNs), RecordSequence: fmt.Sprintf("%08s", s.Sequence), TransactionID: s.Txn, LastInPartition: s.Last,
		Table: s.Table, ValueCapture: changestream.ValueCapture(s.Capture), RecordsInTxn: s.Records, PartitionsInTxn: s.Parts,
		TransactionTag: s.Tag, SystemTransaction: s.System, PartitionToken: s.Token, ReadAt: readAt(s.ReadAt),
		ModType: map[string]changestream.ModType{"c": changestream.Insert, "u": changestream.Update, "d": changestream.Delete}[p.Op],
	}
	for _, c := range table.Columns {
		dc.Columns = append(dc.Columns, changestream.Column{Name: c.Name, Type: recordTypes[c.Type], PrimaryKey: c.KeyPosition > 0, Ordinal: c.Ordinal})
	}
	n := 0
	for _, e := range events {
		o := e.payload.Source
		if o.Txn != s.Txn || o.Sequence != s.Sequence || o.Table != s.Table || e.payload.Op != p.Op {
			break
		}
		n++
		if e.Value != nil {
			dc.Mods = append(dc.Mods, changestream.Mod{
				Keys: modText(table, e.key, true, true),
				New:  modText(table, e.payload.After, false, strings.HasPrefix(s.Capture, "NEW_ROW")),
				Old:  modText(table, e.payload.Before, false, false),
			})
		}
	}
	return dc, n
}

func readAt(ms int64) time.Time {
	if ms < 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

var recordTypes = map[string]string{
	"INT64": int64Type, "STRING(100)": stringType, "STRING(20)": stringType, "BYTES(MAX)": bytesType, "DATE": `{"code":"DATE"}`, "FLOAT64": `{"code":"FLOAT64"}`,
	"FLOAT32": `{"code":"FLOAT32"}`, "NUMERIC": `{"code":"NUMERIC"}`, "JSON": `{"code":"JSON"}`, "BOOL": `{"code":"BOOL"}`, "TIMESTAMP": `{"code":"TIMESTAMP"}`,
	"ARRAY<STRING(MAX)>": `{"code":"ARRAY","array_element_type":{"code":"STRING"}}`, "ARRAY<INT64>": `{"code":"ARRAY","array_element_type":{"code":"INT64"}}`,
}

var number = regexp.MustCompile(`-?\d+`)

// modText writes a row as Spanner writes it in a mod: INT64 in quotes.
func modText(table tableschema.Table, row map[string]json.RawMessage, keys, nulls bool) string {
	var members []string
	for _, c := range table.Columns {
		raw, ok := row[c.Name]
		if !ok || keys != (c.KeyPosition > 0) || string(raw) == "null" && !nulls {
			continue
		}
		if strings.Contains(c.Type, "INT64") {
			raw = number.ReplaceAll(raw, []byte(`"$0"`))
		}
		members = append(members, fmt.Sprintf("%q:%s", c.Name, raw))
	}
	return "{" + strings.Join(members, ",") + "}"
}

var processingTime = regexp.MustCompile(`"ts_ms":\d+,"ts_us":\d+,"ts_ns":\d+,"transaction"`)

// compare wants the same message but for the processing time of later rows of a change and two headers' times; on a
// delete the peer repeats those two headers.
func compare(t *testing.T, got delivery.Message, want event, now time.Time) {
	t.Helper()
	if string(got.Key) != want.Key || got.Topic != want.Topic || partition(got.Key, 3) != want.Partition || got.Partition != -1 {
		t.Errorf("key %s in %s/%d, the peer: %s in %s/%d", got.Key, got.Topic, partition(got.Key, 3), want.Key, want.Topic, want.Partition)
	}
	if (got.Value == nil) != (want.Value == nil) {
		t.Fatalf("value %s", got.Value)
	}
	if want.Value != nil {
		times := fmt.Sprintf(`"ts_ms":%d,"ts_us":%d,"ts_ns":%d,"transaction"`, now.UnixMilli(), now.UnixMicro(), now.UnixNano())
		value := processingTime.ReplaceAll([]byte(*want.Value), []byte(times))
		// For the first row of a query the peer does not know when it was read, and says: in the year 1. Null is right.
		value = bytes.Replace(value, []byte(`"read_at_timestamp":-62135596800000`), []byte(`"read_at_timestamp":null`), 1)
		if !bytes.Equal(got.Value, value) {
			t.Errorf("value (-peer +ours): %s", gocmp.Diff(string(value), string(got.Value)))
		}
	}
	var names, wanted []string
	for _, h := range got.Headers {
		names = append(names, h.Key+"="+volatile(h.Key, string(h.Value)))
	}
	for _, h := range want.Headers {
		if s := h[0] + "=" + volatile(h[0], h[1]); !slices.Contains(wanted, s) {
			wanted = append(wanted, s)
		}
	}
	if d := gocmp.Diff(wanted, names); d != "" {
		t.Errorf("headers (-peer +ours): %s", d)
	}
}

func volatile(header, value string) string {
	switch header {
	case "emitAtTimestamp", "pollAtTimestamp":
		return number.ReplaceAllString(value, "ms")
	case "__debezium.context.runId":
		return "id"
	}
	return value
}
