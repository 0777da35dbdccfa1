package spannerdb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/spanner"

	"sluice.example/shared/changestream"
)

// Stream is what information_schema says about a change stream.
type Stream struct {
	Name         string // as the database spells it
	All          bool   // it watches the whole database
	Dialect      string // the database's
	ValueCapture changestream.ValueCapture
	Retention    time.Duration
}

// stream is a stream together with how it is read.
type stream struct {
	Stream
	dialect *changestream.Dialect
	words   words
}

// Options that are not set have these values. Google's pages disagree about the retention, so the shorter one counts.
const (
	defaultCapture   = changestream.OldAndNewValues
	defaultRetention = 24 * time.Hour
)

// Stream looks the change stream up. One that does not exist, or whose partitions the product cannot read
// (changestream.ErrMutable), is a *Problem of gcp.spanner.change.stream.
func (d *Database) Stream(ctx context.Context, name string) (Stream, error) {
	s, err := d.lookUp(ctx, name)
	return s.Stream, err
}

// speak is lookUp, remembered: dialect and partition mode never change. Callers wait for the one that asks, at most as long
// as their context lasts. A failure is not remembered.
func (d *Database) speak(ctx context.Context, name string) (stream, error) {
	select {
	case d.asking <- struct{}{}:
		defer func() { <-d.asking }()
	case <-ctx.Done():
		return stream{}, ctx.Err()
	}
	if s, ok := d.known[name]; ok {
		return s, nil
	}
	s, err := d.lookUp(ctx, name)
	if err == nil {
		d.known[name] = s
	}
	return s, err
}

func (d *Database) lookUp(ctx context.Context, name string) (stream, error) {
	doing := "look up change stream " + name
	// Without a parameter, as those differ between the dialects.
	options, err := d.rows(ctx, doing, spanner.Statement{SQL: "SELECT option_name, option_value FROM information_schema.database_options"})
	if err != nil {
		return stream{}, err
	}
	dialect, err := changestream.DialectOf(setting(options, "database_dialect"), "")
	if err != nil {
		return stream{}, &Problem{Key: databaseKey, Text: d.name.path() + " cannot be read: " + err.Error(), Err: err}
	}
	s := stream{words: wordsOf(dialect)}
	found, err := d.find(ctx, doing, s.words, name)
	if err != nil {
		return stream{}, err
	}
	options, err = d.rows(ctx, doing, s.words.ofStream("option_name, option_value", "change_stream_options", found.Name))
	if err != nil {
		return stream{}, err
	}
	if s.dialect, err = changestream.DialectOf(dialect.Name, setting(options, "partition_mode")); err != nil {
		return stream{}, &Problem{Key: streamKey, Text: fmt.Sprintf("%s: ChangeStream '%s' cannot be read: %v", streamKey, name, err), Err: err}
	}
	found.Dialect, found.ValueCapture, found.Retention = dialect.Name, defaultCapture, defaultRetention
	if v := setting(options, "value_capture_type"); v != "" {
		found.ValueCapture = changestream.ValueCapture(v)
	}
	if v, ok := retention(setting(options, "retention_period")); ok {
		found.Retention = v
	}
	s.Stream = found
	return s, nil
}

// find looks for the name as it is written and then, as PostgreSQL folds names that were not quoted, in lower case (SK-18).
func (d *Database) find(ctx context.Context, doing string, w words, name string) (Stream, error) {
	spellings := []string{name}
	if low := strings.ToLower(name); w.schema != "" && low != name {
		spellings = append(spellings, low)
	}
	for _, spelled := range spellings {
		rows, err := d.rows(ctx, doing, w.ofStream("change_stream_name, "+w.all, "change_streams", spelled))
		if err != nil {
			return Stream{}, err
		}
		if len(rows) > 0 {
			return Stream{Name: rows[0].text(0), All: rows[0].truth(1)}, nil
		}
	}
	return Stream{}, absent(name)
}

// absent is the peer's sentence for a stream that is not there.
func absent(name string) *Problem {
	return &Problem{Key: streamKey, Text: fmt.Sprintf("ChangeStream '%s' doesn't exist or you don't have sufficient permissions", name), Err: errAbsent}
}

var errAbsent = errors.New("change stream not found")

// setting is the value of an option; "" when it is not set.
func setting(rows []row, name string) string {
	for _, r := range rows {
		if r.text(0) == name {
			return r.text(1)
		}
	}
	return ""
}

// retention reads a period as DDL has it: "7d", "36h", "90m", "3600s".
func retention(text string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err == nil && n > 0
	}
	v, err := time.ParseDuration(text)
	return v, err == nil && v > 0
}
