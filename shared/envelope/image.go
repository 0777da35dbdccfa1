package envelope

import (
	"fmt"
	"strconv"
	"strings"

	"sluice.example/shared/changestream"
	"sluice.example/shared/record"
)

// Mismatch says which value of a change does not fit what is known of its table. It never contains the value.
type Mismatch struct {
	Table, Column, Type string
	Reason              string
}

func (e *Mismatch) Error() string {
	return fmt.Sprintf("change of table %s cannot be mapped: column %s of type %s: %s", e.Table, e.Column, e.Type, e.Reason)
}

// images are a row before and after (2.5); nil where there is none. For an update and a delete there always is a before,
// even when the stream does not capture old values: it then has the key alone.
func (c *change) images(mod int) (before, after []record.Value, err error) {
	f, w, m := c.form, c.work, &c.dc.Mods[mod]
	if c.op != "c" {
		before = w.values(len(f.columns))
		if err := c.read(before, m.Old, mod, "old_values"); err != nil {
			return nil, nil, err
		}
	}
	if c.op != "d" {
		after = w.values(len(f.columns))
		if err := c.read(after, m.New, mod, "new_values"); err != nil {
			return nil, nil, err
		}
	}
	// The key comes last, since it wins over a value of the same name.
	image, other := after, before
	if image == nil {
		image, other = before, nil
	}
	if err := c.read(image, m.Keys, mod, "keys"); err != nil {
		return nil, nil, err
	}
	if other != nil {
		for _, at := range f.keys {
			other[at] = image[at]
		}
	}
	return before, after, nil
}

// read fills a row from one member of a mod. Columns it does not mention stay null; "" is an empty object.
func (c *change) read(row []record.Value, text string, mod int, member string) error {
	isKey := member == "keys"
	keys := 0
	if text != "" {
		s := scanner{text: text}
		s.open('{')
		for hint := 0; ; hint++ {
			name, more := s.member()
			if !more {
				break
			}
			tok := s.value()
			if s.fault != "" {
				break
			}
			at := c.form.find(name, hint)
			if at < 0 {
				return c.mismatch(name, "the change does not list the column")
			}
			hint = at // members usually come in column order, with gaps
			if isKey && c.form.columns[at].isKey {
				keys++
			}
			if reason := c.work.convert(&row[at], c.form.columns[at].of, tok); reason != "" {
				return c.mismatch(name, reason)
			}
		}
		if s.end(); s.fault != "" {
			return &changestream.Undecodable{Field: "data_change_record.mods[" + strconv.Itoa(mod) + "]." + member,
				Reason: "not a JSON object: " + s.fault + " at byte " + strconv.Itoa(s.at) + " (table " + c.dc.Table + ")"}
		}
	}
	if isKey && keys < len(c.form.keys) {
		return c.mismatch(c.form.missingKey(text), "the change's keys do not have it")
	}
	return nil
}

func (c *change) mismatch(column, reason string) error {
	e := &Mismatch{Table: c.dc.Table, Column: column, Type: "unknown", Reason: reason}
	if at := c.form.find(column, 0); at >= 0 {
		e.Type = c.form.columns[at].of.String()
	}
	return e
}

// missingKey names a key column that the text of a mod's keys does not have.
func (f *form) missingKey(keys string) string {
	for _, at := range f.keys {
		if name := f.columns[at].name; !strings.Contains(keys, strconv.Quote(name)) {
			return name
		}
	}
	return "of the key"
}
