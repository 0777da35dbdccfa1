package envelope

import (
	"sync"
	"sync/atomic"
	"time"

	"sluice.example/shared/connector"
	"sluice.example/shared/record"
	"sluice.example/shared/tableschema"
)

// Options say for whom records are made.
type Options struct {
	Settings   connector.Settings
	Version    string           // of the source block: the peer's release whose format this is, such as 3.4.0.Final
	Task       string           // task id, of a header
	RunID      string           // names this run of the task, of a header
	PostgreSQL bool             // mod_number counts from 1 there
	Now        func() time.Time // processing time; nil: time.Now
}

// Maker makes the records of one run of a task. It is safe for concurrent use.
type Maker struct {
	opt     Options
	filter  *filter
	uids    uids
	headers []record.Header // of a data record, with the constant values in place

	mu    sync.Mutex // guards the making of forms
	forms atomic.Pointer[map[*tableschema.Version]*form]
	pool  sync.Pool // of *work
}

// New makes a Maker. It fails when an expression of the table lists cannot be understood, naming list and expression.
func New(opt Options) (*Maker, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	f, err := newFilter(opt.Settings.TableInclude, opt.Settings.TableExclude)
	if err != nil {
		return nil, err
	}
	m := &Maker{opt: opt, filter: f}
	m.headers = headerTemplate(opt)
	m.forms.Store(&map[*tableschema.Version]*form{})
	m.pool.New = func() any { return new(work) }
	return m, nil
}

// Wants tells whether the table lists let the changes of a table through. Ask before the registry is shown a change: a
// table that nobody wants may have types that nobody knows (TY-17).
func (m *Maker) Wants(table string) bool { return m.filter.wants(table) }

// form finds what was worked out for a version, or works it out. Versions are few and live as long as their table.
func (m *Maker) form(v *tableschema.Version) *form {
	if f := (*m.forms.Load())[v]; f != nil {
		return f
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	forms := *m.forms.Load()
	if f := forms[v]; f != nil {
		return f
	}
	next := make(map[*tableschema.Version]*form, len(forms)+1)
	for k, f := range forms {
		next[k] = f
	}
	f := newForm(&m.opt, v)
	next[v] = f
	m.forms.Store(&next)
	return f
}
