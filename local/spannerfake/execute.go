package spannerfake

import (
	"context"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"github.com/cloudspannerecosystem/memefish"
	"github.com/cloudspannerecosystem/memefish/ast"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// parse reads a statement. What is not a query is not known.
func parse(sql string) (ast.QueryExpr, error) {
	st, err := memefish.ParseQuery("", sql)
	if err != nil {
		if _, other := memefish.ParseStatement("", sql); other == nil {
			return nil, status.Errorf(codes.Unimplemented, "the fake runs queries only, not: %s", sql)
		}
		return nil, status.Errorf(codes.InvalidArgument, "Syntax error: %v", err)
	}
	return st.Query, nil
}

func (s *service) ExecuteSql(ctx context.Context, r *sppb.ExecuteSqlRequest) (*sppb.ResultSet, error) {
	on, err := s.session(r.Session)
	if err != nil {
		return nil, err
	}
	query, err := parse(r.Sql)
	if err != nil {
		return nil, err
	}
	env := newEnv(on.db, r)
	if sel, ok := query.(*ast.Select); ok {
		q, err := changeQuery(sel, env)
		if err != nil {
			return nil, err
		}
		if q != nil {
			return nil, status.Error(codes.InvalidArgument, "A change stream can only be read with ExecuteStreamingSql")
		}
	}
	res, txn, err := s.query(on, r.Transaction, r.RequestOptions.GetTransactionTag(), env, query)
	if err != nil {
		return nil, err
	}
	out := &sppb.ResultSet{Metadata: &sppb.ResultSetMetadata{RowType: res.shape(), Transaction: txn}}
	for _, row := range res.rows {
		out.Rows = append(out.Rows, &structpb.ListValue{Values: row})
	}
	return out, nil
}

func (s *service) ExecuteStreamingSql(r *sppb.ExecuteSqlRequest, out sppb.Spanner_ExecuteStreamingSqlServer) error {
	on, err := s.session(r.Session)
	if err != nil {
		return err
	}
	query, err := parse(r.Sql)
	if err != nil {
		return err
	}
	env := newEnv(on.db, r)
	if sel, ok := query.(*ast.Select); ok {
		q, err := changeQuery(sel, env)
		if err != nil {
			return err
		}
		if q != nil {
			return s.readChanges(on, q, r, out)
		}
	}
	if err := s.meet(out.Context(), Call{Method: "ExecuteStreamingSql", Database: on.db.name, SQL: r.Sql}); err != nil {
		return err
	}
	res, txn, err := s.query(on, r.Transaction, r.RequestOptions.GetTransactionTag(), env, query)
	if err != nil {
		return err
	}
	return sendRows(out, &sppb.ResultSetMetadata{RowType: res.shape(), Transaction: txn}, res.rows)
}

// query runs a query in its transaction.
func (s *service) query(on *session, sel *sppb.TransactionSelector, tag string, env *env, query ast.QueryExpr) (*relation, *sppb.Transaction, error) {
	txn, a, err := s.within(on, sel, tag)
	if err != nil {
		return nil, nil, err
	}
	on.db.mu.Lock()
	defer on.db.mu.Unlock()
	env.reads = a
	res, err := env.query(query)
	return res, txn, err
}

// valuesAtOnce is how many values go into one message of an ordinary result.
const valuesAtOnce = 4096

// sendRows sends rows, of which the first message describes them. Results are small, so that none can be resumed in the
// middle: no token but the last one is given.
func sendRows(out sppb.Spanner_ExecuteStreamingSqlServer, meta *sppb.ResultSetMetadata, rows [][]*structpb.Value) error {
	var values []*structpb.Value
	for _, row := range rows {
		values = append(values, row...)
		if len(values) >= valuesAtOnce {
			if err := out.Send(&sppb.PartialResultSet{Metadata: meta, Values: values}); err != nil {
				return err
			}
			meta, values = nil, nil
		}
	}
	if meta == nil && values == nil {
		return nil
	}
	return out.Send(&sppb.PartialResultSet{Metadata: meta, Values: values, Last: true})
}
