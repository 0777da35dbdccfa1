package envelope

import (
	"time"

	"sluice.example/shared/record"
)

// uidHeader marks data records; consumers tell them from others by it.
const uidHeader = "spannerDataChangeRecordUid"

// headerTemplate is the headers of a data record in the peer's order (2.7). The first and the last two change.
func headerTemplate(opt Options) []record.Header {
	text := func(name, value string) record.Header {
		return record.Header{Key: name, Schema: requiredString, Value: record.StringOf(value)}
	}
	h := []record.Header{text(uidHeader, "")}
	if opt.Settings.ExtendedHeaders {
		h = append(h,
			text("__debezium.context.connectorLogicalName", opt.Settings.Name),
			text("__debezium.context.taskId", opt.Task),
			text("__debezium.context.connectorName", opt.Settings.Name),
			text("__debezium.context.runId", opt.RunID))
	}
	return append(h, record.Header{Key: "emitAtTimestamp", Schema: requiredInt64}, pollHeader(time.Time{}))
}

func pollHeader(now time.Time) record.Header {
	return record.Header{Key: "pollAtTimestamp", Schema: requiredInt64, Value: record.Int64Of(now.UnixMilli())}
}

// dataHeaders are the headers of a data record. The peer notes when an event was queued and when it was drained from its
// queue; there is no queue here, so the two are one. On a delete and its tombstone the peer repeats both; once is right.
func (m *Maker) dataHeaders(w *work, uid string, now time.Time) []record.Header {
	h := w.headers(len(m.headers))
	copy(h, m.headers)
	h[0].Value = record.StringOf(uid)
	at := record.Int64Of(now.UnixMilli())
	h[len(h)-2].Value, h[len(h)-1].Value = at, at
	return h
}
