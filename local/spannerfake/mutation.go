package spannerfake

import (
	"slices"
	"strings"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// batch is a transaction's mutations applied in order, beside the tables, so that a failure leaves no trace. What one
// transaction does to one row is one change, however many mutations it took.
type batch struct {
	d       *Database
	at      time.Time // commit timestamp
	changes []*rowChange
	index   map[rowID]*rowChange
}

type rowID struct {
	t   *table
	key string
}

type rowChange struct {
	rowID
	before  row // nil: there was none
	after   row // nil: there is none
	anew    bool
	written []bool // by slot: what an update wrote
}

// kind is what a stream reports; "" is nothing. A row that was replaced is reported as inserted, as the emulator does.
func (c *rowChange) kind() string {
	switch {
	case c.after == nil && c.before == nil:
		return ""
	case c.after == nil:
		return "DELETE"
	case c.before == nil || c.anew:
		return "INSERT"
	}
	return "UPDATE"
}

// touch is the change of a row, which is none yet when it was not touched before.
func (b *batch) touch(id rowID) *rowChange {
	c := b.index[id]
	if c == nil {
		r := id.t.rows.byKey[id.key]
		c = &rowChange{rowID: id, before: r, after: r}
		b.index[id] = c
		b.changes = append(b.changes, c)
	}
	return c
}

func (b *batch) exists(id rowID) bool {
	if c := b.index[id]; c != nil {
		return c.after != nil
	}
	return id.t.rows.byKey[id.key] != nil
}

func (b *batch) apply(m *sppb.Mutation) error {
	switch op := m.GetOperation().(type) {
	case *sppb.Mutation_Insert:
		return b.write(op.Insert, insertOnly)
	case *sppb.Mutation_Update:
		return b.write(op.Update, updateOnly)
	case *sppb.Mutation_InsertOrUpdate:
		return b.write(op.InsertOrUpdate, upsert)
	case *sppb.Mutation_Replace:
		return b.write(op.Replace, replace)
	case *sppb.Mutation_Delete_:
		return b.delete(op.Delete)
	}
	return status.Errorf(codes.Unimplemented, "the fake has no mutation %T", m.GetOperation())
}

type writing int

const (
	insertOnly writing = iota
	updateOnly
	upsert
	replace
)

func (b *batch) write(w *sppb.Mutation_Write, how writing) error {
	t := b.d.tables[w.Table]
	if t == nil {
		return status.Errorf(codes.NotFound, "Table not found: %s", w.Table)
	}
	columns := make([]*column, len(w.Columns))
	for i, name := range w.Columns {
		c := t.column(name)
		switch {
		case c == nil:
			return status.Errorf(codes.NotFound, "Column not found in table %s: %s", t.spelled(), name)
		case c.generated != "":
			return status.Errorf(codes.FailedPrecondition, "Cannot write into generated column `%s.%s`.", t.spelled(), c.name)
		case slices.Contains(columns[:i], c):
			return status.Errorf(codes.InvalidArgument, "Multiple values for column %s", c.name)
		}
		columns[i] = c
	}
	for _, values := range w.Values {
		if len(values.Values) != len(columns) {
			return status.Errorf(codes.InvalidArgument, "Mutation has %d columns but %d values", len(columns), len(values.Values))
		}
		if err := b.writeRow(t, columns, values.Values, how); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) writeRow(t *table, columns []*column, values []*structpb.Value, how writing) error {
	given := make(row, t.slots)
	for i, c := range columns {
		v, err := c.check(t, values[i], b.at)
		if err != nil {
			return err
		}
		given[c.slot] = v
	}
	key := make([]*structpb.Value, len(t.key))
	for i, part := range t.key {
		if given[part.slot] == nil && (part.notNull || how == updateOnly) {
			if part.fallback == nil || how == updateOnly {
				return missing(t, part.column)
			}
			v, err := part.defaulted(t, b.at)
			if err != nil {
				return err
			}
			given[part.slot] = v
		}
		key[i] = given.at(part.column)
	}
	id := rowID{t, encodeKey(t.key, key)}
	exists := b.exists(id)
	switch {
	case how == insertOnly && exists:
		return status.Errorf(codes.AlreadyExists, "Table %s: Row %s already exists.", t.spelled(), keyText(t, key))
	case how == updateOnly && !exists:
		return status.Errorf(codes.NotFound, "Table %s: Row %s not found.", t.spelled(), keyText(t, key))
	}
	if t.parent != nil && t.interleaved == "IN PARENT" {
		n := len(t.parent.key)
		if !b.exists(rowID{t.parent, encodeKey(t.parent.key, key[:n])}) {
			return status.Errorf(codes.NotFound, "Insert failed because key was not found in parent table:  Parent Table: %s  Child Table: %s  Key: %s", t.parent.spelled(), t.spelled(), keyText(t.parent, key[:n]))
		}
	}
	if exists && how != replace {
		b.touch(id).update(columns, given)
		return nil
	}
	for _, c := range t.columns {
		if given[c.slot] != nil || c.generated != "" {
			continue
		}
		v, err := c.defaulted(t, b.at)
		if err != nil {
			return err
		}
		given[c.slot] = v
	}
	change := b.touch(id)
	change.after, change.anew, change.written = given, true, nil
	return nil
}

// update writes the given columns over the row that there is.
func (c *rowChange) update(columns []*column, given row) {
	after := make(row, c.t.slots)
	copy(after, c.after)
	if c.written == nil {
		c.written = make([]bool, c.t.slots)
	}
	for _, col := range columns {
		after[col.slot] = given[col.slot]
		c.written[col.slot] = true
	}
	c.after = after
}

// defaulted is what a column gets that is not given a value.
func (c *column) defaulted(t *table, commit time.Time) (*structpb.Value, error) {
	if c.fallback != nil {
		v, err := constant(c.fallback, commit)
		if err != nil {
			return nil, err
		}
		return c.check(t, v, commit)
	}
	if c.notNull {
		return nil, missing(t, c)
	}
	return null, nil
}

func missing(t *table, c *column) error {
	return status.Errorf(codes.FailedPrecondition, "A new row in table %s does not specify a non-null value for NOT NULL column: %s", t.spelled(), c.name)
}

// keyText is a key as the emulator's messages have it: {Int64(1), String("a")}.
func keyText(t *table, key []*structpb.Value) string {
	parts := make([]string, len(key))
	for i, v := range key {
		parts[i] = "NULL"
		if !isNull(v) {
			name := t.key[i].typ.code.String()
			parts[i] = name[:1] + strings.ToLower(name[1:]) + "(" + strings.Trim(string(appendJSON(nil, v)), `"`) + ")"
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
