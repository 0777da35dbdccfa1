package spannerfake

import (
	"slices"
	"sort"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
)

// transaction is what all records of a transaction in one stream share.
type transaction struct {
	at         time.Time
	id         string
	tag        string
	records    int
	partitions int
	system     bool
}

// change is one data change record. It is never changed after its transaction, so that readers need no lock for it.
type change struct {
	txn     *transaction
	seq     int
	last    bool // of the transaction in the partition
	table   string
	columns *structpb.Value // column_types, shared by all records with the same
	mods    []mod
	kind    string
	capture string
}

// mod is one changed row as JSON objects.
type mod struct{ keys, fresh, old string }

// history is the records of a partition, oldest first. A record's number counts from the partition's first and stays
// when older ones go.
type history struct {
	records []*change
	gone    int64
}

// since is the number of the first record at or after a time.
func (h *history) since(at time.Time) int64 {
	return h.gone + int64(sort.Search(len(h.records), func(i int) bool { return !h.records[i].txn.at.Before(at) }))
}

// from lists records from a number on, up to and including a time, at most so many. The list is the caller's own.
func (h *history) from(number int64, until time.Time, most int) []*change {
	i := int(max(number-h.gone, 0))
	if i >= len(h.records) {
		return nil
	}
	out := h.records[i:min(len(h.records), i+most)]
	if out[len(out)-1].txn.at.After(until) {
		out = out[:sort.Search(len(out), func(i int) bool { return out[i].txn.at.After(until) })]
	}
	return slices.Clone(out)
}

// prune forgets what is older than a time and what is too much. It returns the time of the newest record that was
// forgotten for being too much; zero: none.
func (h *history) prune(before time.Time, most int) time.Time {
	n := 0
	for n < len(h.records) && h.records[n].txn.at.Before(before) {
		n++
	}
	var lost time.Time
	// A transaction goes as a whole, or a reader would see a part of it.
	for len(h.records)-n > most || n > 0 && n < len(h.records) && h.records[n].txn.at.Equal(lost) {
		lost = h.records[n].txn.at
		n++
	}
	if n == 0 {
		return lost
	}
	clear(h.records[:n])
	h.gone += int64(n)
	h.records = h.records[n:]
	return lost
}
