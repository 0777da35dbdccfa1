package firestoredb

import (
	"cmp"
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// Connectors reads every connector of the installation, sorted by name.
func (s *Store) Connectors(ctx context.Context) ([]connector.Connector, error) {
	found, err := all(s.connectors().Documents(ctx), readConnector)
	if err != nil {
		return nil, failure("read connectors", err)
	}
	slices.SortFunc(found, func(a, b connector.Connector) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

// Connector reads one connector; an empty Name says that it does not exist.
func (s *Store) Connector(ctx context.Context, name string) (connector.Connector, error) {
	docs, err := s.client.GetAll(ctx, []*firestore.DocumentRef{s.connector(name)})
	if err != nil {
		return connector.Connector{}, failure("read connector %s", err, name)
	}
	c, err := readConnector(docs[0])
	if err != nil {
		return connector.Connector{}, failure("read connector %s", err, name)
	}
	return c, nil
}

// PutConnector writes a connector whole, if its Version is still that of the document (zero: none exists), and sets
// Version. ErrConflict says that it is not.
func (s *Store) PutConnector(ctx context.Context, c *connector.Connector) error {
	return s.apply(ctx, "write connector "+c.Name, []write{put(s.connector(c.Name), c, codeConnector, &c.Version)})
}

// DeleteConnector removes a connector's document, if it is still the one that was read, and clears Version. One that is
// gone already counts as removed by this call: a repeat of a delete that was applied could not be told from it.
func (s *Store) DeleteConnector(ctx context.Context, c *connector.Connector) error {
	return s.apply(ctx, "delete connector "+c.Name, []write{remove(s.connector(c.Name), &c.Version)})
}

// Tasks reads the plan and the slots of a connector, sorted by number. The two are not of one moment.
func (s *Store) Tasks(ctx context.Context, name string) (partition.Plan, []lease.Slot, error) {
	docs, err := s.client.GetAll(ctx, []*firestore.DocumentRef{s.plan(name)})
	if err != nil {
		return partition.Plan{}, nil, failure("read plan of %s", err, name)
	}
	plan, err := readPlan(docs[0])
	if err != nil {
		return partition.Plan{}, nil, failure("read plan of %s", err, name)
	}
	slots, err := all(s.slots(name).Documents(ctx), readSlot)
	if err != nil {
		return partition.Plan{}, nil, failure("read slots of %s", err, name)
	}
	slices.SortFunc(slots, func(a, b lease.Slot) int { return cmp.Compare(a.Number, b.Number) })
	return plan, slots, nil
}

func readConnector(doc *firestore.DocumentSnapshot) (connector.Connector, error) {
	v, err := decode(doc, codeConnector)
	v.Version = doc.UpdateTime
	return v, err
}
