package connector

import "time"

// Settings is a connector's configuration as the rest of the product reads it: parsed, defaulted, with both spellings of
// each key already folded. Made by Parse; the zero Settings is of no use.
type Settings struct {
	Name   string
	Config map[string]string // as stored

	Project, Instance, Database string
	DatabaseRole                string
	ChangeStream                string
	CredentialsJSON             string
	CredentialsPath             string
	Host, EmulatorHost          string
	RPCPriority                 string    // LOW, MEDIUM, HIGH; MEDIUM by default, as Debezium's
	StartTime                   time.Time // zero: when the connector is first planned
	EndTime                     time.Time // zero: no end
	Heartbeat                   time.Duration

	TasksMax, TasksMin, DesiredPartitions int
	Scaler                                bool // scaler.monitor.enabled
	LowWatermark                          bool
	WatermarkPeriod                       time.Duration // gcp.spanner.low-watermark.update-period.ms
	StampInterval                         time.Duration // gcp.spanner.low-watermark.stamp.interval
	FinishedRetention                     time.Duration // connector.spanner.finished.partition.deletion.delay

	Tombstones        bool
	SkippedOperations map[string]bool // c, u, d, t
	TableInclude      *[]string       // nil: not set; a list of regular expressions
	TableExclude      *[]string
	HeartbeatPrefix   string
	TopicDelimiter    string
	ExtendedHeaders   bool
	SchemaAdjustment  string // none, avro, avro_unicode
	KeyOrder          string // debezium-hash, primary-key
	HeartbeatPerMod   bool

	ExactlyOnce       bool   // the worker's exactly.once.source.support is enabled
	OffsetsTopic      string // the connector's own offsets.storage.topic, or the worker's
	TransactionalBase string // <group.id>-<connector>-
	Boundary          string // transaction.boundary: poll, interval
	BoundaryInterval  time.Duration

	SliceMode string        // sluice.slice.mode: auto, poll, tail
	Lease     time.Duration // sluice.lease.duration.ms
}

// Source names what the connector reads: project/instance/database/stream. Stored partitions belong to one.
func (s Settings) Source() string {
	return s.Project + "/" + s.Instance + "/" + s.Database + "/" + s.ChangeStream
}
