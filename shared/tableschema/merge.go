package tableschema

import (
	"slices"
	"strings"

	"sluice.example/shared/changestream"
)

// known is a column as the registry keeps it.
type known struct {
	Column
	of        Type // the zero Type: not understood
	described bool // by information_schema
}

// fromTable is what information_schema says.
func fromTable(t Table) []known {
	columns := make([]known, len(t.Columns))
	for i, c := range t.Columns {
		of, _ := ParseType(c.Type) // unknown: fails when a change of the table comes, see newVersion
		columns[i] = known{Column: c, of: of, described: true}
	}
	slices.SortStableFunc(columns, byOrdinal)
	return columns
}

// fromRecord is what a change record says. Records name their key columns but not the order of the key, which is then
// taken to be the table's; nor whether a column may be NULL, which is then assumed. Texts are copied, since a record's
// belong to a buffer as large as a row.
func fromRecord(cs []changestream.Column) []known {
	columns := make([]known, len(cs))
	for i, c := range cs {
		of, _ := ParseType(c.Type)
		columns[i] = known{Column: Column{Name: strings.Clone(c.Name), Type: strings.Clone(c.Type), Ordinal: c.Ordinal, Nullable: true}, of: of}
	}
	slices.SortStableFunc(columns, byOrdinal)
	position := 0
	for i := range columns {
		if slices.ContainsFunc(cs, func(c changestream.Column) bool { return c.PrimaryKey && c.Name == columns[i].Name }) {
			position++
			columns[i].KeyPosition = position
		}
	}
	return columns
}

func byOrdinal(a, b known) int { return int(a.Ordinal - b.Ordinal) }

// merge adds what has been learned to what is known and returns a new list.
//
// Columns known before keep their order, so that a schema does not change its shape when an ordinal moves up because
// another column was dropped; a new one is put in front of the first that has a greater ordinal. But when the table is
// another one of the same name (its key has other columns: Spanner cannot alter a key), or information_schema describes
// for the first time what only records had shown in part, the order is the learned one.
func merge(have, learned []known) []known {
	rekeyed := !sameKey(have, learned)
	if rekeyed || (described(learned) && !described(have)) {
		merged := make([]known, len(learned), len(learned)+len(have))
		for i, c := range learned {
			merged[i] = c
			if at := find(have, c.Name); at >= 0 {
				merged[i] = update(have[at], c, rekeyed)
			}
		}
		for _, c := range have {
			if find(merged, c.Name) < 0 && keep(c, learned) {
				merged = append(merged, retired(c, rekeyed))
			}
		}
		return merged
	}
	merged := make([]known, 0, len(have)+4)
	for _, c := range have {
		if at := find(learned, c.Name); at >= 0 {
			merged = append(merged, update(c, learned[at], false))
		} else if keep(c, learned) {
			merged = append(merged, c)
		}
	}
	for _, c := range learned {
		if find(merged, c.Name) >= 0 {
			continue
		}
		at := slices.IndexFunc(merged, func(k known) bool { return k.Ordinal > c.Ordinal })
		if at < 0 {
			at = len(merged)
		}
		merged = slices.Insert(merged, at, c)
	}
	return merged
}

// update is a known column after something was learned of it: a record settles its type, information_schema everything.
func update(have, learned known, rekeyed bool) known {
	if learned.described {
		return learned
	}
	have.Ordinal = learned.Ordinal
	if have.of != learned.of {
		have.Type, have.of = learned.Type, learned.of
	}
	if rekeyed {
		have.KeyPosition, have.Nullable, have.described = learned.KeyPosition, true, false
	}
	return have
}

// keep tells whether a column that was not mentioned stays. One of a type that was never understood has been in no
// record yet: when information_schema no longer lists it, nothing needs it.
func keep(c known, learned []known) bool { return c.of.Kind != NoKind || !described(learned) }

// retired is a column of a table that was made anew without it.
func retired(c known, rekeyed bool) known {
	if rekeyed {
		c.KeyPosition, c.Nullable = 0, true
	}
	return c
}

// sameKey compares the names of key columns.
func sameKey(a, b []known) bool {
	n := 0
	for _, c := range a {
		if c.KeyPosition > 0 {
			n++
			if at := find(b, c.Name); at < 0 || b[at].KeyPosition == 0 {
				return false
			}
		}
	}
	for _, c := range b {
		if c.KeyPosition > 0 {
			n--
		}
	}
	return n == 0
}

func find(columns []known, name string) int {
	return slices.IndexFunc(columns, func(c known) bool { return c.Name == name })
}

func described(columns []known) bool {
	return len(columns) > 0 && !slices.ContainsFunc(columns, func(c known) bool { return !c.described })
}
