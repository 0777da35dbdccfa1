package spannerfake

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"sluice.example/shared/changestream"
)

// RootToken stands for the query without a token.
const RootToken = changestream.RootToken

// Row is a made-up row from the JSON of its one value, an array of one struct of three arrays, as the API has it:
// [[[], [["2024-01-01T00:00:00Z"]], []]] is a heartbeat. Nothing beyond JSON is checked, so that a malformed row can be
// made.
func Row(json string) (*structpb.Value, error) {
	v := &structpb.Value{}
	if err := protojson.Unmarshal([]byte(json), v); err != nil {
		return nil, fmt.Errorf("make up a row: %w", err)
	}
	return v, nil
}

// RecordRow is a made-up row of one record. Empty JSON objects of a mod become NULL.
func RecordRow(rec changestream.Record) *structpb.Value {
	switch {
	case rec.Data != nil:
		d := rec.Data
		columns := make([]*structpb.Value, len(d.Columns))
		for i, c := range d.Columns {
			columns[i] = structOf(text(c.Name), text(c.Type), truth(c.PrimaryKey), integer(c.Ordinal))
		}
		mods := make([]*structpb.Value, len(d.Mods))
		for i, m := range d.Mods {
			mods[i] = structOf(document(m.Keys), document(m.New), document(m.Old))
		}
		return rowOf(structOf(
			text(stamp(d.CommitTimestamp)), text(d.RecordSequence), text(d.TransactionID), truth(d.LastInPartition), text(d.Table),
			structOf(columns...), structOf(mods...), text(string(d.ModType)), text(string(d.ValueCapture)),
			integer(d.RecordsInTxn), integer(d.PartitionsInTxn), text(d.TransactionTag), truth(d.SystemTransaction),
		), nil, nil)
	case rec.Heartbeat != nil:
		return heartbeatRow(rec.Heartbeat.Timestamp)
	case rec.Children != nil:
		list := make([]*structpb.Value, len(rec.Children.Children))
		for i, c := range rec.Children.Children {
			list[i] = structOf(text(c.Token), Value(append([]string{}, c.Parents...)))
		}
		return rowOf(nil, nil, structOf(text(stamp(rec.Children.StartTimestamp)), text(rec.Children.RecordSequence), structOf(list...)))
	}
	return rowOf(nil, nil, nil)
}

func document(s string) *structpb.Value {
	if s == "" {
		return null
	}
	return text(s)
}
