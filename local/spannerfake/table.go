package spannerfake

import (
	"slices"
	"strings"

	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/protobuf/types/known/structpb"
)

// table is a table with its rows. Everything in it is guarded by the database's lock.
type table struct {
	schema, name string // schema: "" for the default one
	columns      []*column
	key          []keyPart
	parent       *table // interleaved in it; nil: none
	interleaved  string // IN or IN PARENT
	cascade      bool   // deleted with the parent's row
	children     []*table
	policy       string // row deletion policy; kept, never run
	slots        int    // columns that there ever were
	rows         rows
	changed      int64 // the commit that changed it last, counted per database
}

// column is a column. Its slot is its place in stored rows, which stays when other columns are dropped.
type column struct {
	name         string
	slot         int
	typ          *columnType
	notNull      bool
	inKey        bool
	fallback     ast.Expr // DEFAULT; nil: none
	fallbackText string
	generated    string // expression of a generated column; "": an ordinary one
	stored       bool
	stamped      bool // allow_commit_timestamp
}

type keyPart struct {
	*column
	desc bool
}

// spelled is the name as change records have it.
func (t *table) spelled() string {
	if t.schema == "" {
		return t.name
	}
	return t.schema + "." + t.name
}

// column finds a column; names do not distinguish case, as Spanner's do not.
func (t *table) column(name string) *column {
	for _, c := range t.columns {
		if strings.EqualFold(c.name, name) {
			return c
		}
	}
	return nil
}

// root is the table that this one is interleaved in, over all levels.
func (t *table) root() *table {
	for t.parent != nil {
		t = t.parent
	}
	return t
}

// row is one row by slot. Rows are never changed, only replaced, so that one may be kept outside the lock.
type row []*structpb.Value

var null = structpb.NewNullValue()

// at is a column's value. A row that is older than its column has NULL there.
func (r row) at(c *column) *structpb.Value {
	if c.slot < len(r) && r[c.slot] != nil {
		return r[c.slot]
	}
	return null
}

// rows are a table's rows by encoded key. Order is made when it is asked for, and kept until a key comes or goes:
// most tables are only written.
type rows struct {
	byKey  map[string]row
	sorted []string // nil: not in order
}

func (r *rows) put(key string, v row) {
	if r.byKey == nil {
		r.byKey = make(map[string]row)
	}
	if _, ok := r.byKey[key]; !ok {
		r.sorted = nil
	}
	r.byKey[key] = v
}

func (r *rows) remove(key string) {
	delete(r.byKey, key)
	r.sorted = nil
}

// between lists keys from low to below high in order; high "" is no limit.
func (r *rows) between(low, high string) []string {
	if r.sorted == nil {
		r.sorted = make([]string, 0, len(r.byKey))
		for k := range r.byKey {
			r.sorted = append(r.sorted, k)
		}
		slices.Sort(r.sorted)
	}
	from, _ := slices.BinarySearch(r.sorted, low)
	to := len(r.sorted)
	if high != "" {
		to, _ = slices.BinarySearch(r.sorted, high)
	}
	if from >= to {
		return nil
	}
	return r.sorted[from:to]
}
