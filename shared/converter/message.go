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

	arenas sync.Pool // of *arena
}

// arena is where messages' bytes and headers are put one after the other. What was cut from it is never written again;
// it lives as long as the longest-lived message cut from the same piece, which is a batch at most.
type arena struct {
	bytes   []byte // empty, with the room that is left
	headers []delivery.Header
}

const (
	arenaBytes   = 64 << 10
	arenaHeaders = 128
	arenaLow     = 4 << 10 // with less room than this a new piece is begun
)

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

// Message makes a message of a record. Its slices cannot be grown into one another.
func (s *Set) Message(ctx context.Context, rec *record.Record) (delivery.Message, error) {
	a, _ := s.arenas.Get().(*arena)
	if a == nil {
		a = &arena{}
	}
	defer s.arenas.Put(a)
	if cap(a.bytes) < arenaLow {
		a.bytes = make([]byte, 0, arenaBytes)
	}
	m := delivery.Message{Topic: rec.Topic, Partition: rec.Partition, Timestamp: rec.Timestamp}
	var err error
	if m.Key, err = a.put(ctx, s.Key, rec.Topic, rec.KeySchema, rec.Key); err != nil {
		return m, fmt.Errorf("convert the key of a record for topic %s: %w", rec.Topic, err)
	}
	if m.Value, err = a.put(ctx, s.Value, rec.Topic, rec.ValueSchema, rec.Value); err != nil {
		return m, fmt.Errorf("convert the value of a record for topic %s: %w", rec.Topic, err)
	}
	if len(rec.Headers) == 0 {
		return m, nil
	}
	m.Headers = a.cut(len(rec.Headers))
	for i := range rec.Headers {
		h := &rec.Headers[i]
		m.Headers[i].Key = h.Key
		if m.Headers[i].Value, err = a.put(ctx, s.Header, rec.Topic, h.Schema, h.Value); err != nil {
			return m, fmt.Errorf("convert header %s of a record for topic %s: %w", h.Key, rec.Topic, err)
		}
	}
	return m, nil
}

// put converts a value into the arena and returns its bytes; nil for null. What does not fit grows into an allocation of
// its own, and the arena stays as it was.
func (a *arena) put(ctx context.Context, c Converter, topic string, schema *record.Schema, v record.Value) ([]byte, error) {
	room := cap(a.bytes)
	out, null, err := c.Append(ctx, a.bytes, topic, schema, v)
	if null || err != nil {
		return nil, err
	}
	n := len(out)
	switch {
	case cap(out) == room:
		a.bytes = out[n:]
	case n <= arenaBytes/4: // the rest was too little; of a value larger than that another would not be either
		a.bytes = make([]byte, 0, arenaBytes)
	}
	return out[:n:n], nil
}

func (a *arena) cut(n int) []delivery.Header {
	if n > len(a.headers) {
		a.headers = make([]delivery.Header, max(n, arenaHeaders))
	}
	cut := a.headers[:n:n]
	a.headers = a.headers[n:]
	return cut
}
