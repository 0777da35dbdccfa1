package envelope

import (
	"sluice.example/shared/record"
	"sluice.example/shared/tableschema"
)

// form is everything about the records of a table that depends only on the table's version. It is immutable.
type form struct {
	table    string
	topic    string
	key      *record.Schema
	row      *record.Schema
	envelope *record.Schema
	columns  []column
	keys     []int          // indexes of the key columns, in the key's order
	index    map[string]int // of columns, by name
	source   []record.Value // the source block with its constant fields in place
}

type column struct {
	name  string
	of    tableschema.Type
	isKey bool
}

func newForm(opt *Options, v *tableschema.Version) *form {
	s := &opt.Settings
	f := &form{table: v.Table, topic: DataTopic(s, v.Table), keys: v.Key, index: make(map[string]int, len(v.Columns))}
	f.row = &record.Schema{Type: record.Struct, Optional: true, Name: adjust(s.SchemaAdjustment, v.Table+".Value")}
	for i, c := range v.Columns {
		isKey := c.KeyPosition > 0
		f.columns = append(f.columns, column{name: c.Name, of: c.Of, isKey: isKey})
		f.index[c.Name] = i
		// A column that is NOT NULL but not of the key is optional all the same: a change may not carry it (2.4).
		f.row.Fields = append(f.row.Fields, record.Field{Name: c.Name, Schema: columnSchema(c.Of, c.Nullable || !isKey)})
	}
	f.key = &record.Schema{Type: record.Struct, Name: adjust(s.SchemaAdjustment, v.Table+".Key")}
	for _, i := range v.Key {
		f.key.Fields = append(f.key.Fields, f.row.Fields[i])
	}
	f.envelope = envelopeSchema(adjust(s.SchemaAdjustment, f.topic+".Envelope"), f.row)
	f.source = sourceTemplate(opt, v.Table)
	return f
}

// find is the index of a column; hint is where it would be if members came in column order. -1: there is none.
func (f *form) find(name string, hint int) int {
	if hint < len(f.columns) && f.columns[hint].name == name {
		return hint
	}
	if i, ok := f.index[name]; ok {
		return i
	}
	return -1
}
