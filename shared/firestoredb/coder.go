package firestoredb

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
)

// coder walks the fields of one document, in one of two directions: out of a Go value into Firestore's, or back. One
// walk for both keeps the two from drifting apart. The zero value of a field is an absent field.
type coder struct {
	reading bool
	in      map[string]any
	out     []firestore.Update // every field of the document, the absent ones as firestore.Delete
	err     error              // the first; later calls do nothing
}

// field writes value under name unless absent, or hands the stored value to take. It is false when there is none.
func field[T any](c *coder, name string, value any, absent bool, take func(T)) {
	switch {
	case c.err != nil:
	case !c.reading && absent:
		c.out = append(c.out, firestore.Update{Path: name, Value: firestore.Delete})
	case !c.reading:
		c.out = append(c.out, firestore.Update{Path: name, Value: value})
	default:
		stored, ok := c.in[name]
		if !ok || stored == nil {
			return
		}
		typed, ok := stored.(T)
		if !ok {
			c.fail(name, fmt.Errorf("holds a value of type %T, want %T", stored, typed))
			return
		}
		take(typed)
	}
}

func (c *coder) fail(name string, err error) {
	if c.err == nil {
		c.err = fmt.Errorf("field %s: %w", name, err)
	}
}

func text[S ~string](c *coder, name string, p *S) {
	field(c, name, string(*p), *p == "", func(v string) { *p = S(v) })
}

// longestProse leaves the rest of a document room below Firestore's 1 MiB.
const longestProse = 64 << 10

// prose stores a text for people, which may have come from anywhere: what is not UTF-8 or too long must not keep the
// document from being written.
func prose(c *coder, name string, p *string) {
	v := *p
	if !c.reading {
		v = strings.ToValidUTF8(v[:min(len(v), longestProse)], "\uFFFD")
	}
	text(c, name, &v)
	if c.reading {
		*p = v
	}
}

func integer[N ~int | ~int32 | ~int64](c *coder, name string, p *N) {
	field(c, name, int64(*p), *p == 0, func(v int64) { *p = N(v) })
}

func boolean(c *coder, name string, p *bool) {
	field(c, name, *p, !*p, func(v bool) { *p = v })
}

// moment stores a time of Spanner's as text: Spanner counts nanoseconds, a Firestore timestamp microseconds.
func moment(c *coder, name string, p *time.Time) {
	field(c, name, p.UTC().Format(time.RFC3339Nano), p.IsZero(), func(v string) {
		t, err := time.Parse(time.RFC3339Nano, v)
		if err != nil {
			c.fail(name, err)
			return
		}
		*p = t.UTC()
	})
}

// stamp stores a time as a Firestore timestamp, which can be compared in queries, rounded down to the microsecond.
func stamp(c *coder, name string, p *time.Time) {
	field(c, name, floor(*p), p.IsZero(), func(v time.Time) { *p = v.UTC() })
}

func floor(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func texts[S ~string](c *coder, name string, p *[]S) {
	out := make([]any, len(*p))
	for i, s := range *p {
		out[i] = string(s)
	}
	field(c, name, out, len(out) == 0, func(v []any) {
		in := make([]S, len(v))
		for i, e := range v {
			s, ok := e.(string)
			if !ok {
				c.fail(name, fmt.Errorf("element %d is of type %T, want string", i, e))
				return
			}
			in[i] = S(s)
		}
		*p = in
	})
}

// document stores anything as one string of JSON, where nothing in it is ever asked for by itself.
func document[T any](c *coder, name string, p *T, absent bool) {
	out, err := json.Marshal(p)
	if err != nil {
		c.fail(name, err)
		return
	}
	field(c, name, string(out), absent, func(v string) {
		if err := json.Unmarshal([]byte(v), p); err != nil {
			c.fail(name, err)
		}
	})
}

// derived writes a field that is for queries and people only, and is not read back.
func (c *coder) derived(name string, value any, absent bool) {
	if !c.reading {
		field(c, name, value, absent, func(any) {})
	}
}
