package tableschema

// Table is a table as information_schema describes it, cut to what the change stream watches: key columns always, other
// columns when the stream watches them.
type Table struct {
	Schema  string // named schema; "" for the default one
	Name    string // as change records spell it: with the named schema in front when there is one
	Columns []Column
}

// Column is one column; columns are kept in ordinal order.
type Column struct {
	Name        string
	Type        string // information_schema's spanner_type ("STRING(MAX)", "character varying(20)"), or the record's JSON
	Ordinal     int64  // from 1
	Nullable    bool
	KeyPosition int // place in the primary key, from 1; 0: not in it
}
