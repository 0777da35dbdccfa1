package spannerfake

import (
	"slices"
	"strings"

	"github.com/cloudspannerecosystem/memefish"
	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// DDL applies statements in order. Those before one that fails stay applied, as Spanner does it. Errors are status
// errors as the API's.
func (d *Database) DDL(statements ...string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, text := range statements {
		text = strings.TrimSuffix(strings.TrimSpace(text), ";")
		parsed, err := memefish.ParseDDL("", text)
		if err != nil {
			return status.Errorf(codes.InvalidArgument, "Error parsing Spanner DDL statement: %s : %v", text, err)
		}
		if err := d.define(parsed, text); err != nil {
			return err
		}
		for _, s := range d.streams {
			s.shapes = nil // columns may be others now
		}
	}
	return nil
}

func (d *Database) define(statement ast.DDL, text string) error {
	switch st := statement.(type) {
	case *ast.CreateTable:
		return d.createTable(st, text)
	case *ast.AlterTable:
		return d.alterTable(st, text)
	case *ast.DropTable:
		return d.dropTable(st)
	case *ast.CreateChangeStream:
		return d.createStream(st)
	case *ast.AlterChangeStream:
		return d.alterStream(st)
	case *ast.DropChangeStream:
		s := d.streams[st.Name.Name]
		if s == nil {
			return status.Errorf(codes.NotFound, "Change Stream not found: %s", st.Name.Name)
		}
		delete(d.streams, s.name)
		d.listed = slices.DeleteFunc(d.listed, func(o *stream) bool { return o == s })
		s.drop()
		return nil
	case *ast.CreateSchema:
		if slices.Contains(d.schemas, st.Name.Name) {
			return duplicate(st.Name.Name)
		}
		d.schemas = append(d.schemas, st.Name.Name)
		return nil
	case *ast.AlterDatabase:
		for _, r := range st.Options.Records {
			d.options = append(d.options, setting{r.Name.Name, "STRING", strings.Trim(r.Value.SQL(), `"'`)})
		}
		return nil
	}
	return status.Errorf(codes.Unimplemented, "the fake does not know the statement: %s", statement.SQL())
}

func duplicate(name string) error {
	return status.Errorf(codes.FailedPrecondition, "Duplicate name in schema: %s.", name)
}

func (d *Database) createStream(st *ast.CreateChangeStream) error {
	name := st.Name.Name
	if d.streams[name] != nil || d.tables[name] != nil {
		return duplicate(name)
	}
	if len(d.streams) == mostStreams {
		return status.Errorf(codes.FailedPrecondition, "Failed to create Change Stream %s : because it is not allowed to have more than %d Change Streams per database.", name, mostStreams)
	}
	s := &stream{db: d, name: name, byToken: make(map[string]*partition)}
	if err := s.set(st.Options); err != nil {
		return err
	}
	if err := s.watches(st.For); err != nil {
		return err
	}
	d.streams[name] = s
	d.listed = append(d.listed, s)
	if err := d.trackedTooOften(s); err != nil {
		delete(d.streams, name)
		d.listed = d.listed[:len(d.listed)-1]
		return err
	}
	// It can be read from the clock's time on, which a clock that stands still has shown already.
	s.created = d.server.Now()
	d.settle(s.created)
	s.open(s.created, d.server.opts.Partitions)
	return nil
}

// Limits of Spanner (cloud.google.com/spanner/quotas, change streams).
const (
	mostStreams = 10
	mostWatches = 3
)

// trackedTooOften refuses the fourth stream over one table or column that is no key.
func (d *Database) trackedTooOften(s *stream) error {
	for _, t := range d.order {
		w := s.sees(t)
		if w == nil {
			continue
		}
		for _, c := range t.columns {
			if c.inKey || !w.tracks(c) {
				continue
			}
			n := 0
			for _, other := range d.listed {
				if o := other.sees(t); o != nil && o.tracks(c) {
					n++
				}
			}
			if n > mostWatches {
				return status.Errorf(codes.FailedPrecondition, "Failed to create or alter Change Stream %s : because it is not allowed to have more than %d Change Streams tracking the same table or non-key column or ALL: %s.", s.name, mostWatches, c.name)
			}
		}
	}
	return nil
}

func (d *Database) alterStream(st *ast.AlterChangeStream) error {
	s := d.streams[st.Name.Name]
	if s == nil {
		return status.Errorf(codes.NotFound, "Change Stream not found: %s", st.Name.Name)
	}
	kept := *s
	var err error
	switch alter := st.ChangeStreamAlteration.(type) {
	case *ast.ChangeStreamSetFor:
		if err = s.watches(alter.For); err == nil {
			err = d.trackedTooOften(s)
		}
	case *ast.ChangeStreamDropForAll:
		err = s.watches(nil)
	case *ast.ChangeStreamSetOptions:
		s.options = slices.Clone(s.options)
		err = s.set(alter.Options)
	}
	if err != nil {
		*s = kept
	}
	return err
}
