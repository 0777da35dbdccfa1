package firestorefake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Indexes is what a database declares, in the form of the Firebase command's firestore.indexes.json. A field that is
// not named in FieldOverrides has both single-field indexes.
type Indexes struct {
	Indexes        []Composite `json:"indexes"`
	FieldOverrides []Override  `json:"fieldOverrides"`
}

// Composite is an index on several fields.
type Composite struct {
	CollectionGroup string  `json:"collectionGroup"`
	QueryScope      string  `json:"queryScope"`
	Fields          []Field `json:"fields"`
}

// Field is one field of an index.
type Field struct {
	FieldPath string `json:"fieldPath"`
	Order     string `json:"order"` // ASCENDING or DESCENDING
}

// Override replaces a field's own indexes; none makes the field exempt.
type Override struct {
	CollectionGroup string        `json:"collectionGroup"`
	FieldPath       string        `json:"fieldPath"`
	Indexes         []SingleField `json:"indexes"`
}

// SingleField is one of a field's own indexes.
type SingleField struct {
	Order      string `json:"order"`
	QueryScope string `json:"queryScope"`
}

// ParseIndexes reads the declaration. An unknown member is an error: it may be an index that is not understood.
func ParseIndexes(declaration []byte) (Indexes, error) {
	var i Indexes
	d := json.NewDecoder(bytes.NewReader(declaration))
	d.DisallowUnknownFields()
	if err := d.Decode(&i); err != nil {
		return Indexes{}, fmt.Errorf("parse index declaration: %w", err)
	}
	return i, nil
}

const (
	ascending  = "ASCENDING"
	descending = "DESCENDING"
)

// own is the single-field indexes of a field.
func (i Indexes) own(group, path string) []string {
	for _, o := range i.FieldOverrides {
		if o.CollectionGroup == group && o.FieldPath == path {
			orders := make([]string, len(o.Indexes))
			for n, single := range o.Indexes {
				orders[n] = single.Order
			}
			return orders
		}
	}
	return []string{ascending, descending}
}

// any tells whether a value of the field stands in some index.
func (i Indexes) any(group, path string) bool {
	return len(i.own(group, path)) > 0 || slices.ContainsFunc(i.Indexes, func(c Composite) bool {
		return c.CollectionGroup == group && slices.ContainsFunc(c.Fields, func(f Field) bool { return f.FieldPath == path })
	})
}

// serve tells whether Firestore could answer a query on a collection that compares some fields for equality and sorts by
// others, the inequalities among them; the name is not counted. It can with no field at all; with single-field indexes
// for equalities alone, which it merges, or for one order alone; otherwise with a composite index of exactly these
// fields, equalities first (https://firebase.google.com/docs/firestore/query-data/index-overview).
func (i Indexes) serve(group string, equal []string, sorted []Field) error {
	switch {
	case len(sorted) == 0:
		for _, path := range equal {
			if len(i.own(group, path)) == 0 {
				return noIndex(group, path)
			}
		}
		return nil
	case len(sorted) == 1 && len(equal) == 0:
		if !slices.Contains(i.own(group, sorted[0].FieldPath), sorted[0].Order) {
			return noIndex(group, sorted[0].FieldPath)
		}
		return nil
	}
	for _, c := range i.Indexes {
		if c.CollectionGroup != group || len(c.Fields) != len(equal)+len(sorted) {
			continue
		}
		prefix, suffix := c.Fields[:len(equal)], c.Fields[len(equal):]
		covers := slices.Equal(suffix, sorted)
		for _, f := range prefix {
			covers = covers && slices.Contains(equal, f.FieldPath)
		}
		if covers {
			return nil
		}
	}
	return noIndex(group, fmt.Sprint(equal, sorted))
}

func noIndex(group, what string) error {
	return status.Errorf(codes.FailedPrecondition, "the query requires an index: collection group %s, %s; none is declared", group, what)
}

func direction(d pb.StructuredQuery_Direction) string {
	if d == pb.StructuredQuery_DESCENDING {
		return descending
	}
	return ascending
}
