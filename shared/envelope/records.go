package envelope

import (
	"time"

	"sluice.example/shared/changestream"
	"sluice.example/shared/record"
	"sluice.example/shared/tableschema"
)

// Records appends the records of a change to dst: for each changed row a data record, after a delete a tombstone (if
// asked for), then a heartbeat (if asked for each row). Changes of tables that are not wanted and of operations that are
// skipped have heartbeats only; v is not looked at then and may be nil.
//
// v is what the registry answered for this very change. A zero lowWatermark is none.
//
// It fails with *Mismatch or *changestream.Undecodable when the change cannot be understood; dst is then returned as it
// came: a change is never delivered in part.
func (m *Maker) Records(dst []record.Record, dc *changestream.DataChange, v *tableschema.Version, lowWatermark time.Time) ([]record.Record, error) {
	now := m.opt.Now()
	op, ok := operation(dc.ModType)
	if !ok {
		return dst, &changestream.Undecodable{Field: "data_change_record.mod_type", Reason: "unknown operation " + string(dc.ModType)}
	}
	if m.opt.Settings.SkippedOperations[op] || !m.Wants(dc.Table) {
		if m.opt.Settings.HeartbeatPerMod {
			for range dc.Mods {
				dst = append(dst, m.heartbeat(dc.PartitionToken, now))
			}
		}
		return dst, nil
	}
	sequence, ok := sequenceNumber(dc.RecordSequence)
	if !ok {
		return dst, &changestream.Undecodable{Field: "data_change_record.record_sequence", Reason: "not a number: " + dc.RecordSequence}
	}
	w := m.pool.Get().(*work)
	defer m.pool.Put(w)
	c := change{maker: m, form: m.form(v), work: w, dc: dc, op: op, now: now, sequence: sequence, low: lowWatermark,
		uid: m.uids.take(dc.PartitionToken, len(dc.Mods))}
	came := len(dst)
	var err error
	for i := range dc.Mods {
		if dst, err = c.row(dst, i); err != nil {
			return dst[:came], err
		}
	}
	return dst, nil
}

// operation is the letter of a kind of change.
func operation(t changestream.ModType) (string, bool) {
	switch t {
	case changestream.Insert:
		return "c", true
	case changestream.Update:
		return "u", true
	case changestream.Delete:
		return "d", true
	}
	return "", false
}

// change is one change on its way to records.
type change struct {
	maker    *Maker
	form     *form
	work     *work
	dc       *changestream.DataChange
	op       string
	now      time.Time
	sequence string
	low      time.Time
	uid      uint64 // of the first row
}

// row appends the records of one changed row.
func (c *change) row(dst []record.Record, mod int) ([]record.Record, error) {
	f, m, w := c.form, c.maker, c.work
	before, after, err := c.images(mod)
	if err != nil {
		return dst, err
	}
	image := after
	if image == nil {
		image = before
	}
	key := w.values(len(f.keys))
	for i, at := range f.keys {
		key[i] = image[at]
	}
	rec := record.Record{Topic: f.topic, Partition: record.AnyPartition, KeySchema: f.key, Key: record.StructOf(key),
		ValueSchema: f.envelope, Value: record.StructOf(c.envelope(mod, before, after))}
	uid := uidText(c.uid + uint64(mod))
	rec.Headers = m.dataHeaders(w, uid, c.now)
	dst = append(dst, rec)
	if c.op == "d" && m.opt.Settings.Tombstones {
		rec.ValueSchema, rec.Value = nil, record.Null
		rec.Headers = m.dataHeaders(w, uid, c.now) // its own: a transform may replace one
		dst = append(dst, rec)
	}
	if m.opt.Settings.HeartbeatPerMod {
		dst = append(dst, m.heartbeat(c.dc.PartitionToken, c.now))
	}
	return dst, nil
}

// envelope is the value of a data record (2.4).
func (c *change) envelope(mod int, before, after []record.Value) []record.Value {
	src := c.work.values(srcFields)
	copy(src, c.form.source)
	fillSource(src, c.dc, c.sequence, c.low)
	if c.maker.opt.PostgreSQL {
		mod++
	}
	src[srcMod] = record.Int32Of(int32(mod))
	env := c.work.values(envFields)
	if before != nil {
		env[envBefore] = record.StructOf(before)
	}
	if after != nil {
		env[envAfter] = record.StructOf(after)
	}
	env[envSource] = record.StructOf(src)
	env[envOp] = record.StringOf(c.op)
	env[envTsMs] = record.Int64Of(c.now.UnixMilli())
	env[envTsUs] = record.Int64Of(c.now.UnixMicro())
	env[envTsNs] = record.Int64Of(c.now.UnixNano())
	return env
}
