package changestream

import (
	"strconv"
	"time"
)

// cursor reads the known fields of one struct and keeps the first fault, so that reading code need not stop at each. The
// path of a fault is put together only when there is one.
type cursor struct {
	v    Value
	of   *layout
	item int // place in the list it stands in; -1: not told
	err  error
}

// in starts reading a struct; what is none is a fault.
func (l *layout) in(v Value, item int) cursor {
	c := cursor{v: v, of: l, item: item}
	if v.Null() {
		c.err = &Undecodable{Field: c.path(), Reason: "is null"}
	} else if _, ok := v.Len(); !ok {
		c.err = &Undecodable{Field: c.path(), Reason: "is not a struct"}
	}
	return c
}

func (c *cursor) path() string {
	if c.item < 0 {
		return c.of.path
	}
	return c.of.path + "[" + strconv.Itoa(c.item) + "]"
}

func (c *cursor) fail(field int, reason string) {
	if c.err == nil {
		c.err = &Undecodable{Field: c.path() + "." + c.of.names[field], Reason: reason}
	}
}

// empty tells whether none of the known fields has a value: what an array of one struct holds for a record that is not
// there.
func (c *cursor) empty() bool {
	if c.err != nil {
		return false
	}
	n, _ := c.v.Len()
	for _, at := range c.of.at {
		if at >= n || at >= 0 && !c.v.At(at).Null() {
			return false
		}
	}
	return true
}

// get finds a field; ok is false when the row does not have it or it is null.
func (c *cursor) get(field int) (Value, bool) {
	at := c.of.at[field]
	if c.err != nil || at < 0 {
		return nil, false
	}
	if n, _ := c.v.Len(); at >= n {
		c.fail(field, "the row is too short")
		return nil, false
	}
	v := c.v.At(at)
	return v, !v.Null()
}

// text reads a field that must be there.
func (c *cursor) text(field int) string {
	v, ok := c.get(field)
	if !ok {
		c.fail(field, "is null")
		return ""
	}
	s, ok := v.Text()
	if !ok {
		c.fail(field, "is not text")
	}
	return s
}

// optText reads a field that may be absent or null; both are "".
func (c *cursor) optText(field int) string {
	if _, ok := c.get(field); !ok {
		return ""
	}
	return c.text(field)
}

func (c *cursor) bool(field int) bool {
	v, ok := c.get(field)
	if !ok {
		c.fail(field, "is null")
		return false
	}
	b, ok := v.Bool()
	if !ok {
		c.fail(field, "is not a boolean")
	}
	return b
}

func (c *cursor) optBool(field int) bool {
	if _, ok := c.get(field); !ok {
		return false
	}
	return c.bool(field)
}

// int reads an INT64, which rows carry as text.
func (c *cursor) int(field int) int64 {
	text := c.text(field)
	if c.err != nil {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		c.fail(field, "is not an integer: "+excerpt(text))
	}
	return n
}

// time reads a TIMESTAMP, to the nanosecond.
func (c *cursor) time(field int) time.Time {
	text := c.text(field)
	if c.err != nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		c.fail(field, "is not a timestamp: "+excerpt(text))
	}
	return t.UTC()
}

// object reads the JSON text of an object, and leaves it as it is: numbers keep their digits, strings their escapes.
func (c *cursor) object(field int) string {
	text := c.checked(c.text(field), field)
	if text == "" {
		c.fail(field, "is empty")
	}
	return text
}

// optObject reads one that may be absent or null; both are "".
func (c *cursor) optObject(field int) string { return c.checked(c.optText(field), field) }

func (c *cursor) checked(text string, field int) string {
	if c.err == nil && text != "" && !isObject(text) {
		c.fail(field, "is not a JSON object: "+excerpt(text))
	}
	return text
}

// list reads an array that must be there.
func (c *cursor) list(field int) (Value, int) {
	if _, ok := c.get(field); !ok {
		c.fail(field, "is null")
	}
	return c.optList(field)
}

// optList reads an array that may be absent or null; both are empty.
func (c *cursor) optList(field int) (Value, int) {
	v, ok := c.get(field)
	if !ok {
		return nil, 0
	}
	n, ok := v.Len()
	if !ok {
		c.fail(field, "is not an array")
		return nil, 0
	}
	return v, n
}

// isObject looks at the first character only: the whole is judged where it is converted.
func isObject(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case ' ', '\t', '\n', '\r':
		default:
			return text[i] == '{'
		}
	}
	return false
}

// excerpt quotes a value for a message, cut: a row's value may be megabytes.
func excerpt(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(text[:most]) + "…"
	}
	return strconv.Quote(text)
}
