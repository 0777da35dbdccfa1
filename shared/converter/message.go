package converter

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"sluice.example/shared/delivery"
	"sluice.example/shared/record"
)

// Set is the three converters of a connector. Make one with NewSet, or fill the fields. It is safe for concurrent use;
// do not copy it.
type Set struct {
	Key, Value, Header Converter

	scratch sync.Pool // of *scratch
}

// scratch is where a message's bytes grow before they are copied to their size. ends are where header values stop; -1:
// the value is null.
type scratch struct {
	bytes []byte
	ends  []int
}

// NewSet makes the converters that a connector's configuration names, or else its worker's. Every fault is reported, not
// only the first.
func NewSet(connector, worker map[string]string) (*Set, error) {
	s := &Set{}
	var errs [3]error
	s.Key, errs[0] = build("key", connector, worker)
	s.Value, errs[1] = build("value", connector, worker)
	s.Header, errs[2] = build("header", connector, worker)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	return s, nil
}

// Message makes a message of a record. Key, value and header values share one allocation.
func (s *Set) Message(ctx context.Context, rec *record.Record) (delivery.Message, error) {
	w, _ := s.scratch.Get().(*scratch)
	if w == nil {
		w = &scratch{}
	}
	defer s.scratch.Put(w)
	m := delivery.Message{Topic: rec.Topic, Partition: rec.Partition, Timestamp: rec.Timestamp}
	buf, noKey, err := s.Key.Append(ctx, w.bytes[:0], rec.Topic, rec.KeySchema, rec.Key)
	if err != nil {
		return m, fmt.Errorf("convert the key of a record for topic %s: %w", rec.Topic, err)
	}
	key := len(buf)
	buf, noValue, err := s.Value.Append(ctx, buf, rec.Topic, rec.ValueSchema, rec.Value)
	if err != nil {
		return m, fmt.Errorf("convert the value of a record for topic %s: %w", rec.Topic, err)
	}
	value := len(buf)
	w.ends = w.ends[:0]
	for i := range rec.Headers {
		h := &rec.Headers[i]
		var null bool
		if buf, null, err = s.Header.Append(ctx, buf, rec.Topic, h.Schema, h.Value); err != nil {
			return m, fmt.Errorf("convert header %s of a record for topic %s: %w", h.Key, rec.Topic, err)
		}
		end := len(buf)
		if null {
			end = -1
		}
		w.ends = append(w.ends, end)
	}
	w.bytes = buf
	whole := make([]byte, len(buf))
	copy(whole, buf)
	if !noKey {
		m.Key = whole[:key:key]
	}
	if !noValue {
		m.Value = whole[key:value:value]
	}
	if len(rec.Headers) > 0 {
		m.Headers = make([]delivery.Header, len(rec.Headers))
		from := value
		for i, end := range w.ends {
			m.Headers[i].Key = rec.Headers[i].Key
			if end >= 0 {
				m.Headers[i].Value = whole[from:end:end]
				from = end
			}
		}
	}
	return m, nil
}
