package spannerfake

import (
	"context"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// Read returns columns of the rows of a key set, in the order of the key. Only primary keys can be read by.
func (s *service) Read(_ context.Context, r *sppb.ReadRequest) (*sppb.ResultSet, error) {
	res, txn, err := s.read(r)
	if err != nil {
		return nil, err
	}
	out := &sppb.ResultSet{Metadata: &sppb.ResultSetMetadata{RowType: res.shape(), Transaction: txn}}
	for _, row := range res.rows {
		out.Rows = append(out.Rows, &structpb.ListValue{Values: row})
	}
	return out, nil
}

// StreamingRead is Read with the rows in a stream.
func (s *service) StreamingRead(r *sppb.ReadRequest, out sppb.Spanner_StreamingReadServer) error {
	if err := s.meet(out.Context(), callOf("/StreamingRead", r)); err != nil {
		return err
	}
	res, txn, err := s.read(r)
	if err != nil {
		return err
	}
	return sendRows(out, &sppb.ResultSetMetadata{RowType: res.shape(), Transaction: txn}, res.rows)
}

func (s *service) read(r *sppb.ReadRequest) (*relation, *sppb.Transaction, error) {
	on, err := s.session(r.Session)
	if err != nil {
		return nil, nil, err
	}
	if r.Index != "" {
		return nil, nil, status.Errorf(codes.Unimplemented, "the fake has no index %s", r.Index)
	}
	txn, a, err := s.within(on, r.Transaction, r.RequestOptions.GetTransactionTag())
	if err != nil {
		return nil, nil, err
	}
	d := on.db
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tables[r.Table]
	if t == nil {
		return nil, nil, status.Errorf(codes.NotFound, "Table not found: %s", r.Table)
	}
	a.saw(t)
	res := &relation{}
	var columns []*column
	for _, name := range r.Columns {
		c := t.column(name)
		if c == nil {
			return nil, nil, status.Errorf(codes.NotFound, "Column not found in table %s: %s", t.spelled(), name)
		}
		columns = append(columns, c)
		res.columns = append(res.columns, relColumn{name: name, typ: c.typ.api})
	}
	ranges, err := spans(t, r.KeySet)
	if err != nil {
		return nil, nil, err
	}
	seen := make(map[string]bool) // a row comes once, however many keys and ranges have it
	b := &batch{d: d}
	for _, span := range ranges {
		for _, key := range b.keys(t, span) {
			if r.Limit > 0 && int64(len(res.rows)) == r.Limit {
				return res, txn, nil
			}
			if !seen[key] {
				seen[key] = true
				res.rows = append(res.rows, pick(t.rows.byKey[key], columns))
			}
		}
	}
	return res, txn, nil
}
