package tableschema

import "slices"

// Version is what is known of a table at one moment. It is immutable: share it, and use its pointer as the key of
// whatever is derived from it.
type Version struct {
	Table   string
	Number  int // from 1, for each table
	Columns []VersionColumn
	Key     []int // indexes of the key columns, in the order of the key's fields

	// Described tells that information_schema has described every column. When false, a key column that only records have
	// named counts as nullable, and the order of such key columns is the table's; loading information_schema again
	// settles both.
	Described bool
}

// VersionColumn is a column with its type understood.
type VersionColumn struct {
	Column
	Of Type
}

// Index finds a column by name; -1 when the version has none of that name.
func (v *Version) Index(name string) int {
	return slices.IndexFunc(v.Columns, func(c VersionColumn) bool { return c.Name == name })
}

// newVersion makes the version of a table from its columns in schema order. It fails with *Unsupported when the type of
// one is unknown.
func newVersion(table string, columns []known, order KeyOrder) (*Version, error) {
	v := &Version{Table: table, Columns: make([]VersionColumn, len(columns)), Described: true}
	names := make([]string, len(columns))
	for i, c := range columns {
		if c.of.Kind == NoKind {
			return nil, &Unsupported{Table: table, Column: c.Name, Type: c.Type}
		}
		v.Columns[i] = VersionColumn{Column: c.Column, Of: c.of}
		v.Described = v.Described && c.described
		names[i] = c.Name
	}
	v.Key = keyIndexes(columns, names, order)
	return v, nil
}

func keyIndexes(columns []known, names []string, order KeyOrder) []int {
	indexes := make([]int, 0, 4)
	for _, i := range hashOrder(names) {
		if columns[i].KeyPosition > 0 {
			indexes = append(indexes, i)
		}
	}
	if order == PrimaryKey {
		slices.SortFunc(indexes, func(a, b int) int {
			if d := columns[a].KeyPosition - columns[b].KeyPosition; d != 0 {
				return d
			}
			return a - b
		})
	}
	return indexes
}

// sameShape tells whether two versions give the same records. Ordinals, lengths and the number do not matter.
func (v *Version) sameShape(o *Version) bool {
	return v.Described == o.Described && slices.Equal(v.Key, o.Key) &&
		slices.EqualFunc(v.Columns, o.Columns, func(a, b VersionColumn) bool {
			return a.Name == b.Name && a.Of == b.Of && a.Nullable == b.Nullable
		})
}
