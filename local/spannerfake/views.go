package spannerfake

import (
	"slices"
	"strconv"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/protobuf/types/known/structpb"
)

// view is a view of information_schema: its columns, in the emulator's order and spelling, and what fills it. The
// views do not list themselves, as Spanner's do.
type view struct {
	columns []viewColumn
	fill    func(d *Database, add func(values ...any))
}

type viewColumn struct {
	name string
	code sppb.TypeCode
}

func (v view) of(d *Database, as string) *relation {
	r := &relation{}
	for _, c := range v.columns {
		r.columns = append(r.columns, relColumn{as, c.name, of(c.code)})
	}
	v.fill(d, func(values ...any) {
		row := make([]*structpb.Value, len(v.columns))
		for i := range row {
			row[i] = null
			if i < len(values) {
				row[i] = Value(values[i])
			}
		}
		r.rows = append(r.rows, row)
	})
	return r
}

// texts are columns of type STRING.
func texts(names ...string) []viewColumn {
	var out []viewColumn
	for _, n := range names {
		out = append(out, viewColumn{n, sppb.TypeCode_STRING})
	}
	return out
}

func yesNo(b bool) string {
	if b {
		return "YES"
	}
	return "NO"
}

var (
	integers = sppb.TypeCode_INT64
	booleans = sppb.TypeCode_BOOL
)

var views = map[string]view{
	"change_streams": {
		columns: append(texts("CHANGE_STREAM_CATALOG", "CHANGE_STREAM_SCHEMA", "CHANGE_STREAM_NAME"), viewColumn{"ALL", booleans}),
		fill: func(d *Database, add func(...any)) {
			for _, s := range d.listed {
				add("", "", s.name, s.all)
			}
		},
	},
	"change_stream_tables": {
		columns: append(texts("CHANGE_STREAM_CATALOG", "CHANGE_STREAM_SCHEMA", "CHANGE_STREAM_NAME", "TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME"), viewColumn{"ALL_COLUMNS", booleans}),
		fill: func(d *Database, add func(...any)) {
			for _, s := range d.listed {
				for _, w := range s.watched {
					add("", "", s.name, "", w.t.schema, w.t.name, w.whole)
				}
			}
		},
	},
	"change_stream_columns": {
		columns: texts("CHANGE_STREAM_CATALOG", "CHANGE_STREAM_SCHEMA", "CHANGE_STREAM_NAME", "TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "COLUMN_NAME"),
		fill: func(d *Database, add func(...any)) {
			for _, s := range d.listed {
				for _, w := range s.watched {
					for _, c := range w.columns {
						add("", "", s.name, "", w.t.schema, w.t.name, c.name)
					}
				}
			}
		},
	},
	"change_stream_options": {
		columns: texts("CHANGE_STREAM_CATALOG", "CHANGE_STREAM_SCHEMA", "CHANGE_STREAM_NAME", "OPTION_NAME", "OPTION_TYPE", "OPTION_VALUE"),
		fill: func(d *Database, add func(...any)) {
			for _, s := range d.listed {
				for _, o := range s.options {
					add("", "", s.name, o.name, o.typ, o.value)
				}
			}
		},
	},
	"tables": {
		columns: texts("TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "PARENT_TABLE_NAME", "ON_DELETE_ACTION", "TABLE_TYPE", "SPANNER_STATE", "INTERLEAVE_TYPE", "ROW_DELETION_POLICY_EXPRESSION"),
		fill: func(d *Database, add func(...any)) {
			for _, t := range d.order {
				var parent, onDelete, policy any
				if t.parent != nil {
					parent, onDelete = t.parent.name, map[bool]string{true: "CASCADE", false: "NO ACTION"}[t.cascade]
				}
				if t.policy != "" {
					policy = t.policy
				}
				how := t.interleaved
				if how == "" {
					how = "IN PARENT" // the emulator says so of every table
				}
				add("", t.schema, t.name, parent, onDelete, "BASE TABLE", "COMMITTED", how, policy)
			}
		},
	},
	"columns": {
		columns: append(append(texts("TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "COLUMN_NAME"), viewColumn{"ORDINAL_POSITION", integers}),
			texts("COLUMN_DEFAULT", "DATA_TYPE", "IS_NULLABLE", "SPANNER_TYPE", "IS_GENERATED", "GENERATION_EXPRESSION", "IS_STORED", "SPANNER_STATE",
				"IS_IDENTITY", "IDENTITY_GENERATION", "IDENTITY_KIND", "IDENTITY_START_WITH_COUNTER", "IDENTITY_SKIP_RANGE_MIN", "IDENTITY_SKIP_RANGE_MAX")...),
		fill: func(d *Database, add func(...any)) {
			for _, t := range d.order {
				for i, c := range t.columns {
					var fallback, generated, stored any
					is := "NEVER"
					if c.fallback != nil {
						fallback = c.fallbackText
					}
					if c.generated != "" {
						is, generated, stored = "ALWAYS", c.generated, yesNo(c.stored)
					}
					add("", t.schema, t.name, c.name, i+1, fallback, nil, yesNo(!c.notNull), c.typ.text, is, generated, stored, "COMMITTED", "NO")
				}
			}
		},
	},
	"column_options": {
		columns: texts("TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "COLUMN_NAME", "OPTION_NAME", "OPTION_TYPE", "OPTION_VALUE"),
		fill: func(d *Database, add func(...any)) {
			for _, t := range d.order {
				for _, c := range t.columns {
					if c.stamped {
						add("", t.schema, t.name, c.name, "allow_commit_timestamp", "BOOL", "TRUE")
					}
				}
			}
		},
	},
	"indexes": {
		columns: append(append(texts("TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "INDEX_NAME", "INDEX_TYPE", "PARENT_TABLE_NAME"),
			viewColumn{"IS_UNIQUE", booleans}, viewColumn{"IS_NULL_FILTERED", booleans}), append(texts("INDEX_STATE"), viewColumn{"SPANNER_IS_MANAGED", booleans})...),
		fill: func(d *Database, add func(...any)) {
			for _, t := range d.order {
				add("", t.schema, t.name, "PRIMARY_KEY", "PRIMARY_KEY", "", true, false, nil, false)
			}
		},
	},
	"index_columns": {
		columns: append(append(texts("TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "INDEX_NAME", "INDEX_TYPE", "COLUMN_NAME"), viewColumn{"ORDINAL_POSITION", integers}),
			texts("COLUMN_ORDERING", "IS_NULLABLE", "SPANNER_TYPE")...),
		fill: func(d *Database, add func(...any)) {
			for _, t := range d.order {
				for i, k := range t.key {
					add("", t.schema, t.name, "PRIMARY_KEY", "PRIMARY_KEY", k.name, strconv.Itoa(i+1), map[bool]string{true: "DESC", false: "ASC"}[k.desc], yesNo(!k.notNull), k.typ.text)
				}
			}
		},
	},
	"schemata": {
		columns: append(append(texts("CATALOG_NAME", "SCHEMA_NAME"), viewColumn{"EFFECTIVE_TIMESTAMP", integers}), texts("SCHEMA_OWNER")...),
		fill: func(d *Database, add func(...any)) {
			for _, name := range slices.Concat([]string{"", "INFORMATION_SCHEMA", "SPANNER_SYS"}, d.schemas) {
				add("", name, 0, "")
			}
		},
	},
	"database_options": {
		columns: texts("CATALOG_NAME", "SCHEMA_NAME", "OPTION_NAME", "OPTION_TYPE", "OPTION_VALUE"),
		fill: func(d *Database, add func(...any)) {
			add("", "", "database_dialect", "STRING", "GOOGLE_STANDARD_SQL")
			for _, o := range d.options {
				add("", "", o.name, o.typ, o.value)
			}
		},
	},
}
