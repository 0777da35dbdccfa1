package changestream

import (
	"fmt"
	"strconv"
	"time"
)

// Value is a datum of a row as a client library has it; adapters implement it without allocating. A method asked for what
// the value is not answers ok false.
type Value interface {
	Null() bool
	Text() (string, bool) // of STRING, INT64, TIMESTAMP, JSON
	Bool() (bool, bool)
	Len() (int, bool) // of ARRAY and STRUCT
	At(i int) Value
}

// Shape is the type of a column, as far as decoding needs it: the names of a struct's fields and the shape of each. An
// array has the shape of its elements.
type Shape struct {
	Fields []Field
}

// Field is a named member of a struct.
type Field struct {
	Name  string
	Shape Shape
}

// index finds a field; -1 when the shape has none of that name.
func (s Shape) index(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// Decoder decodes the ChangeRecord column of GoogleSQL. It is made once for each query from the column's type, knows
// fields by name (their order may change, more may come), and is then only read.
type Decoder struct {
	data, heartbeat, children table
	columns, mods, child      table
}

// table is where each known field of a struct stands; -1: the service does not send it.
type table struct {
	path string
	at   []int
}

// The known fields, by index.
const (
	dCommit = iota
	dSequence
	dTransaction
	dLast
	dTable
	dColumns
	dMods
	dModType
	dCapture
	dRecords
	dPartitions
	dTag
	dSystem
)

var (
	dataFields = []string{"commit_timestamp", "record_sequence", "server_transaction_id", "is_last_record_in_transaction_in_partition",
		"table_name", "column_types", "mods", "mod_type", "value_capture_type", "number_of_records_in_transaction",
		"number_of_partitions_in_transaction", "transaction_tag", "is_system_transaction"}
	columnFields    = []string{"name", "type", "is_primary_key", "ordinal_position"}
	modFields       = []string{"keys", "new_values", "old_values"}
	heartbeatFields = []string{"timestamp"}
	childrenFields  = []string{"start_timestamp", "record_sequence", "child_partitions"}
	childFields     = []string{"token", "parent_partition_tokens"}
)

// optional are fields whose absence from the type is no fault: older services do not send them.
var optional = map[string]bool{"transaction_tag": true, "is_system_transaction": true, "old_values": true, "new_values": true}

// NewDecoder makes the decoder for a ChangeRecord column of the given shape. A record kind or field that decoding needs
// and the shape lacks is *Undecodable.
func NewDecoder(column Shape) (*Decoder, error) {
	d := &Decoder{}
	kinds := []struct {
		name   string
		fields []string
		to     *table
	}{{"data_change_record", dataFields, &d.data}, {"heartbeat_record", heartbeatFields, &d.heartbeat}, {"child_partitions_record", childrenFields, &d.children}}
	for i, k := range kinds {
		at := column.index(k.name)
		if at < 0 {
			return nil, &Undecodable{Field: k.name, Reason: "the row has no such member"}
		}
		if at != i {
			return nil, &Undecodable{Field: k.name, Reason: fmt.Sprintf("stands at place %d, expected %d", at, i)}
		}
		var err error
		if *k.to, err = find(k.name, column.Fields[at].Shape, k.fields); err != nil {
			return nil, err
		}
	}
	inner := []struct {
		name   string
		shape  Shape
		fields []string
		to     *table
	}{
		{"data_change_record.column_types", column.Fields[0].Shape.Fields[d.data.at[dColumns]].Shape, columnFields, &d.columns},
		{"data_change_record.mods", column.Fields[0].Shape.Fields[d.data.at[dMods]].Shape, modFields, &d.mods},
		{"child_partitions_record.child_partitions", column.Fields[2].Shape.Fields[d.children.at[2]].Shape, childFields, &d.child},
	}
	for _, k := range inner {
		var err error
		if *k.to, err = find(k.name, k.shape, k.fields); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func find(path string, s Shape, names []string) (table, error) {
	t := table{path: path, at: make([]int, len(names))}
	for i, n := range names {
		t.at[i] = s.index(n)
		if t.at[i] < 0 && !optional[n] {
			return t, &Undecodable{Field: path + "." + n, Reason: "the row has no such member"}
		}
	}
	return t, nil
}

// Decode appends the records of one value of the column to dst: data changes, then heartbeats, then children.
func (d *Decoder) Decode(dst []Record, column Value) ([]Record, error) {
	n, ok := column.Len()
	if !ok {
		return dst, &Undecodable{Field: "ChangeRecord", Reason: "is not an array"}
	}
	for i := range n {
		row := cursor{v: column.At(i), path: "ChangeRecord"}
		if m, ok := row.v.Len(); !ok || m < 3 {
			return dst, &Undecodable{Field: "ChangeRecord", Reason: "is not a struct of the three record kinds"}
		}
		for kind, decode := range []func([]Record, Value) ([]Record, error){d.decodeData, d.decodeHeartbeat, d.decodeChildren} {
			list := row.v.At(kind)
			if list.Null() {
				continue
			}
			k, ok := list.Len()
			if !ok {
				return dst, &Undecodable{Field: []string{d.data.path, d.heartbeat.path, d.children.path}[kind], Reason: "is not an array"}
			}
			for j := range k {
				var err error
				if dst, err = decode(dst, list.At(j)); err != nil {
					return dst, err
				}
			}
		}
	}
	return dst, nil
}

func (d *Decoder) decodeData(dst []Record, v Value) ([]Record, error) {
	c := cursor{v: v, path: d.data.path, at: d.data.at, names: dataFields}
	r := &DataChange{
		CommitTimestamp: c.time(dCommit), RecordSequence: c.text(dSequence), TransactionID: c.text(dTransaction),
		LastInPartition: c.bool(dLast), Table: c.text(dTable), ModType: ModType(c.text(dModType)), ValueCapture: ValueCapture(c.text(dCapture)),
		RecordsInTxn: c.int(dRecords), PartitionsInTxn: c.int(dPartitions), TransactionTag: c.optText(dTag), SystemTransaction: c.optBool(dSystem),
	}
	list, n := c.list(dColumns)
	r.Columns = make([]Column, n)
	for i := range n {
		e := cursor{v: list.At(i), path: d.columns.path, at: d.columns.at, names: columnFields}
		r.Columns[i] = Column{Name: e.text(0), Type: e.text(1), PrimaryKey: e.bool(2), Ordinal: e.int(3)}
		c.join(e)
	}
	list, n = c.list(dMods)
	r.Mods = make([]Mod, n)
	for i := range n {
		e := cursor{v: list.At(i), path: d.mods.path, at: d.mods.at, names: modFields}
		r.Mods[i] = Mod{Keys: e.text(0), New: e.optText(1), Old: e.optText(2)}
		c.join(e)
	}
	if c.err != nil {
		return dst, c.err
	}
	if err := known(r); err != nil {
		return dst, err
	}
	return append(dst, Record{Data: r}), nil
}

// known refuses kinds of change that the product has no meaning for (I7).
func known(r *DataChange) error {
	switch r.ModType {
	case Insert, Update, Delete:
	default:
		return &Undecodable{Field: "data_change_record.mod_type", Reason: "unknown kind " + strconv.Quote(string(r.ModType))}
	}
	switch r.ValueCapture {
	case OldAndNewValues, NewValues, NewRow, NewRowAndOldValues:
		return nil
	}
	return &Undecodable{Field: "data_change_record.value_capture_type", Reason: "unknown kind " + strconv.Quote(string(r.ValueCapture))}
}

func (d *Decoder) decodeHeartbeat(dst []Record, v Value) ([]Record, error) {
	c := cursor{v: v, path: d.heartbeat.path, at: d.heartbeat.at, names: heartbeatFields}
	h := &Heartbeat{Timestamp: c.time(0)}
	if c.err != nil {
		return dst, c.err
	}
	return append(dst, Record{Heartbeat: h}), nil
}

func (d *Decoder) decodeChildren(dst []Record, v Value) ([]Record, error) {
	c := cursor{v: v, path: d.children.path, at: d.children.at, names: childrenFields}
	r := &ChildPartitions{StartTimestamp: c.time(0), RecordSequence: c.text(1)}
	list, n := c.list(2)
	for i := range n {
		e := cursor{v: list.At(i), path: d.child.path, at: d.child.at, names: childFields}
		child := Child{Token: e.text(0)}
		parents, k := e.optList(1)
		for j := range k {
			// The parent list of a first partition is empty, or holds one NULL.
			if p := parents.At(j); !p.Null() {
				if t, ok := p.Text(); ok {
					child.Parents = append(child.Parents, t)
				} else {
					e.fail(1, "is not an array of strings")
				}
			}
		}
		c.join(e)
		r.Children = append(r.Children, child)
	}
	if c.err != nil {
		return dst, c.err
	}
	return append(dst, Record{Children: r}), nil
}

// parseTime reads Spanner's timestamps.
func parseTime(text string) (time.Time, error) { return time.Parse(time.RFC3339Nano, text) }
