package spannerfake

import (
	"fmt"
	"strconv"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/protobuf/types/known/structpb"
)

// recordShape is the type of a read function's one column. Names, order and types are the emulator's, as it printed them.
var recordShape = &sppb.StructType{Fields: []*sppb.StructType_Field{
	field("ChangeRecord", structs(
		field("data_change_record", structs(
			field("commit_timestamp", of(sppb.TypeCode_TIMESTAMP)),
			field("record_sequence", of(sppb.TypeCode_STRING)),
			field("server_transaction_id", of(sppb.TypeCode_STRING)),
			field("is_last_record_in_transaction_in_partition", of(sppb.TypeCode_BOOL)),
			field("table_name", of(sppb.TypeCode_STRING)),
			field("column_types", structs(
				field("name", of(sppb.TypeCode_STRING)),
				field("type", of(sppb.TypeCode_JSON)),
				field("is_primary_key", of(sppb.TypeCode_BOOL)),
				field("ordinal_position", of(sppb.TypeCode_INT64)),
			)),
			field("mods", structs(
				field("keys", of(sppb.TypeCode_JSON)),
				field("new_values", of(sppb.TypeCode_JSON)),
				field("old_values", of(sppb.TypeCode_JSON)),
			)),
			field("mod_type", of(sppb.TypeCode_STRING)),
			field("value_capture_type", of(sppb.TypeCode_STRING)),
			field("number_of_records_in_transaction", of(sppb.TypeCode_INT64)),
			field("number_of_partitions_in_transaction", of(sppb.TypeCode_INT64)),
			field("transaction_tag", of(sppb.TypeCode_STRING)),
			field("is_system_transaction", of(sppb.TypeCode_BOOL)),
		)),
		field("heartbeat_record", structs(
			field("timestamp", of(sppb.TypeCode_TIMESTAMP)),
		)),
		field("child_partitions_record", structs(
			field("start_timestamp", of(sppb.TypeCode_TIMESTAMP)),
			field("record_sequence", of(sppb.TypeCode_STRING)),
			field("child_partitions", structs(
				field("token", of(sppb.TypeCode_STRING)),
				field("parent_partition_tokens", arrayOf(of(sppb.TypeCode_STRING))),
			)),
		)),
	)),
}}

func of(code sppb.TypeCode) *sppb.Type { return &sppb.Type{Code: code} }

func arrayOf(elem *sppb.Type) *sppb.Type {
	return &sppb.Type{Code: sppb.TypeCode_ARRAY, ArrayElementType: elem}
}

func field(name string, t *sppb.Type) *sppb.StructType_Field {
	return &sppb.StructType_Field{Name: name, Type: t}
}

func structs(fields ...*sppb.StructType_Field) *sppb.Type {
	return arrayOf(&sppb.Type{Code: sppb.TypeCode_STRUCT, StructType: &sppb.StructType{Fields: fields}})
}

func text(s string) *structpb.Value   { return structpb.NewStringValue(s) }
func integer(n int64) *structpb.Value { return structpb.NewStringValue(strconv.FormatInt(n, 10)) }

var (
	none  = structOf()
	yes   = structpb.NewBoolValue(true)
	never = structpb.NewBoolValue(false)
)

func truth(b bool) *structpb.Value {
	if b {
		return yes
	}
	return never
}

// rowOf is a row's one value: an array of one struct, in which one of three arrays has one element.
func rowOf(data, heartbeat, children *structpb.Value) *structpb.Value {
	one := func(v *structpb.Value) *structpb.Value {
		if v == nil {
			return none
		}
		return structOf(v)
	}
	return structOf(structOf(one(data), one(heartbeat), one(children)))
}

func sequence(n int) *structpb.Value { return text(fmt.Sprintf("%08d", n)) }

func dataRow(c *change) *structpb.Value {
	mods := make([]*structpb.Value, len(c.mods))
	for i, m := range c.mods {
		mods[i] = structOf(text(m.keys), text(m.fresh), text(m.old))
	}
	return rowOf(structOf(
		text(stamp(c.txn.at)), sequence(c.seq), text(c.txn.id), truth(c.last), text(c.table), c.columns, structOf(mods...),
		text(c.kind), text(c.capture), integer(int64(c.txn.records)), integer(int64(c.txn.partitions)), text(c.txn.tag), truth(c.txn.system),
	), nil, nil)
}

func heartbeatRow(at time.Time) *structpb.Value { return rowOf(nil, structOf(text(stamp(at))), nil) }

func childrenRow(at time.Time, seq int, children []*partition) *structpb.Value {
	list := make([]*structpb.Value, len(children))
	for i, c := range children {
		parents := make([]*structpb.Value, len(c.parents))
		for j, p := range c.parents {
			parents[j] = text(p)
		}
		list[i] = structOf(text(c.token), structOf(parents...))
	}
	return rowOf(nil, nil, structOf(text(stamp(at)), sequence(seq), structOf(list...)))
}
