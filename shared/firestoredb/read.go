package firestoredb

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"

	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
	"sluice.example/shared/task"
)

// Open reads what a slot acts on, in one request. The parts are of one moment.
func (s *Store) Open(ctx context.Context, name string, slot int) (task.View, error) {
	docs, err := s.client.GetAll(ctx, []*firestore.DocumentRef{
		s.connector(name), s.plan(name), s.slot(name, slot), s.assignment(name, slot),
	})
	if err != nil {
		return task.View{}, failure("open slot %d of %s", err, slot, name)
	}
	var v task.View
	v.Connector, err = readConnector(docs[0])
	if err == nil {
		v.Plan, err = readPlan(docs[1])
	}
	if err == nil {
		v.Slot, err = readSlot(docs[2])
	}
	if err == nil {
		v.Assignment, err = readAssignment(docs[3])
	}
	if err != nil {
		return task.View{}, failure("open slot %d of %s", err, slot, name)
	}
	v.Slot.Number, v.Assignment.Slot = slot, slot
	return v, nil
}

// Slot reads one slot. One that does not exist has a zero Version, and ReadAt nevertheless.
func (s *Store) Slot(ctx context.Context, name string, slot int) (lease.Slot, error) {
	docs, err := s.client.GetAll(ctx, []*firestore.DocumentRef{s.slot(name, slot)})
	if err != nil {
		return lease.Slot{}, failure("read slot %d of %s", err, slot, name)
	}
	v, err := readSlot(docs[0])
	if err != nil {
		return lease.Slot{}, failure("read slot %d of %s", err, slot, name)
	}
	v.Number = slot
	return v, nil
}

// HeldBy reads the unfinished partitions whose documents name the slot as their holder, in no order.
func (s *Store) HeldBy(ctx context.Context, name string, slot int) ([]*partition.Partition, error) {
	held, err := all(s.partitions(name).Where(heldField, "==", slot).Documents(ctx), readPartition)
	if err != nil {
		return nil, failure("read partitions held by slot %d of %s", err, slot, name)
	}
	return held, nil
}

// Partitions reads partitions by id, in the order asked for, without those that do not exist. Asking for none asks
// Firestore nothing.
func (s *Store) Partitions(ctx context.Context, name string, ids []partition.ID) ([]*partition.Partition, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	refs := make([]*firestore.DocumentRef, len(ids))
	for i, id := range ids {
		refs[i] = s.partition(name, id)
	}
	docs, err := s.client.GetAll(ctx, refs)
	if err != nil {
		return nil, failure("read %d partitions of %s", err, len(ids), name)
	}
	found := make([]*partition.Partition, 0, len(docs))
	for _, doc := range docs {
		if !doc.Exists() {
			continue
		}
		p, err := readPartition(doc)
		if err != nil {
			return nil, failure("read %d partitions of %s", err, len(ids), name)
		}
		found = append(found, p)
	}
	return found, nil
}

func readPlan(doc *firestore.DocumentSnapshot) (partition.Plan, error) {
	v, err := decode(doc, codePlan)
	v.Version = doc.UpdateTime
	return v, err
}

func readSlot(doc *firestore.DocumentSnapshot) (lease.Slot, error) {
	v, err := decode(doc, codeSlot)
	v.Version, v.ReadAt = doc.UpdateTime, doc.ReadTime
	return v, err
}

func readAssignment(doc *firestore.DocumentSnapshot) (partition.Assignment, error) {
	v, err := decode(doc, codeAssignment)
	v.Version = doc.UpdateTime
	return v, err
}

func readPartition(doc *firestore.DocumentSnapshot) (*partition.Partition, error) {
	v, err := decode(doc, codePartition)
	v.Version = doc.UpdateTime
	return &v, err
}

// decode reads a document; one that does not exist is the zero value.
func decode[T any](doc *firestore.DocumentSnapshot, code func(*coder, *T)) (T, error) {
	var v T
	c := coder{reading: true, in: doc.Data()}
	code(&c, &v)
	if c.err != nil {
		return v, fmt.Errorf("decode document %s/%s: %w", doc.Ref.Parent.ID, doc.Ref.ID, c.err)
	}
	return v, nil
}

// all reads a query to its end.
func all[T any](it *firestore.DocumentIterator, read func(*firestore.DocumentSnapshot) (T, error)) ([]T, error) {
	defer it.Stop()
	var found []T
	for {
		doc, err := it.Next()
		if errors.Is(err, iterator.Done) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		v, err := read(doc)
		if err != nil {
			return nil, err
		}
		found = append(found, v)
	}
}
