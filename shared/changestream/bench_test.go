package changestream

import "testing"

// BenchmarkStruct decodes one change of one row and two columns. What it allocates is the record: the change and its mods.
func BenchmarkStruct(b *testing.B) {
	d, err := GoogleSQL.Decoder(column())
	if err != nil {
		b.Fatal(err)
	}
	v := row(list(change("UPDATE", "OLD_AND_NEW_VALUES", list(`{"Id":"1"}`, `{"Name":"b"}`, `{"Name":"a"}`))), nil, nil)
	flat := flatten(v.(datum).v)
	var dst []Record
	b.ReportAllocs()
	for b.Loop() {
		if dst, err = d.Decode(dst[:0], flat); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	d, err := PostgreSQL.Decoder(Shape{})
	if err != nil {
		b.Fatal(err)
	}
	flat := &node{text: jsonChange, kind: 't'}
	var dst []Record
	b.ReportAllocs()
	for b.Loop() {
		if dst, err = d.Decode(dst[:0], flat); err != nil {
			b.Fatal(err)
		}
	}
}

// node is a Value that is a pointer, as those of clients are.
type node struct {
	kind  byte // n, t, b, l
	text  string
	truth bool
	items []*node
}

func (n *node) Null() bool           { return n.kind == 'n' }
func (n *node) Text() (string, bool) { return n.text, n.kind == 't' }
func (n *node) Bool() (bool, bool)   { return n.truth, n.kind == 'b' }
func (n *node) Len() (int, bool)     { return len(n.items), n.kind == 'l' }
func (n *node) At(i int) Value       { return n.items[i] }

func flatten(v any) *node {
	switch v := v.(type) {
	case string:
		return &node{kind: 't', text: v}
	case bool:
		return &node{kind: 'b', truth: v}
	case []any:
		n := &node{kind: 'l'}
		for _, x := range v {
			n.items = append(n.items, flatten(x))
		}
		return n
	}
	return &node{kind: 'n'}
}
