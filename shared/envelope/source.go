package envelope

import (
	"strings"
	"time"

	"sluice.example/shared/changestream"
	"sluice.example/shared/record"
)

// Fields of the source block, by place in sourceSchema.
const (
	srcVersion = iota
	srcConnector
	srcName
	srcTsMs
	srcSnapshot
	srcDB
	srcSequence
	srcTsUs
	srcTsNs
	srcProject
	srcInstance
	srcDatabase
	srcStream
	srcTable
	srcTransaction
	srcLowWatermark
	srcReadAt
	srcRecords
	srcTag
	srcSystem
	srcCapture
	srcToken
	srcMod
	srcLast
	srcPartitions
	srcFields
)

func sourceTemplate(opt *Options, table string) []record.Value {
	s := &opt.Settings
	t := make([]record.Value, srcFields)
	t[srcVersion] = record.StringOf(opt.Version)
	t[srcConnector] = record.StringOf("spanner")
	t[srcName] = record.StringOf(s.Name)
	t[srcSnapshot] = record.StringOf(snapshotFalse)
	t[srcDB] = record.StringOf(s.Database)
	t[srcProject] = record.StringOf(s.Project)
	t[srcInstance] = record.StringOf(s.Instance)
	t[srcDatabase] = record.StringOf(s.Database)
	t[srcStream] = record.StringOf(s.ChangeStream)
	t[srcTable] = record.StringOf(table)
	return t
}

// fillSource completes a copy of the template for one change; mod_number is the caller's. A zero low watermark or read
// time is null.
func fillSource(src []record.Value, dc *changestream.DataChange, sequence string, low time.Time) {
	setTimes(src, dc.CommitTimestamp)
	src[srcSequence] = record.StringOf(sequence)
	src[srcTransaction] = record.StringOf(dc.TransactionID)
	src[srcLowWatermark] = millis(low)
	src[srcReadAt] = millis(dc.ReadAt)
	src[srcRecords] = record.Int64Of(dc.RecordsInTxn)
	src[srcTag] = record.StringOf(dc.TransactionTag)
	src[srcSystem] = record.BoolOf(dc.SystemTransaction)
	src[srcCapture] = record.StringOf(captureName(dc.ValueCapture))
	src[srcToken] = record.StringOf(dc.PartitionToken)
	src[srcLast] = record.BoolOf(dc.LastInPartition)
	src[srcPartitions] = record.Int64Of(dc.PartitionsInTxn)
}

func setTimes(src []record.Value, t time.Time) {
	src[srcTsMs] = record.Int64Of(t.UnixMilli())
	src[srcTsUs] = record.Int64Of(t.UnixMicro())
	src[srcTsNs] = record.Int64Of(t.UnixNano())
}

func millis(t time.Time) record.Value {
	if t.IsZero() {
		return record.Null
	}
	return record.Int64Of(t.UnixMilli())
}

// captureName is the capture type's name; one that the peer does not know is UNKNOWN there (2.5).
func captureName(c changestream.ValueCapture) string {
	switch c {
	case changestream.OldAndNewValues, changestream.NewValues, changestream.NewRow, changestream.NewRowAndOldValues:
		return string(c)
	}
	return "UNKNOWN"
}

// sequenceNumber is a record sequence as the peer prints it: parsed as an integer, so without leading zeros. Not ok: it
// is no number.
func sequenceNumber(s string) (string, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return "", false
	}
	if t := strings.TrimLeft(s, "0"); t != "" {
		return t, true
	}
	return "0", true
}
