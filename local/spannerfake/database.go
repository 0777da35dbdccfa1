package spannerfake

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/spanner/admin/instance/apiv1/instancepb"
	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// Database is one database. Its methods do without a client what a client could do too, fast, and what only Spanner
// itself does. It is safe for concurrent use.
type Database struct {
	server *Server
	name   string // projects/p/instances/i/databases/d
	made   time.Time

	mu      sync.Mutex
	schemas []string // named schemas
	tables  map[string]*table
	order   []*table // as they were created, for DDL
	streams map[string]*stream
	listed  []*stream
	options []setting
	floor   time.Time // nothing is ever committed at or before it
	commits int64

	attempts map[string]*attempt
	begun    []string // their ids, oldest first
}

// Database is the database of that name (projects/p/instances/i/databases/d), made with its instance if there is none.
// A name of another form is an error.
func (s *Server) Database(name string) (*Database, error) {
	parts := strings.Split(name, "/")
	if len(parts) != 6 || parts[0] != "projects" || parts[2] != "instances" || parts[4] != "databases" || slices.Contains(parts, "") {
		return nil, fmt.Errorf("open database: %q is not of the form projects/p/instances/i/databases/d", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.databases[name]; d != nil {
		return d, nil
	}
	of := strings.Join(parts[:4], "/")
	if s.instances[of] == nil {
		s.instances[of] = &instancepb.Instance{Name: of, DisplayName: parts[3], NodeCount: 1, ProcessingUnits: 1000, State: instancepb.Instance_READY}
	}
	return s.create(name), nil
}

// create makes an empty database; the server's lock is held.
func (s *Server) create(name string) *Database {
	now := s.Now()
	d := &Database{server: s, name: name, made: now, floor: now, tables: make(map[string]*table), streams: make(map[string]*stream), attempts: make(map[string]*attempt)}
	s.databases[name] = d
	return d
}

func (s *Server) all() []*Database {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*Database
	for _, d := range s.databases {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b *Database) int { return strings.Compare(a.name, b.name) })
	return out
}

// Name is the database's full name.
func (d *Database) Name() string { return d.name }

// upcoming is the timestamp of the next commit, should it succeed; the lock is held from here to then.
func (d *Database) upcoming() time.Time {
	at := d.server.Now().Truncate(time.Microsecond)
	if !at.After(d.floor) {
		at = d.floor.Truncate(time.Microsecond).Add(time.Microsecond)
	}
	return at
}

// next takes a timestamp of its own, as a commit does.
func (d *Database) next() time.Time {
	d.settle(d.upcoming())
	return d.floor
}

// settle promises that nothing is committed at or before a time any more.
func (d *Database) settle(at time.Time) {
	if at.After(d.floor) {
		d.floor = at
	}
}

func (d *Database) wakeAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.streams {
		for _, p := range s.ordered {
			p.changed()
		}
	}
}

// Txn is a transaction to commit in one go.
type Txn struct {
	Tag       string
	Excluded  bool // from the streams that allow it
	System    bool // what TTL or a backfill does
	Mutations []*sppb.Mutation
}

// Apply commits mutations and returns the commit timestamp.
func (d *Database) Apply(mutations ...*sppb.Mutation) (time.Time, error) {
	return d.Commit(Txn{Mutations: mutations})
}

// Commit commits a transaction and returns its timestamp, or changes nothing and returns a status error as the API would.
// Every change is in the streams when it returns.
func (d *Database) Commit(t Txn) (time.Time, error) { return d.commit(t, nil) }

func (d *Database) commit(t Txn, a *attempt) (time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a != nil && !a.done.IsZero() {
		return a.done, nil
	}
	if a != nil && a.stale() {
		return time.Time{}, status.Error(codes.Aborted, "Transaction was aborted: what it read has changed.")
	}
	b := &batch{d: d, at: d.upcoming(), index: make(map[rowID]*rowChange)}
	for _, m := range t.Mutations {
		if err := b.apply(m); err != nil {
			return time.Time{}, err
		}
	}
	d.settle(b.at)
	d.commits++
	for _, c := range b.changes {
		if c.after == nil {
			c.t.rows.remove(c.key)
		} else {
			c.t.rows.put(c.key, c.after)
		}
		c.t.changed = d.commits
	}
	for _, s := range d.listed {
		if !t.Excluded || !s.without["TXN"] {
			s.record(t, b)
		}
	}
	if a != nil {
		a.done = b.at
	}
	return b.at, nil
}

// transactionID names a transaction as production does: some characters that mean nothing.
func (s *Server) transactionID() string {
	n := rand.NewPCG(s.opts.Seed, s.named.Add(1)).Uint64()
	return base64.StdEncoding.EncodeToString([]byte(strconv.FormatUint(n, 10)))
}

// positionOf is the position of a key given as Go values.
func (d *Database) positionOf(name string, key []any) (string, error) {
	t := d.tables[name]
	if t == nil {
		return "", status.Errorf(codes.NotFound, "Table not found: %s", name)
	}
	if len(key) < len(t.root().key) || len(key) > len(t.key) {
		return "", fmt.Errorf("table %s: a key has %d parts, not %d", name, len(t.key), len(key))
	}
	r := make(row, t.slots)
	for i, v := range key {
		c := t.key[i].column
		value, err := normalKey(c, Value(v))
		if err != nil {
			return "", err
		}
		r[c.slot] = value
	}
	return d.position(t, r), nil
}

func normalKey(c *column, v *structpb.Value) (*structpb.Value, error) {
	if isNull(v) {
		return null, nil
	}
	return normal(c.typ, v)
}
