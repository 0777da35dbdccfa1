package tableschema

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"sluice.example/shared/changestream"
)

// Registry holds the tables of one connector. It is safe for concurrent use; Observe takes no lock and allocates nothing
// when a record describes its table as an earlier one did.
type Registry struct {
	order  KeyOrder
	tables atomic.Pointer[map[string]*entry] // replaced whole, so that readers need no lock

	mu sync.Mutex // one change at a time
}

// entry is one table. What it points to is immutable.
type entry struct{ state atomic.Pointer[state] }

type state struct {
	columns []known
	version *Version // nil: err says why
	err     error
	seen    [][]changestream.Column // column lists of records that are known to change nothing
	history []*Version              // reused when a table's shape comes back, so that schemas are not made anew each time
	count   int                     // versions ever made
}

// A table has as many column lists as there are combinations of columns that transactions write.
const (
	maxSeen    = 32
	maxHistory = 16
)

// NewRegistry makes an empty registry.
func NewRegistry(order KeyOrder) *Registry {
	r := &Registry{order: order}
	r.tables.Store(&map[string]*entry{})
	return r
}

// Load adds what information_schema says. Tables it does not mention stay, as do columns. Loading the same again
// changes nothing; loading after a change gives the tables concerned new versions.
func (r *Registry) Load(tables []Table) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range tables {
		e := r.entry(t.Name)
		e.state.Store(e.state.Load().learn(t.Name, fromTable(t), r.order))
	}
}

// Observe adds what a change says about its table and returns the version to read the change with.
//
// It fails with *Unsupported, naming table, column and type, as long as the table has a column of an unknown type. A
// later record or Load may lift that.
func (r *Registry) Observe(dc *changestream.DataChange) (*Version, error) {
	if e := (*r.tables.Load())[dc.Table]; e != nil {
		if s := e.state.Load(); s.has(dc.Columns) {
			return s.version, s.err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	table := strings.Clone(dc.Table)
	e := r.entry(table)
	s := e.state.Load()
	if len(dc.Columns) == 0 && s.columns != nil {
		return s.version, s.err // the delete of a table without key columns tells nothing
	}
	s = s.learn(table, fromRecord(dc.Columns), r.order)
	if len(s.seen) < maxSeen {
		s.seen = append(slices.Clip(s.seen), cloneColumns(dc.Columns))
	}
	e.state.Store(s)
	return s.version, s.err
}

// Versions is the newest version of each table that has one, in no order.
func (r *Registry) Versions() []*Version {
	var versions []*Version
	for _, e := range *r.tables.Load() {
		if v := e.state.Load().version; v != nil {
			versions = append(versions, v)
		}
	}
	return versions
}

// entry finds a table's entry or makes it. The lock is held.
func (r *Registry) entry(table string) *entry {
	tables := *r.tables.Load()
	if e := tables[table]; e != nil {
		return e
	}
	e := &entry{}
	e.state.Store(&state{})
	next := make(map[string]*entry, len(tables)+1)
	for name, old := range tables {
		next[name] = old
	}
	next[table] = e
	r.tables.Store(&next)
	return e
}

// learn is the state after something was learned. When that changes no record, the version is the same one.
func (s *state) learn(table string, learned []known, order KeyOrder) *state {
	next := &state{columns: learned, history: s.history, count: s.count}
	if s.columns != nil {
		next.columns = merge(s.columns, learned)
	}
	v, err := newVersion(table, next.columns, order)
	if err != nil {
		next.err = err
		return next
	}
	if at := slices.IndexFunc(s.history, v.sameShape); at >= 0 {
		next.version = s.history[at]
		if next.version == s.version {
			next.seen = s.seen
		}
		return next
	}
	next.count++
	v.Number = next.count
	next.version = v
	if len(next.history) == maxHistory {
		next.history = next.history[1:]
	}
	next.history = append(slices.Clip(next.history), v)
	return next
}

func (s *state) has(columns []changestream.Column) bool {
	for _, seen := range s.seen {
		if slices.Equal(seen, columns) {
			return true
		}
	}
	return false
}

func cloneColumns(columns []changestream.Column) []changestream.Column {
	c := slices.Clone(columns)
	for i := range c {
		c[i].Name, c[i].Type = strings.Clone(c[i].Name), strings.Clone(c[i].Type)
	}
	return c
}
