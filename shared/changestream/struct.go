package changestream

import "slices"

// structDecoder reads the ChangeRecord column of GoogleSQL: an array of structs, each with one array per kind of record.
// It belongs to one query and is not safe for concurrent use.
type structDecoder struct {
	kinds, data, heartbeat, children layout
	column, mod, child               layout
	others                           []Field // kinds of record that the product does not know
	places                           []int   // where each of others stands

	columns map[string][]Column // the last columns of each table, see shared
	scratch []Column
}

// newStructDecoder compiles the decoder for a column of the given shape. A record kind or field that decoding needs and the
// shape lacks is *Undecodable.
func newStructDecoder(column Shape) (*structDecoder, error) {
	if column.index(kindNames[ofData]) < 0 {
		return nil, &Undecodable{Field: "ChangeRecord", Reason: "is not a struct of data_change_record, heartbeat_record and " +
			"child_partitions_record: a change stream with partition_mode MUTABLE_KEY_RANGE answers in another form, which is not supported"}
	}
	d := &structDecoder{columns: make(map[string][]Column)}
	var err error
	add := func(to *layout, path string, s Shape, names []string, optional ...string) {
		if err == nil {
			*to, err = compile(path, s, names, optional...)
		}
	}
	kind := func(i int) Shape { return column.under(column.index(kindNames[i])) }
	data, children := kind(ofData), kind(ofChildren)
	add(&d.kinds, "ChangeRecord", column, kindNames)
	add(&d.data, kindNames[ofData], data, dataNames, "transaction_tag", "is_system_transaction")
	add(&d.heartbeat, kindNames[ofHeartbeat], kind(ofHeartbeat), heartbeatNames)
	add(&d.children, kindNames[ofChildren], children, childrenNames)
	add(&d.column, "data_change_record.column_types", data.under(data.index("column_types")), columnNames)
	add(&d.mod, "data_change_record.mods", data.under(data.index("mods")), modNames, "new_values", "old_values")
	add(&d.child, "child_partitions_record.child_partitions", children.under(children.index("child_partitions")), childNames, "parent_partition_tokens")
	for i, f := range column.Fields {
		if !slices.Contains(kindNames, f.Name) {
			d.others, d.places = append(d.others, f), append(d.places, i)
		}
	}
	return d, err
}

// Decode implements Decoder.
func (d *structDecoder) Decode(dst []Record, column Value) ([]Record, error) {
	rows, ok := column.Len()
	if !ok {
		return dst, &Undecodable{Field: "ChangeRecord", Reason: "is not an array"}
	}
	for i := range rows {
		row := d.kinds.in(column.At(i), i)
		if err := d.unknown(&row); err != nil {
			return dst, err
		}
		for kind := range kindNames {
			list, n := row.optList(kind)
			if row.err != nil {
				return dst, row.err
			}
			for j := range n {
				r, ok, err := d.record(kind, list.At(j))
				if err != nil {
					return dst, err
				}
				if ok {
					dst = append(dst, r)
				}
			}
		}
	}
	return dst, nil
}

// unknown refuses a row that holds a record of a kind the product has no meaning for (I7); an empty place for one is no
// fault.
func (d *structDecoder) unknown(row *cursor) error {
	if row.err != nil {
		return row.err
	}
	width, _ := row.v.Len()
	for k, at := range d.places {
		if at >= width || row.v.At(at).Null() {
			continue
		}
		if n, ok := row.v.At(at).Len(); !ok || n > 0 {
			return &Undecodable{Field: row.path() + "." + d.others[k].Name, Reason: "unknown kind of record"}
		}
	}
	return nil
}

// record decodes one entry; ok is false for one that holds nothing.
func (d *structDecoder) record(kind int, v Value) (r Record, ok bool, err error) {
	if v.Null() {
		return r, false, nil
	}
	of := [...]*layout{ofData: &d.data, ofHeartbeat: &d.heartbeat, ofChildren: &d.children}[kind]
	c := of.in(v, -1)
	switch {
	case c.empty():
		return r, false, nil
	case kind == ofData:
		r.Data = d.dataChange(&c)
	case kind == ofHeartbeat:
		r.Heartbeat = &Heartbeat{Timestamp: c.time(0)}
	default:
		r.Children = d.childPartitions(&c)
	}
	return r, c.err == nil, c.err
}

func (d *structDecoder) dataChange(c *cursor) *DataChange {
	r := &DataChange{
		CommitTimestamp: c.time(dataCommit), RecordSequence: c.text(dataSequence), TransactionID: c.text(dataTransaction),
		LastInPartition: c.bool(dataLast), Table: c.text(dataTable),
		ModType: ModType(c.text(dataModType)), ValueCapture: ValueCapture(c.text(dataCapture)),
		RecordsInTxn: c.int(dataRecords), PartitionsInTxn: c.int(dataPartitions),
		TransactionTag: c.optText(dataTag), SystemTransaction: c.optBool(dataSystem),
	}
	if c.err == nil {
		c.err = known(r)
	}
	r.Columns = d.columnTypes(c, r.Table)
	list, n := c.list(dataMods)
	if c.err != nil {
		return nil
	}
	r.Mods = make([]Mod, n)
	for i := range r.Mods {
		m := d.mod.in(list.At(i), i)
		r.Mods[i] = Mod{Keys: m.object(modKeys), New: m.optObject(modNew), Old: m.optObject(modOld)}
		if m.err != nil {
			c.err = m.err
			return nil
		}
	}
	return r
}

// columnTypes decodes the columns. Records of one table nearly always describe the same ones, and then share them: the
// description is most of what a small change would cost.
func (d *structDecoder) columnTypes(c *cursor, table string) []Column {
	list, n := c.list(dataColumns)
	d.scratch = d.scratch[:0]
	for i := range n {
		e := d.column.in(list.At(i), i)
		d.scratch = append(d.scratch, Column{Name: e.text(columnName), Type: e.text(columnType), PrimaryKey: e.bool(columnKey), Ordinal: e.int(columnOrdinal)})
		if e.err != nil {
			c.err = e.err
			return nil
		}
	}
	if c.err != nil {
		return nil
	}
	last, ok := d.columns[table]
	if !ok || !slices.Equal(last, d.scratch) {
		last = slices.Clone(d.scratch)
		d.columns[table] = last
	}
	return last
}

func (d *structDecoder) childPartitions(c *cursor) *ChildPartitions {
	r := &ChildPartitions{StartTimestamp: c.time(childrenStart), RecordSequence: c.text(childrenSequence)}
	list, n := c.list(childrenList)
	for i := range n {
		e := d.child.in(list.At(i), i)
		child := Child{Token: e.text(childToken)}
		parents, k := e.optList(childParents)
		for j := range k {
			p := parents.At(j)
			if p.Null() {
				continue // the parent list of a first partition is empty, or holds one null
			}
			t, ok := p.Text()
			if !ok {
				e.fail(childParents, "is not an array of strings")
			}
			child.Parents = append(child.Parents, t)
		}
		if e.err != nil {
			c.err = e.err
			return nil
		}
		r.Children = append(r.Children, child)
	}
	return r
}
