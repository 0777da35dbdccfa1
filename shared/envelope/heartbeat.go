package envelope

import (
	"time"

	"sluice.example/shared/record"
)

var heartbeatKey = &record.Schema{Type: record.Struct, Name: "io.debezium.connector.spanner.processor.heartbeat.PartitionTokenKey",
	Fields: []record.Field{{Name: "partitionToken", Schema: requiredString}}}

var heartbeatValue = &record.Schema{Type: record.Struct, Name: "io.debezium.connector.spanner.processor.heartbeat.SpannerHeartbeat",
	Fields: []record.Field{{Name: "ts_ms", Schema: requiredInt64}}}

// Heartbeat is the record that tells consumers that a partition is alive and idle. Progress does not need it: the
// checkpoint goes with the batch (2.8).
func (m *Maker) Heartbeat(token string) record.Record { return m.heartbeat(token, m.opt.Now()) }

func (m *Maker) heartbeat(token string, now time.Time) record.Record {
	return record.Record{
		Topic:       HeartbeatTopic(&m.opt.Settings),
		Partition:   0,
		KeySchema:   heartbeatKey,
		Key:         record.StructOf([]record.Value{record.StringOf(token)}),
		ValueSchema: heartbeatValue,
		Value:       record.StructOf([]record.Value{record.Int64Of(now.UnixMilli())}),
		Headers:     []record.Header{pollHeader(now)},
	}
}
