package envelope

import (
	"sluice.example/shared/record"
	"sluice.example/shared/tableschema"
)

// Schemas of scalars are shared: nothing tells two of them apart.
var (
	requiredString = record.Of(record.String)
	requiredInt64  = record.Of(record.Int64)
	optionalString = record.OptionalOf(record.String)
	optionalInt64  = record.OptionalOf(record.Int64)
	optionalInt32  = record.OptionalOf(record.Int32)
	optionalBool   = record.OptionalOf(record.Boolean)
)

const snapshotFalse = "false"

// sourceSchema is the schema of the source block (2.6). The places of its fields are the constants of source.go.
var sourceSchema = &record.Schema{Type: record.Struct, Name: "com.google.spanner.connector.Source", Version: 1, Fields: []record.Field{
	{Name: "version", Schema: requiredString},
	{Name: "connector", Schema: requiredString},
	{Name: "name", Schema: requiredString},
	{Name: "ts_ms", Schema: requiredInt64},
	{Name: "snapshot", Schema: snapshotSchema()},
	{Name: "db", Schema: requiredString},
	{Name: "sequence", Schema: optionalString},
	{Name: "ts_us", Schema: optionalInt64},
	{Name: "ts_ns", Schema: optionalInt64},
	{Name: "project_id", Schema: requiredString},
	{Name: "instance_id", Schema: requiredString},
	{Name: "database_id", Schema: requiredString},
	{Name: "change_stream_name", Schema: requiredString},
	{Name: "table", Schema: requiredString},
	{Name: "server_transaction_id", Schema: optionalString},
	{Name: "low_watermark", Schema: optionalInt64},
	{Name: "read_at_timestamp", Schema: optionalInt64},
	{Name: "number_records_in_transaction", Schema: optionalInt64},
	{Name: "transaction_tag", Schema: optionalString},
	{Name: "system_transaction", Schema: optionalBool},
	{Name: "value_capture_type", Schema: optionalString},
	{Name: "partition_token", Schema: optionalString},
	{Name: "mod_number", Schema: optionalInt32},
	{Name: "is_last_record_in_transaction_in_partition", Schema: optionalBool},
	{Name: "number_of_partitions_in_transaction", Schema: optionalInt64},
}}

func snapshotSchema() *record.Schema {
	byDefault := record.StringOf(snapshotFalse)
	return &record.Schema{Type: record.String, Optional: true, Name: "io.debezium.data.Enum", Version: 1, Default: &byDefault,
		Parameters: []record.Parameter{{Name: "allowed", Value: "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"}}}
}

// transactionSchema is the schema of a block that this connector never fills.
var transactionSchema = &record.Schema{Type: record.Struct, Optional: true, Name: "event.block", Version: 1, Fields: []record.Field{
	{Name: "id", Schema: requiredString},
	{Name: "total_order", Schema: requiredInt64},
	{Name: "data_collection_order", Schema: requiredInt64},
}}

// Fields of the envelope (2.4), by place.
const (
	envBefore = iota
	envAfter
	envSource
	envOp
	envTsMs
	envTsUs
	envTsNs
	envTransaction
	envFields
)

func envelopeSchema(name string, row *record.Schema) *record.Schema {
	return &record.Schema{Type: record.Struct, Name: name, Version: 2, Fields: []record.Field{
		{Name: "before", Schema: row},
		{Name: "after", Schema: row},
		{Name: "source", Schema: sourceSchema},
		{Name: "op", Schema: requiredString},
		{Name: "ts_ms", Schema: optionalInt64},
		{Name: "ts_us", Schema: optionalInt64},
		{Name: "ts_ns", Schema: optionalInt64},
		{Name: "transaction", Schema: transactionSchema},
	}}
}

// columnSchema is the schema of a column (3). Elements of arrays may always be null.
func columnSchema(t tableschema.Type, optional bool) *record.Schema {
	if t.Array {
		return &record.Schema{Type: record.Array, Optional: optional, Elem: columnSchema(tableschema.Type{Kind: t.Kind}, true)}
	}
	s := &record.Schema{Type: connectType(t.Kind), Optional: optional}
	if t.Kind == tableschema.UUID {
		s.Name, s.Version = "io.debezium.data.Uuid", 1
	}
	return s
}

// connectType is the Connect type that carries a kind. NUMERIC, DATE, TIMESTAMP and JSON are text, digit for digit.
func connectType(k tableschema.Kind) record.Type {
	switch k {
	case tableschema.Bool:
		return record.Boolean
	case tableschema.Int64:
		return record.Int64
	case tableschema.Float64:
		return record.Float64
	case tableschema.Float32:
		return record.Float32
	case tableschema.Bytes:
		return record.Bytes
	}
	return record.String
}
