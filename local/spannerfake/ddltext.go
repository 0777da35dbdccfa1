package spannerfake

import (
	"fmt"
	"strings"
)

// statements is the schema as statements that make it anew, spelled as the emulator spells them.
func (d *Database) statements() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, name := range d.schemas {
		out = append(out, "CREATE SCHEMA "+name)
	}
	for _, t := range d.order {
		out = append(out, t.statement())
	}
	for _, s := range d.listed {
		out = append(out, s.statement())
	}
	return out
}

func (t *table) statement() string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", t.spelled())
	for _, c := range t.columns {
		fmt.Fprintf(&b, "  %s %s", c.name, c.typ.text)
		if c.notNull {
			b.WriteString(" NOT NULL")
		}
		if c.fallback != nil {
			fmt.Fprintf(&b, " DEFAULT (%s)", c.fallbackText)
		}
		if c.generated != "" {
			fmt.Fprintf(&b, " AS (%s)", c.generated)
			if c.stored {
				b.WriteString(" STORED")
			}
		}
		if c.stamped {
			b.WriteString(" OPTIONS (\n    allow_commit_timestamp = true\n  )")
		}
		b.WriteString(",\n")
	}
	parts := make([]string, len(t.key))
	for i, k := range t.key {
		parts[i] = k.name
		if k.desc {
			parts[i] += " DESC"
		}
	}
	fmt.Fprintf(&b, ") PRIMARY KEY(%s)", strings.Join(parts, ", "))
	if t.parent != nil {
		fmt.Fprintf(&b, ",\n  INTERLEAVE %s %s", t.interleaved, t.parent.spelled())
		if t.cascade {
			b.WriteString(" ON DELETE CASCADE")
		}
	}
	if t.policy != "" {
		fmt.Fprintf(&b, ",\n  ROW DELETION POLICY (%s)", t.policy)
	}
	return b.String()
}

func (s *stream) statement() string {
	text := "CREATE CHANGE STREAM " + s.name
	if s.all {
		text += " FOR ALL"
	}
	for i, w := range s.watched {
		text += map[bool]string{true: " FOR ", false: ", "}[i == 0] + w.t.spelled()
		if w.whole {
			continue
		}
		names := make([]string, len(w.columns))
		for j, c := range w.columns {
			names[j] = c.name
		}
		text += "(" + strings.Join(names, ", ") + ")"
	}
	for i, o := range s.options {
		value := strings.ToLower(o.value)
		if o.typ == "STRING" {
			value = "'" + o.value + "'"
		}
		text += map[bool]string{true: " OPTIONS ( ", false: ", "}[i == 0] + o.name + " = " + value
	}
	if len(s.options) > 0 {
		text += " )"
	}
	return text
}
