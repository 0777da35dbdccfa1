package spannerfake

import (
	"slices"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// span is a range of encoded keys: low <= key < high; high "" is no limit. Of a whole key, one is set, so that no order
// is needed to find it.
type span struct {
	low, high string
	one       bool
}

// spans reads a key set. Keys must be whole; the ends of ranges may be prefixes, which stand for all that begin so.
func spans(t *table, set *sppb.KeySet) ([]span, error) {
	if set.GetAll() {
		return []span{{}}, nil
	}
	var out []span
	for _, k := range set.GetKeys() {
		if len(k.GetValues()) != len(t.key) {
			return nil, status.Errorf(codes.FailedPrecondition, "Wrong number of key parts for table %s: %d instead of %d", t.spelled(), len(k.GetValues()), len(t.key))
		}
		key, err := prefix(t, k)
		if err != nil {
			return nil, err
		}
		out = append(out, span{key, after(key), true})
	}
	for _, r := range set.GetRanges() {
		s, empty, err := spanOf(t, r)
		if err != nil {
			return nil, err
		}
		if !empty && (s.high == "" || s.low < s.high) {
			out = append(out, s)
		}
	}
	return out, nil
}

func spanOf(t *table, r *sppb.KeyRange) (s span, empty bool, err error) {
	switch from := r.GetStartKeyType().(type) {
	case *sppb.KeyRange_StartClosed:
		s.low, err = prefix(t, from.StartClosed)
	case *sppb.KeyRange_StartOpen:
		var key string
		key, err = prefix(t, from.StartOpen)
		s.low = after(key)
		empty = s.low == "" // beyond the last key there is nothing
	default:
		err = status.Error(codes.InvalidArgument, "A key range needs a start")
	}
	if err != nil {
		return s, false, err
	}
	switch to := r.GetEndKeyType().(type) {
	case *sppb.KeyRange_EndClosed:
		s.high, err = prefix(t, to.EndClosed)
		s.high = after(s.high)
	case *sppb.KeyRange_EndOpen:
		s.high, err = prefix(t, to.EndOpen)
		empty = empty || s.high == "" // below the first key there is nothing
	default:
		err = status.Error(codes.InvalidArgument, "A key range needs an end")
	}
	return s, empty, err
}

func prefix(t *table, k *structpb.ListValue) (string, error) {
	if len(k.GetValues()) > len(t.key) {
		return "", status.Errorf(codes.FailedPrecondition, "Too many key parts for table %s", t.spelled())
	}
	values := make([]*structpb.Value, len(k.GetValues()))
	for i, v := range k.GetValues() {
		var err error
		if values[i], err = normalKey(t.key[i].column, v); err != nil {
			return "", err
		}
	}
	return encodeKey(t.key, values), nil
}

func (b *batch) delete(del *sppb.Mutation_Delete) error {
	t := b.d.tables[del.Table]
	if t == nil {
		return status.Errorf(codes.NotFound, "Table not found: %s", del.Table)
	}
	ranges, err := spans(t, del.KeySet)
	if err != nil {
		return err
	}
	for _, r := range ranges {
		for _, key := range b.keys(t, r) {
			if err := b.remove(rowID{t, key}); err != nil {
				return err
			}
		}
	}
	return nil
}

// keys lists the rows of a range as the transaction sees them.
func (b *batch) keys(t *table, r span) []string {
	if r.one {
		if b.exists(rowID{t, r.low}) {
			return []string{r.low}
		}
		return nil
	}
	var out []string
	for _, key := range t.rows.between(r.low, r.high) {
		if b.exists(rowID{t, key}) {
			out = append(out, key)
		}
	}
	for _, c := range b.changes {
		if c.t == t && c.after != nil && c.before == nil && c.key >= r.low && (r.high == "" || c.key < r.high) {
			out = append(out, c.key)
		}
	}
	slices.Sort(out)
	return out
}

// remove deletes a row, those interleaved below it first.
func (b *batch) remove(id rowID) error {
	for _, child := range id.t.children {
		if child.interleaved != "IN PARENT" {
			continue
		}
		below := b.keys(child, span{low: id.key, high: after(id.key)})
		if len(below) > 0 && !child.cascade {
			return status.Errorf(codes.FailedPrecondition, "Integrity constraint violation during DELETE/REPLACE. Found child row in table %s.", child.spelled())
		}
		for _, key := range below {
			if err := b.remove(rowID{child, key}); err != nil {
				return err
			}
		}
	}
	c := b.touch(id)
	c.after, c.written = nil, nil
	return nil
}
