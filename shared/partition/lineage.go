package partition

import (
	"sort"
	"time"

	"sluice.example/shared/changestream"
	"sluice.example/shared/offset"
)

// Family gathers the children that a partition's query names; there may be several records of them.
type Family struct {
	children map[string]offset.Child
}

// Add takes one child record of the partition with the given token. A child of the root is named without parents; it
// gets the root as its parent.
func (f *Family) Add(token string, r *changestream.ChildPartitions) {
	if f.children == nil {
		f.children = make(map[string]offset.Child)
	}
	for _, c := range r.Children {
		parents := c.Parents
		if len(parents) == 0 {
			parents = []string{token}
		}
		f.children[c.Token] = offset.Child{Token: c.Token, Start: r.StartTimestamp, Parents: parents}
	}
}

// Empty tells whether no child was named: the query then ended for another reason than the partition's end (I5).
func (f *Family) Empty() bool { return len(f.children) == 0 }

// List is the children sorted by token, without those that start after end (the connector's end time; zero: none).
func (f *Family) List(end time.Time) []offset.Child {
	var list []offset.Child
	for _, c := range f.children {
		if end.IsZero() || !c.Start.After(end) {
			list = append(list, c)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Token < list[j].Token })
	return list
}

// Born is the document of a child that a parent named. It waits for all its parents; finished is the one that has just
// finished ("" for none), and a child of that one alone is ready at once.
func Born(c offset.Child, finished string, due time.Time) *Partition {
	p := &Partition{Token: c.Token, Parents: c.Parents, Start: c.Start, State: Created, Clean: true, DueAt: due}
	if len(c.Parents) == 1 && c.Parents[0] == finished {
		p.State = Ready
	}
	return p
}

// Root is the document of a connector's first partition.
func Root(start, due time.Time) *Partition {
	return &Partition{Token: changestream.RootToken, Start: start, State: Ready, Clean: true, DueAt: due}
}

// MayStart tells whether a Created partition may be read: all its parents are finished (I5). waits lists the parents
// that are not, and missing those that the store does not know, which block as well: a finished parent is removed only
// when every child has begun, so a missing one is a loss to be repaired from the offsets topic, never a sign of its end.
func MayStart(p *Partition, parents map[string]*Partition) (ok bool, waits, missing []string) {
	for _, token := range p.Parents {
		switch parent := parents[token]; {
		case parent == nil:
			missing = append(missing, token)
		case parent.State != Finished:
			waits = append(waits, token)
		}
	}
	return len(waits)+len(missing) == 0, waits, missing
}

// MayForget tells whether a finished partition may be removed: every child has begun to be read, and has its own record
// in the offsets topic; and every parent was removed before, for a parent names its children, and one of them that nobody
// remembers would be born again from that (see Rebuild). kin is parents and children by token.
func MayForget(p *Partition, kin map[string]*Partition) bool {
	for _, token := range p.Parents {
		if kin[token] != nil {
			return false
		}
	}
	for _, c := range p.Position.Children {
		child := kin[c.Token]
		if child != nil && child.State != Finished && child.Position.Offset.IsZero() {
			return false
		}
	}
	return true
}

// Rebuild makes the documents of a connector from its positions in the offsets topic, when the store has none. A child
// that its parents named but that has no position of its own is born again; a partition whose parent is not finished
// waits. What comes out is unclean: its claimer reads the offsets topic again.
func Rebuild(positions map[string]offset.Position, due time.Time) []*Partition {
	docs := make(map[string]*Partition)
	for token, pos := range positions {
		if token == changestream.RootToken && !pos.Closed && len(positions) > 1 {
			continue // Debezium's: its children are there
		}
		p := &Partition{Token: token, Parents: pos.Parents, Start: pos.Start, State: Ready, Position: pos, DueAt: due}
		if pos.State == offset.Finished {
			p.State = Finished
		}
		docs[token] = p
	}
	for _, pos := range positions {
		for _, c := range pos.Children {
			if docs[c.Token] == nil {
				docs[c.Token] = Born(c, "", due)
			}
		}
	}
	list := make([]*Partition, 0, len(docs))
	for _, p := range docs {
		list = append(list, p)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Token < list[j].Token })
	return list
}
