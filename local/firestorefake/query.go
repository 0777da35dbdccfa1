package firestorefake

import (
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// nameField is how queries call a document's name.
const nameField = "__name__"

// RunQuery answers a query over one collection: conditions joined by AND, any orders, a limit.
func (s *service) RunQuery(r *pb.RunQueryRequest, out pb.Firestore_RunQueryServer) error {
	if r.GetReadTime() != nil || r.GetNewTransaction() != nil || r.ExplainOptions != nil {
		return unknown("reading at a time, in a new transaction or with an explanation")
	}
	p, err := s.plan(r.Parent, r.GetStructuredQuery())
	if err != nil {
		return err
	}
	var found []*pb.Document
	at, err := s.view(r.GetTransaction(), func(m moment) { found = p.run(m) })
	if err != nil {
		return err
	}
	for _, d := range found {
		if err := out.Send(&pb.RunQueryResponse{Document: d, ReadTime: at}); err != nil {
			return err
		}
	}
	if len(found) == 0 {
		return out.Send(&pb.RunQueryResponse{ReadTime: at})
	}
	return nil
}

// RunAggregationQuery counts what a query finds, the only aggregation here.
func (s *service) RunAggregationQuery(r *pb.RunAggregationQueryRequest, out pb.Firestore_RunAggregationQueryServer) error {
	q := r.GetStructuredAggregationQuery()
	if r.GetReadTime() != nil || r.GetNewTransaction() != nil || r.ExplainOptions != nil {
		return unknown("counting at a time, in a new transaction or with an explanation")
	}
	for _, a := range q.GetAggregations() {
		if a.GetCount() == nil || a.GetCount().UpTo != nil {
			return unknown("an aggregation other than a plain count")
		}
	}
	p, err := s.plan(r.Parent, q.GetStructuredQuery())
	if err != nil {
		return err
	}
	count := 0
	at, err := s.view(r.GetTransaction(), func(m moment) { count = len(p.run(m)) })
	if err != nil {
		return err
	}
	result := &pb.AggregationResult{AggregateFields: fields{}}
	for _, a := range q.GetAggregations() {
		result.AggregateFields[a.Alias] = &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: int64(count)}}
	}
	return out.Send(&pb.RunAggregationQueryResponse{Result: result, ReadTime: at})
}

// plan is a query understood and found to have its indexes.
type plan struct {
	collection string
	conditions []condition
	orders     []order
	limit      int // 0: none
}

type order struct {
	path       []string // nil: the name
	descending bool
}

func (s *store) plan(parent string, q *pb.StructuredQuery) (plan, error) {
	switch {
	case len(q.GetFrom()) != 1 || q.From[0].AllDescendants:
		return plan{}, unknown("a query over anything but one collection")
	case q.StartAt != nil || q.EndAt != nil || q.Offset != 0:
		return plan{}, unknown("a query with a cursor or an offset")
	case q.Select != nil || q.FindNearest != nil:
		return plan{}, unknown("a query with a projection or a distance")
	}
	if err := checkID(q.From[0].CollectionId); err != nil {
		return plan{}, err
	}
	p := plan{collection: parent + "/" + q.From[0].CollectionId, limit: int(q.Limit.GetValue())}
	if q.Limit != nil && p.limit <= 0 {
		return plan{}, status.Errorf(codes.InvalidArgument, "limit %d is not positive", p.limit)
	}
	var err error
	if p.conditions, err = conditions(q.Where); err != nil {
		return plan{}, err
	}
	var equal []string
	var sorted []Field
	for _, o := range q.OrderBy {
		sorted = append(sorted, Field{FieldPath: o.GetField().GetFieldPath(), Order: direction(o.Direction)})
	}
	for _, c := range p.conditions {
		isField := func(f Field) bool { return f.FieldPath == c.name }
		if c.equality() {
			equal = append(equal, c.name)
		} else if !slices.ContainsFunc(sorted, isField) {
			sorted = append(sorted, Field{FieldPath: c.name, Order: ascending}) // implied by an inequality
		}
	}
	for _, f := range sorted {
		o := order{descending: f.Order == descending}
		if f.FieldPath != nameField {
			if o.path = splitPath(f.FieldPath); o.path == nil {
				return plan{}, status.Errorf(codes.InvalidArgument, "field path %q is not well formed", f.FieldPath)
			}
		}
		p.orders = append(p.orders, o)
	}
	// The name breaks ties, in the direction of the last order.
	if n := len(p.orders); n == 0 || p.orders[n-1].path != nil {
		p.orders = append(p.orders, order{descending: n > 0 && p.orders[n-1].descending})
	}
	isName := func(f Field) bool { return f.FieldPath == nameField }
	equal = slices.DeleteFunc(equal, func(path string) bool { return path == nameField })
	return p, s.indexes.serve(q.From[0].CollectionId, equal, slices.DeleteFunc(sorted, isName))
}

// row is a document with the values that it is sorted by.
type row struct {
	document *pb.Document
	keys     []*pb.Value // nil for the name
}

// run finds the documents, in order. One without a field that is sorted by is not found: it is in no index of it.
func (p plan) run(m moment) []*pb.Document {
	c := m[p.collection]
	if c == nil {
		return nil
	}
	var rows []row
candidates:
	for _, d := range c.documents {
		for _, c := range p.conditions {
			if !c.holds(d) {
				continue candidates
			}
		}
		keys := make([]*pb.Value, len(p.orders))
		for i, o := range p.orders {
			if o.path == nil {
				continue
			}
			if keys[i] = get(d.Fields, o.path); keys[i] == nil {
				continue candidates
			}
		}
		rows = append(rows, row{d, keys})
	}
	slices.SortFunc(rows, p.compare)
	if p.limit > 0 && len(rows) > p.limit {
		rows = rows[:p.limit]
	}
	found := make([]*pb.Document, len(rows))
	for i, r := range rows {
		found[i] = r.document
	}
	return found
}

func (p plan) compare(a, b row) int {
	for i, o := range p.orders {
		var c int
		if o.path == nil {
			c = compareNames(a.document.Name, b.document.Name)
		} else {
			c = compare(a.keys[i], b.keys[i])
		}
		if o.descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func unknown(what string) error {
	return status.Errorf(codes.Unimplemented, "%s is not part of this fake", what)
}
