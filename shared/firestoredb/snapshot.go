package firestoredb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
	"sluice.example/shared/scheduler"
)

// Snapshot reads what planning needs, all of the one moment at which its read-only transaction began: such a
// transaction takes no locks. ReadAt is the store's time of that moment; it decides what is due. The queries run beside each
// other.
func (s *Store) Snapshot(ctx context.Context, name string) (scheduler.Snapshot, error) {
	type outcome struct {
		snapshot scheduler.Snapshot
		err      error
	}
	// The client ends a failed transaction under a time of its own, up to five seconds beyond the context. The caller has
	// none left for that.
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = s.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) (err error) {
			o.snapshot, err = s.snapshot(name, tx)
			return err
		}, firestore.ReadOnly)
		done <- o
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return scheduler.Snapshot{}, failure("read a snapshot of %s", o.err, name)
		}
		return o.snapshot, nil
	case <-ctx.Done():
		return scheduler.Snapshot{}, failure("read a snapshot of %s", ctx.Err(), name)
	}
}

func (s *Store) snapshot(name string, tx *firestore.Transaction) (scheduler.Snapshot, error) {
	var v scheduler.Snapshot
	docs, err := tx.GetAll([]*firestore.DocumentRef{s.connector(name), s.plan(name)})
	if err != nil {
		return v, err
	}
	v.ReadAt = docs[0].ReadTime
	if v.Connector, err = readConnector(docs[0]); err != nil {
		return v, err
	}
	if v.Plan, err = readPlan(docs[1]); err != nil {
		return v, err
	}
	var group errgroup.Group
	group.Go(func() (err error) {
		v.Slots, err = all(tx.Documents(s.slots(name)), readSlot)
		return err
	})
	group.Go(func() (err error) {
		v.Assignments, err = all(tx.Documents(s.assignments(name)), readAssignment)
		return err
	})
	group.Go(func() (err error) {
		// Finished partitions have a date of removal far ahead; they must cost nothing until then.
		due := s.partitions(name).Where(dueField, "<=", v.ReadAt).OrderBy(dueField, firestore.Asc).Limit(scheduler.DueLimit)
		v.Due, err = all(tx.Documents(due), readPartition)
		return err
	})
	group.Go(func() error {
		lowest := s.partitions(name).OrderBy(watermarkField, firestore.Asc).Limit(1)
		marks, err := all(tx.Documents(lowest), readWatermark)
		if err == nil && len(marks) > 0 {
			v.Unheld = marks[0]
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return scheduler.Snapshot{}, err
	}
	slices.SortFunc(v.Slots, func(a, b lease.Slot) int { return cmp.Compare(a.Number, b.Number) })
	slices.SortFunc(v.Assignments, func(a, b partition.Assignment) int { return cmp.Compare(a.Slot, b.Slot) })
	return v, nil
}

// readWatermark takes the rounded field rather than the exact checkpoint beside it: of two partitions within one
// microsecond the query may return either.
func readWatermark(doc *firestore.DocumentSnapshot) (time.Time, error) {
	var t time.Time
	c := coder{reading: true, in: doc.Data()}
	stamp(&c, watermarkField, &t)
	return t, c.err
}
