package firestoredb

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"sluice.example/shared/partition"
)

// newID is a random commit id.
func newID() string { return rand.Text() }

// Commit writes the change, all or nothing, in one request. Each document must be as it was when its Version was read.
//
//  1. nil: applied. Every document carries its new Version (zero for removed ones), also when Firestore's answer was lost
//     and the commit was found in its documents afterwards. A slot's ReadAt becomes the commit's time: nothing newer is
//     known of it.
//  2. lease.ErrConflict: another writer was first with one of the documents, and nothing was applied. (Or the answer was
//     lost and others have written every document since; whoever drops what it held and reads again is right in both.)
//  3. lease.ErrStore: not known to be applied. After a call that ran out of time it may still be applied later.
//
// After an error the Go values are as they were. An empty change does nothing. A change that names one document twice,
// removes one without a Version, or is larger than one request may be, is refused (lease.ErrStore).
func (s *Store) Commit(ctx context.Context, name string, change partition.Change) error {
	var writes []write
	if change.Plan != nil {
		writes = append(writes, put(s.plan(name), change.Plan, codePlan, &change.Plan.Version))
	}
	for _, v := range change.Slots {
		w := put(s.slot(name, v.Number), v, codeSlot, &v.Version)
		w.readAt = &v.ReadAt
		writes = append(writes, w)
	}
	for _, v := range change.Assignments {
		writes = append(writes, put(s.assignment(name, v.Slot), v, codeAssignment, &v.Version))
	}
	for _, v := range change.Partitions {
		writes = append(writes, put(s.partition(name, v.ID()), v, codePartition, &v.Version))
	}
	for _, v := range change.Remove {
		writes = append(writes, remove(s.partition(name, v.ID()), &v.Version))
	}
	return s.apply(ctx, "commit to "+name, writes)
}

// write is one document of a commit.
type write struct {
	ref     *firestore.DocumentRef
	fields  []firestore.Update // nil: remove the document
	err     error              // why the fields cannot be stored
	version *time.Time         // the precondition; zero: the document must not exist
	readAt  *time.Time         // when not nil, follows version
}

func put[T any](ref *firestore.DocumentRef, v *T, code func(*coder, *T), version *time.Time) write {
	var c coder
	code(&c, v)
	return write{ref: ref, fields: c.out, err: c.err, version: version}
}

func remove(ref *firestore.DocumentRef, version *time.Time) write {
	return write{ref: ref, version: version}
}

func (w write) removes() bool { return w.fields == nil }

// size is about what the write takes in a request: each field's name stands there twice.
func (w write) size() int {
	n := 2 * len(w.ref.Path)
	for _, f := range w.fields {
		n += 2*len(f.Path) + 24
		switch v := f.Value.(type) {
		case string:
			n += len(v)
		case []any:
			for _, e := range v {
				n += len(fmt.Sprint(e)) + 8
			}
		}
	}
	return n
}

// label names the document in messages.
func (w write) label() string { return w.ref.Parent.ID + "/" + w.ref.ID }

// send is one Commit request. The results are in the order of the writes.
func (s *Store) send(ctx context.Context, writes []write, id string) ([]*firestore.WriteResult, error) {
	// The client's Transaction would ask for a transaction first, and its BulkWriter is not atomic: the batch is the one
	// way to a plain Commit, though it is marked as deprecated in favour of them.
	//lint:ignore SA1019 see above
	batch := s.client.Batch()
	for _, w := range writes {
		switch {
		case w.removes():
			batch.Delete(w.ref, firestore.LastUpdateTime(*w.version))
		case w.version.IsZero():
			batch.Create(w.ref, present(w.fields, id))
		default:
			batch.Update(w.ref, append(w.fields[:len(w.fields):len(w.fields)], firestore.Update{Path: commitField, Value: id}),
				firestore.LastUpdateTime(*w.version))
		}
	}
	return batch.Commit(ctx)
}

// present is a new document: the fields that are there.
func present(fields []firestore.Update, id string) map[string]any {
	doc := map[string]any{commitField: id}
	for _, f := range fields {
		if f.Value != firestore.Delete {
			doc[f.Path] = f.Value
		}
	}
	return doc
}

// largest is below Firestore's 10 MiB for one request, which the client would send again and again until its time is
// up, because the refusal has the code of an exhausted quota.
const largest = 9 << 20

// check refuses what Firestore would misunderstand.
func check(writes []write) error {
	seen, size := make(map[string]bool, len(writes)), 0
	for _, w := range writes {
		if size += w.size(); size > largest {
			return fmt.Errorf("%d documents are more than one request can take (%d bytes)", len(writes), largest)
		}
		switch {
		case w.err != nil:
			return fmt.Errorf("encode document %s: %w", w.label(), w.err)
		case seen[w.ref.Path]:
			return fmt.Errorf("document %s is named twice", w.label())
		case w.removes() && w.version.IsZero():
			return fmt.Errorf("document %s is to be removed but was never read", w.label())
		}
		seen[w.ref.Path] = true
	}
	return nil
}

// adopt sets the versions of a commit that was applied.
func adopt(writes []write, version func(i int) time.Time) {
	for i, w := range writes {
		if w.removes() {
			*w.version = time.Time{}
			continue
		}
		*w.version = version(i)
		if w.readAt != nil {
			*w.readAt = *w.version
		}
	}
}
