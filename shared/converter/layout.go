package converter

import (
	"strconv"
	"sync"
	"sync/atomic"

	"sluice.example/shared/record"
)

// layout is what the JSON of a schema's values looks like, worked out once. It is immutable.
type layout struct {
	schema  *record.Schema
	text    []byte // {"schema":…,"payload": (of a root only)
	fields  []fieldLayout
	key     *layout // of a Map
	elem    *layout // of an Array or a Map
	decimal bool    // Bytes that are an unscaled number
	scale   int
}

type fieldLayout struct {
	prefix string // {"name": or ,"name":
	name   string
	*layout
}

// layouts finds layouts by the schema's pointer. The zero value is ready; it is safe for concurrent use.
type layouts struct {
	mu    sync.Mutex
	known atomic.Pointer[map[*record.Schema]*layout] // replaced whole, so that readers need no lock
}

// maxLayouts bounds what is kept when a transform makes a new schema for each record; then everything is let go.
const maxLayouts = 1000

func (c *layouts) of(s *record.Schema) (*layout, error) {
	if known := c.known.Load(); known != nil {
		if l := (*known)[s]; l != nil {
			return l, nil
		}
	}
	l, err := newLayout(s)
	if err != nil {
		return nil, err
	}
	l.text = append(appendSchema([]byte(`{"schema":`), s, "", l), `,"payload":`...)
	c.mu.Lock()
	defer c.mu.Unlock()
	next := map[*record.Schema]*layout{s: l}
	if known := c.known.Load(); known != nil && len(*known) < maxLayouts {
		for k, old := range *known {
			next[k] = old
		}
	}
	c.known.Store(&next)
	return l, nil
}

const decimalName = "org.apache.kafka.connect.data.Decimal"

func newLayout(s *record.Schema) (*layout, error) {
	l := &layout{schema: s}
	var err error
	if s.Type == record.Bytes && s.Name == decimalName {
		l.decimal = true
		if l.scale, err = strconv.Atoi(scaleOf(s)); err != nil {
			return nil, &Invalid{Reason: "a Decimal schema without a scale"}
		}
	}
	for i, f := range s.Fields {
		inner, err := newLayout(f.Schema)
		if err != nil {
			return nil, at(f.Name, err)
		}
		prefix := byte(',')
		if i == 0 {
			prefix = '{'
		}
		text := append(appendText([]byte{prefix}, f.Name), ':')
		l.fields = append(l.fields, fieldLayout{prefix: string(text), name: f.Name, layout: inner})
	}
	if s.Key != nil {
		if l.key, err = newLayout(s.Key); err != nil {
			return nil, err
		}
	}
	if s.Elem != nil {
		if l.elem, err = newLayout(s.Elem); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// appendSchema appends a schema's own JSON; field is its name within a struct, "" outside one. The order of the members
// is JsonConverter's (reference 8.1).
func appendSchema(dst []byte, s *record.Schema, field string, l *layout) []byte {
	dst = append(append(append(dst, `{"type":"`...), s.Type.String()...), '"')
	switch s.Type {
	case record.Array:
		dst = appendSchema(append(dst, `,"items":`...), s.Elem, "", l.elem)
	case record.Map:
		dst = appendSchema(append(dst, `,"keys":`...), s.Key, "", l.key)
		dst = appendSchema(append(dst, `,"values":`...), s.Elem, "", l.elem)
	case record.Struct:
		dst = append(dst, `,"fields":[`...)
		for i, f := range s.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendSchema(dst, f.Schema, f.Name, l.fields[i].layout)
		}
		dst = append(dst, ']')
	}
	dst = strconv.AppendBool(append(dst, `,"optional":`...), s.Optional)
	if s.Name != "" {
		dst = appendText(append(dst, `,"name":`...), s.Name)
	}
	if s.Version != 0 {
		dst = strconv.AppendInt(append(dst, `,"version":`...), int64(s.Version), 10)
	}
	if s.Doc != "" {
		dst = appendText(append(dst, `,"doc":`...), s.Doc)
	}
	if len(s.Parameters) > 0 {
		dst = append(dst, `,"parameters":`...)
		for i, p := range s.Parameters {
			if i > 0 {
				dst = append(dst, ',')
			} else {
				dst = append(dst, '{')
			}
			dst = appendText(append(appendText(dst, p.Name), ':'), p.Value)
		}
		dst = append(dst, '}')
	}
	if s.Default != nil {
		if with, err := (style{}).append(append(dst, `,"default":`...), l, *s.Default); err == nil {
			dst = with
		}
	}
	if field != "" {
		dst = appendText(append(dst, `,"field":`...), field)
	}
	return append(dst, '}')
}
