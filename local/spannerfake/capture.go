package spannerfake

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
)

// shape is what records of one table with the same columns share.
type shape struct {
	types  *structpb.Value // column_types
	keys   []named         // by name, as the members of JSON objects are
	values []named
}

// named is a column with its name as the start of a JSON member.
type named struct {
	*column
	member string // "name":
}

type shapeKey struct {
	t   *table
	set string // of written slots; "*": all that are watched
}

// record turns what a transaction changed into change records and puts them into their partitions: one for each table,
// kind of change and set of columns within a partition, in the order in which the transaction came to them. The lock is
// held. What a filter leaves out is not counted, as with the emulator.
func (s *stream) record(t Txn, b *batch) {
	type group struct {
		p     *partition
		shape *shape
		change
	}
	var groups []*group
	txn := &transaction{at: b.at, tag: t.Tag, system: t.System}
	for _, c := range b.changes {
		kind := c.kind()
		if kind == "" || s.without[kind] || t.System && kind == "DELETE" && s.without["TTL"] {
			continue
		}
		w := s.sees(c.t)
		if w == nil {
			continue
		}
		shape := s.shapeOf(w, c, kind)
		if shape == nil {
			continue
		}
		p := s.alive[0]
		if len(s.alive) > 1 {
			r := c.after
			if r == nil {
				r = c.before
			}
			p = s.at(s.db.position(c.t, r))
		}
		var g *group
		for _, have := range groups {
			if have.p == p && have.shape == shape && have.kind == kind {
				g = have
				break
			}
		}
		if g == nil {
			g = &group{p: p, shape: shape, change: change{txn: txn, seq: len(groups), table: c.t.spelled(), columns: shape.types, kind: kind, capture: s.capture}}
			groups = append(groups, g)
		}
		g.mods = append(g.mods, s.modOf(shape, c, kind))
	}
	if len(groups) == 0 {
		return
	}
	txn.id, txn.records = s.db.server.transactionID(), len(groups)
	last := make(map[*partition]*group)
	for _, g := range groups {
		last[g.p] = g
	}
	txn.partitions = len(last)
	earliest := s.earliest(s.db.server.Now())
	for _, g := range groups {
		g.last = last[g.p] == g
		record := g.change
		g.p.history.records = append(g.p.history.records, &record)
	}
	for p := range last {
		if lost := p.history.prune(earliest, s.db.server.opts.MaxRecords); !lost.IsZero() && !lost.Before(s.lost) {
			s.lost = lost.Add(1)
		}
		p.changed()
	}
}

// shapeOf is the columns that a change is reported with; nil when it touches nothing that is watched.
func (s *stream) shapeOf(w *watch, c *rowChange, kind string) *shape {
	set, wrote := "*", kind != "UPDATE"
	if kind == "UPDATE" {
		slots := make([]byte, len(c.written))
		for _, col := range c.t.columns {
			if col.slot < len(slots) && c.written[col.slot] && !col.inKey && w.tracks(col) {
				slots[col.slot], wrote = 1, true
			}
		}
		if !strings.HasPrefix(s.capture, "NEW_ROW") {
			set = string(slots)
		}
	}
	if !wrote {
		return nil
	}
	key := shapeKey{c.t, set}
	if have := s.shapes[key]; have != nil {
		return have
	}
	made := &shape{}
	var types []*structpb.Value
	for i, col := range c.t.columns {
		reported := w.tracks(col) && (col.inKey || set == "*" || set[col.slot] == 1)
		if !reported {
			continue
		}
		n := named{col, quoted(col.name) + ":"}
		if col.inKey {
			made.keys = append(made.keys, n)
		} else {
			made.values = append(made.values, n)
		}
		types = append(types, structOf(
			text(col.name),
			text(col.typ.json),
			truth(col.inKey),
			integer(int64(i+1)),
		))
	}
	byName := func(a, b named) int { return strings.Compare(a.name, b.name) }
	slices.SortFunc(made.keys, byName)
	slices.SortFunc(made.values, byName)
	made.types = structOf(types...)
	if s.shapes == nil {
		s.shapes = make(map[shapeKey]*shape)
	}
	s.shapes[key] = made
	return made
}

// modOf is a changed row as the stream's capture type reports it.
func (s *stream) modOf(sh *shape, c *rowChange, kind string) mod {
	keyed := c.after
	if keyed == nil {
		keyed = c.before
	}
	m := mod{keys: object(sh.keys, keyed, nil), fresh: "{}", old: "{}"}
	if kind != "DELETE" {
		m.fresh = object(sh.values, c.after, nil)
	}
	withOld := s.capture == "OLD_AND_NEW_VALUES" || s.capture == "NEW_ROW_AND_OLD_VALUES"
	if withOld && kind != "INSERT" {
		m.old = object(sh.values, c.before, c.written)
	}
	return m
}

// object is columns of a row as a JSON object; only those written when that is known.
func object(columns []named, r row, written []bool) string {
	b := make([]byte, 0, 64)
	b = append(b, '{')
	for _, c := range columns {
		if written != nil && (c.slot >= len(written) || !written[c.slot]) {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = appendJSON(append(b, c.member...), r.at(c.column))
	}
	return string(append(b, '}'))
}

// structOf is a STRUCT, or an ARRAY, of values as the API has it.
func structOf(values ...*structpb.Value) *structpb.Value {
	return structpb.NewListValue(&structpb.ListValue{Values: values})
}
