// Package changestream is the vocabulary of Spanner change streams: the records a partition query returns, and their
// decoding from rows of either dialect. What it cannot understand it refuses by naming the field (I7).
//
// Source of the facts: cloud.google.com/spanner/docs/change-streams/details (record formats, ordering guarantees).
package changestream

import "time"

// RootToken names the root of a connector's partitions, which is queried without a token. It is the name Debezium uses
// in its offsets and events.
const RootToken = "Parent0"

// Record is one record of a partition query; exactly one field is set.
type Record struct {
	Data      *DataChange
	Heartbeat *Heartbeat
	Children  *ChildPartitions
}

// Time is the record's place in the order of its partition.
func (r Record) Time() time.Time {
	switch {
	case r.Data != nil:
		return r.Data.CommitTimestamp
	case r.Heartbeat != nil:
		return r.Heartbeat.Timestamp
	case r.Children != nil:
		return r.Children.StartTimestamp
	}
	return time.Time{}
}

// DataChange is the changes that one transaction made to one table in one partition, all of one kind.
type DataChange struct {
	CommitTimestamp   time.Time
	RecordSequence    string // orders records of one transaction, across partitions; "00000001"
	TransactionID     string
	LastInPartition   bool // last record of this transaction in this partition
	Table             string
	Columns           []Column
	Mods              []Mod
	ModType           ModType
	ValueCapture      ValueCapture
	RecordsInTxn      int64
	PartitionsInTxn   int64
	TransactionTag    string
	SystemTransaction bool // a TTL delete or a backfill
	PartitionToken    string
	ReadAt            time.Time // the reader's clock when the row came
}

// ModType is what a change did.
type ModType string

// The kinds of change.
const (
	Insert ModType = "INSERT"
	Update ModType = "UPDATE"
	Delete ModType = "DELETE"
)

// ValueCapture is the stream's value_capture_type.
type ValueCapture string

// The capture types.
const (
	OldAndNewValues    ValueCapture = "OLD_AND_NEW_VALUES"
	NewValues          ValueCapture = "NEW_VALUES"
	NewRow             ValueCapture = "NEW_ROW"
	NewRowAndOldValues ValueCapture = "NEW_ROW_AND_OLD_VALUES"
)

// Column describes a column as it was when the change was made.
type Column struct {
	Name       string
	Type       string // Spanner's JSON, for example {"code":"INT64"}
	PrimaryKey bool
	Ordinal    int64 // from 1
}

// Mod is one changed row. Each member is a JSON object as Spanner sent it, "" when absent: INT64 and NUMERIC are strings
// in it, BYTES base64. New and Old hold non-key columns only.
type Mod struct {
	Keys, New, Old string
}

// Heartbeat says that everything up to Timestamp was returned and all that follows is later.
type Heartbeat struct {
	Timestamp time.Time
}

// ChildPartitions names the partitions that continue this one from StartTimestamp on. A merged child is named by each of
// its parents.
type ChildPartitions struct {
	StartTimestamp time.Time
	RecordSequence string
	Children       []Child
}

// Child is one partition to continue with. Parents is empty for a child of the root.
type Child struct {
	Token   string
	Parents []string
}
