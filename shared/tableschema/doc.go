// Package tableschema knows the columns and keys of every table a connector has met: what information_schema told at
// the start, and after that what each change record tells about itself.
//
//	information_schema ── Load ──┐
//	                             ├── merge ──> Version ──> Version ──> …   one line of versions for each table
//	column_types of records ─ Observe ┘        (immutable, shared freely)
//
// Types follow the record: the columns of a change are described by that change, so that a table made, altered or made
// anew while the connector runs needs no restart. information_schema adds what records do not say: which columns may be
// NULL, the order of the primary key, and columns that no record has named yet.
//
// Columns are the union over time, as with Debezium: a dropped column stays in the schema and is null from then on.
// What starts anew (a cold instance) starts from information_schema again, as Debezium's task does.
//
// A type that the product does not know is no fault of the other tables: it fails the changes of its own table, with an
// error that names table, column and type (I7, TY-17).
package tableschema
