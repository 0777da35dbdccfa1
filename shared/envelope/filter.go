package envelope

import (
	"fmt"
	"maps"
	"regexp"
	"sync"
	"sync/atomic"
)

// filter is the two table lists. An expression must match the whole name of a table, in any case. The include list, when
// set, decides alone, and set to nothing it includes nothing; otherwise what the exclude list matches is left out.
//
// A name is matched as change records spell it, so a table of a named schema is schema.table.
//
// Source: reference 7 item 8; SK-10, SK-12. The zero filter lets everything through.
type filter struct {
	include, exclude []*regexp.Regexp
	includes         bool // the include list is set

	mu    sync.Mutex
	known atomic.Pointer[map[string]bool] // answers by table: tables are few, changes many
}

func newFilter(include, exclude *[]string) (*filter, error) {
	f := &filter{includes: include != nil}
	f.known.Store(&map[string]bool{})
	var err error
	if include != nil {
		f.include, err = compileList("table.include.list", *include)
	} else if exclude != nil {
		f.exclude, err = compileList("table.exclude.list", *exclude)
	}
	return f, err
}

func compileList(key string, list []string) ([]*regexp.Regexp, error) {
	var compiled []*regexp.Regexp
	for _, e := range list {
		r, err := CompileExpression(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		compiled = append(compiled, r)
	}
	return compiled, nil
}

func (f *filter) wants(table string) bool {
	if wanted, ok := (*f.known.Load())[table]; ok {
		return wanted
	}
	wanted := f.decide(table)
	f.mu.Lock()
	defer f.mu.Unlock()
	next := maps.Clone(*f.known.Load())
	next[table] = wanted
	f.known.Store(&next)
	return wanted
}

func (f *filter) decide(table string) bool {
	if f.includes {
		return anyMatch(f.include, table)
	}
	return !anyMatch(f.exclude, table)
}

func anyMatch(list []*regexp.Regexp, table string) bool {
	for _, r := range list {
		if r.MatchString(table) {
			return true
		}
	}
	return false
}
