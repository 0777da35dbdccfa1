package golden_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/changestream"
	"sluice.example/shared/connector"
	"sluice.example/shared/converter"
	"sluice.example/shared/delivery"
	"sluice.example/shared/envelope"
	"sluice.example/shared/tableschema"
)

// line is the way of a change from the stream to bytes: registry, envelope, converters. Fields are set before begin.
type line struct {
	settings connector.Settings
	order    tableschema.KeyOrder
	schemas  bool // schemas.enable of the JSON converters
	postgres bool
	low, now time.Time

	registry *tableschema.Registry
	maker    *envelope.Maker
	set      *converter.Set
}

// newLine is connector c1 of appendix A.
func newLine() *line {
	return &line{
		settings: connector.Settings{Name: "c1", Project: "p", Instance: "i", Database: "d", ChangeStream: "s", TopicDelimiter: ".",
			HeartbeatPrefix: "__debezium-heartbeat", ExtendedHeaders: true, Tombstones: true, SchemaAdjustment: "none"},
		now: time.Unix(0, 1796082977274529328),
	}
}

func (l *line) begin(t testing.TB, tables ...tableschema.Table) *line {
	t.Helper()
	l.registry = tableschema.NewRegistry(l.order)
	l.registry.Load(tables)
	var err error
	l.maker, err = envelope.New(envelope.Options{Settings: l.settings, Version: "3.4.0.Final", Task: "0", RunID: "run", PostgreSQL: l.postgres,
		Now: func() time.Time { return l.now }})
	if err != nil {
		t.Fatal(err)
	}
	enable := map[bool]string{true: "true", false: "false"}[l.schemas]
	l.set, err = converter.NewSet(nil, map[string]string{
		"key.converter": "org.apache.kafka.connect.json.JsonConverter", "key.converter.schemas.enable": enable,
		"value.converter": "org.apache.kafka.connect.json.JsonConverter", "value.converter.schemas.enable": enable,
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// try runs changes down the line, up to the first error.
func (l *line) try(changes ...*changestream.DataChange) ([]delivery.Message, error) {
	var messages []delivery.Message
	for _, dc := range changes {
		var v *tableschema.Version
		if l.maker.Wants(dc.Table) {
			var err error
			if v, err = l.registry.Observe(dc); err != nil {
				return messages, err
			}
		}
		records, err := l.maker.Records(nil, dc, v, l.low)
		if err != nil {
			return messages, err
		}
		for i := range records {
			m, err := l.set.Message(context.Background(), &records[i])
			if err != nil {
				return messages, err
			}
			messages = append(messages, m)
		}
	}
	return messages, nil
}

func (l *line) run(t *testing.T, changes ...*changestream.DataChange) []delivery.Message {
	t.Helper()
	messages, err := l.try(changes...)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

// columns makes a change's column list from name, type, name, type; a name that begins with * is of the key.
func columns(pairs ...string) []changestream.Column {
	var cs []changestream.Column
	for i := 0; i < len(pairs); i += 2 {
		name, key := pairs[i], pairs[i][0] == '*'
		if key {
			name = name[1:]
		}
		cs = append(cs, changestream.Column{Name: name, Type: pairs[i+1], PrimaryKey: key, Ordinal: int64(i/2 + 1)})
	}
	return cs
}

// change is the change of appendix A with other columns and rows.
func change(table string, op changestream.ModType, cs []changestream.Column, mods ...changestream.Mod) *changestream.DataChange {
	return &changestream.DataChange{
		CommitTimestamp: time.Date(2024, 1, 1, 0, 0, 1, 123456789, time.UTC), RecordSequence: "00000001", TransactionID: "txn==", LastInPartition: true,
		Table: table, Columns: cs, Mods: mods, ModType: op, ValueCapture: changestream.OldAndNewValues, RecordsInTxn: 3, PartitionsInTxn: 2,
		PartitionToken: "tok1", ReadAt: time.Date(2024, 1, 1, 0, 0, 1, 223456789, time.UTC),
	}
}

// described makes a table from name, type, name, type: *name is of the key, !name is NOT NULL.
func described(table string, pairs ...string) tableschema.Table {
	t := tableschema.Table{Name: table}
	position := 0
	for i := 0; i < len(pairs); i += 2 {
		c := tableschema.Column{Name: pairs[i], Type: pairs[i+1], Ordinal: int64(i/2 + 1), Nullable: true}
		for c.Name[0] == '*' || c.Name[0] == '!' {
			if c.Name[0] == '*' {
				position++
				c.KeyPosition = position
			} else {
				c.Nullable = false
			}
			c.Name = c.Name[1:]
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// partition is the Kafka partition that the product's client chooses for a key.
func partition(key []byte, partitions int) int {
	return kgo.StickyKeyPartitioner(nil).ForTopic("t").Partition(&kgo.Record{Key: key}, partitions)
}

const (
	int64Type  = `{"code":"INT64"}`
	stringType = `{"code":"STRING"}`
	bytesType  = `{"code":"BYTES"}`
)
