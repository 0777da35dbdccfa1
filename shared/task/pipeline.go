package task

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"sluice.example/shared/changestream"
	"sluice.example/shared/connector"
	"sluice.example/shared/converter"
	"sluice.example/shared/delivery"
	"sluice.example/shared/envelope"
	"sluice.example/shared/partition"
	"sluice.example/shared/record"
	"sluice.example/shared/tableschema"
)

// Compatible is the release of the Debezium connector whose formats these are; consumers read it in source.version.
const Compatible = "3.4.0.Final"

// pipeline turns changes into messages: table schema, envelope, converters. It is shared by the readers of a slot.
type pipeline struct {
	tables   *tableschema.Registry
	maker    *envelope.Maker
	convert  *converter.Set
	settings connector.Settings
	low      atomic.Pointer[time.Time] // the low watermark to write into source blocks; nil: none
}

// newPipeline builds the conversion of a connector's changes and reads the schema of its tables.
func newPipeline(ctx context.Context, st connector.Settings, w connector.Worker, task, run string, now func() time.Time, stream Stream) (*pipeline, error) {
	maker, err := envelope.New(envelope.Options{Settings: st, Version: Compatible, Task: task, RunID: run, Now: now})
	if err != nil {
		return nil, err
	}
	set, err := converter.NewSet(st.Config, w.Properties)
	if err != nil {
		return nil, err
	}
	order := tableschema.DebeziumHash
	if st.KeyOrder == "primary-key" {
		order = tableschema.PrimaryKey
	}
	p := &pipeline{tables: tableschema.NewRegistry(order), maker: maker, convert: set, settings: st}
	tables, err := stream.Tables(ctx)
	if err != nil {
		return nil, err
	}
	p.tables.Load(tables)
	return p, nil
}

// data converts one data change record: a message for each mod, tombstones, and heartbeats per mod where asked for.
func (p *pipeline) data(ctx context.Context, dc *changestream.DataChange) ([]delivery.Message, error) {
	if !p.maker.Wants(dc.Table) {
		return nil, nil
	}
	version, err := p.tables.Observe(dc)
	if err != nil {
		return nil, err
	}
	var low time.Time
	if t := p.low.Load(); t != nil && p.settings.LowWatermark {
		low = *t
	}
	records, err := p.maker.Records(nil, dc, version, low)
	if err != nil {
		return nil, err
	}
	out := make([]delivery.Message, len(records))
	for i := range records {
		if out[i], err = p.message(ctx, &records[i]); err != nil {
			return nil, fmt.Errorf("convert a change of table %s at %s: %w", dc.Table, dc.CommitTimestamp.Format(time.RFC3339Nano), err)
		}
	}
	return out, nil
}

func (p *pipeline) message(ctx context.Context, r *record.Record) (delivery.Message, error) {
	return p.convert.Message(ctx, r)
}

// convert makes the group of a data change record.
func (h *holding) convert(ctx context.Context, dc *changestream.DataChange) (group, error) {
	messages, err := h.s.pipe.data(ctx, dc)
	if err != nil {
		return group{}, &Failure{err}
	}
	g := group{messages: messages}
	for i := range messages {
		g.size += messages[i].Size()
	}
	return g, nil
}

// heartbeat makes a message for the heartbeat topic when one is due: at most one for each token and
// heartbeat.interval.ms, whatever the queries' own heartbeats are.
func (h *holding) heartbeat(ctx context.Context) (delivery.Message, bool, error) {
	now := h.s.w.Clock.Now()
	if h.p.Token == changestream.RootToken || now.Sub(h.beatAt) < h.s.settings.Heartbeat {
		return delivery.Message{}, false, nil
	}
	h.beatAt = now
	r := h.s.pipe.maker.Heartbeat(h.p.Token)
	m, err := h.s.pipe.message(ctx, &r)
	if err != nil {
		return m, false, &Failure{err}
	}
	return m, true, nil
}

// watermark is the plan's low watermark as the pipeline holds it.
func watermark(p partition.Plan) *time.Time {
	if p.LowWatermark.IsZero() {
		return nil
	}
	return &p.LowWatermark
}
