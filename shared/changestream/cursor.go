package changestream

import (
	"strconv"
	"time"
)

// cursor reads the known fields of one struct and keeps the first fault, so that reading code need not stop at each.
type cursor struct {
	v     Value
	path  string
	at    []int
	names []string
	err   error
}

func (c *cursor) fail(field int, reason string) {
	if c.err == nil {
		c.err = &Undecodable{Field: c.path + "." + c.names[field], Reason: reason}
	}
}

// join takes over the fault of an inner struct.
func (c *cursor) join(inner cursor) {
	if c.err == nil {
		c.err = inner.err
	}
}

// get finds a field; ok is false when the row does not have it or it is null.
func (c *cursor) get(field int) (Value, bool) {
	at := c.at[field]
	if c.err != nil || at < 0 {
		return nil, false
	}
	if n, ok := c.v.Len(); !ok || at >= n {
		c.fail(field, "the row is too short")
		return nil, false
	}
	v := c.v.At(at)
	return v, !v.Null()
}

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

func (c *cursor) int(field int) int64 {
	text := c.text(field)
	if c.err != nil {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		c.fail(field, "is not an integer: "+strconv.Quote(text))
	}
	return n
}

func (c *cursor) time(field int) time.Time {
	text := c.text(field)
	if c.err != nil {
		return time.Time{}
	}
	t, err := parseTime(text)
	if err != nil {
		c.fail(field, "is not a timestamp: "+strconv.Quote(text))
	}
	return t
}

func (c *cursor) list(field int) (Value, int) {
	v, n := c.optList(field)
	if v == nil {
		c.fail(field, "is null")
	}
	return v, n
}

func (c *cursor) optList(field int) (Value, int) {
	v, ok := c.get(field)
	if !ok {
		return nil, 0
	}
	n, ok := v.Len()
	if !ok {
		c.fail(field, "is not an array")
		return v, 0
	}
	return v, n
}
