package envelope

import (
	"crypto/rand"
	"fmt"
	"time"

	"sluice.example/shared/record"
	"sluice.example/shared/tableschema"
)

// Stamp is the record that tells the readers of one Kafka partition of a table's topic how far the connector has come:
// everything committed up to low is in the topics. It has no key. Send one to each Kafka partition of the topic of each
// table that Wants lets through (2.9; the peer forgets the filter).
func (m *Maker) Stamp(v *tableschema.Version, partition int32, low time.Time) record.Record {
	f, now := m.form(v), m.opt.Now()
	src := make([]record.Value, srcFields)
	copy(src, f.source)
	setTimes(src, now)
	src[srcLowWatermark] = millis(low)
	env := make([]record.Value, envFields)
	env[envSource] = record.StructOf(src)
	env[envOp] = record.StringOf("m")
	env[envTsMs] = record.Int64Of(now.UnixMilli()) // the peer leaves the finer two null
	return record.Record{
		Topic:       f.topic,
		Partition:   partition,
		ValueSchema: f.envelope,
		Value:       record.StructOf(env),
		Headers:     []record.Header{{Key: uidHeader, Schema: requiredString, Value: record.StringOf("watermark-" + uuid())}, pollHeader(now)},
	}
}

// uuid is a random UUID (RFC 9562, version 4).
func uuid() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
