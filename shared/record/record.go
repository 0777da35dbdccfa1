package record

import "time"

// AnyPartition asks the producer to choose the Kafka partition by the key's bytes.
const AnyPartition int32 = -1

// Record is one Connect source record before conversion.
type Record struct {
	Topic       string
	Partition   int32 // AnyPartition: chosen by the key's bytes
	KeySchema   *Schema
	Key         Value
	ValueSchema *Schema
	Value       Value // null with a nil schema is a tombstone
	Headers     []Header
	Timestamp   time.Time // zero: the producer's time
}

// Header is one header; the header converter decides its bytes.
type Header struct {
	Key    string
	Schema *Schema
	Value  Value
}
