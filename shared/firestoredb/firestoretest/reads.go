package firestoretest

import (
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const (
	up   = pb.StructuredQuery_ASCENDING
	down = pb.StructuredQuery_DESCENDING
)

func missingDocumentHasReadTime(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	written := r.commit(r.set("c/a", fields{"n": integer(1)})).CommitTime.AsTime()
	found, at, err := r.get(nil, "c/none")
	if err != nil || len(found) != 0 {
		t.Fatalf("found %v, error %v", found, err)
	}
	if at.AsTime().Before(written) {
		t.Errorf("read at %v, before a commit at %v that was answered", at.AsTime(), written)
	}
}

func emptyQueryHasReadTime(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	ids, at, err := r.query(t.Context(), nil, &pb.StructuredQuery{})
	if err != nil || len(ids) != 0 || at == nil {
		t.Errorf("an empty collection answers %v at %v, error %v", ids, at, err)
	}
}

func orderLeavesOutAbsentFields(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	r.commit(
		r.set("c/absent", fields{"m": integer(1)}),
		r.set("c/b", fields{"n": integer(2)}),
		r.set("c/a", fields{"n": integer(2)}),
		r.set("c/low", fields{"n": integer(-1)}),
		r.set("c/high", fields{"n": integer(10)}),
		r.set("c/text", fields{"n": text("0")}),
		r.set("c/null", fields{"n": {ValueType: &pb.Value_NullValue{}}}),
		r.set("d/elsewhere", fields{"n": integer(0)}),
		r.set("c/low/c/below", fields{"n": integer(0)}),
	)
	limit := wrapperspb.Int32(2)
	for _, c := range []struct {
		what string
		q    *pb.StructuredQuery
		want []string
	}{
		{"ascending", &pb.StructuredQuery{OrderBy: by("n", up)}, []string{"null", "low", "a", "b", "high", "text"}},
		{"descending", &pb.StructuredQuery{OrderBy: by("n", down)}, []string{"text", "high", "b", "a", "low", "null"}},
		{"limit", &pb.StructuredQuery{OrderBy: by("n", up), Limit: limit}, []string{"null", "low"}},
		{"at most", &pb.StructuredQuery{Where: where("n", pb.StructuredQuery_FieldFilter_LESS_THAN_OR_EQUAL, integer(2)), OrderBy: by("n", up)}, []string{"low", "a", "b"}},
		{"more", &pb.StructuredQuery{Where: where("n", pb.StructuredQuery_FieldFilter_GREATER_THAN, integer(2))}, []string{"high"}},
		{"all", &pb.StructuredQuery{}, []string{"a", "absent", "b", "high", "low", "null", "text"}},
	} {
		got, _, err := r.query(t.Context(), nil, c.q)
		if err != nil || !cmp.Equal(got, c.want) {
			t.Errorf("%s: %v, error %v; want %v", c.what, got, err, c.want)
		}
	}

	r.commit(masked(r.set("c/low", nil), "n"))
	got, _, err := r.query(t.Context(), nil, &pb.StructuredQuery{OrderBy: by("n", up), Limit: limit})
	if want := []string{"null", "a"}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("after the field was removed: %v, error %v; want %v", got, err, want)
	}
}

func filterByEquality(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	r.commit(r.set("c/a", fields{"n": integer(0)}), r.set("c/b", fields{"n": integer(1)}), r.set("c/x", fields{"n": text("0")}), r.set("c/y", nil))
	equal, in := pb.StructuredQuery_FieldFilter_EQUAL, pb.StructuredQuery_FieldFilter_IN
	for _, c := range []struct {
		what string
		f    *pb.StructuredQuery_Filter
		want []string
	}{
		{"zero", where("n", equal, integer(0)), []string{"a"}},
		{"one of two", where("n", in, list(integer(1), text("0"), integer(7))), []string{"b", "x"}},
		{"none", where("n", equal, integer(7)), nil},
	} {
		got, _, err := r.query(t.Context(), nil, &pb.StructuredQuery{Where: c.f})
		if err != nil || !cmp.Equal(got, c.want) {
			t.Errorf("%s: %v, error %v; want %v", c.what, got, err, c.want)
		}
	}
	many := list()
	for n := range int64(31) {
		many.GetArrayValue().Values = append(many.GetArrayValue().Values, integer(n))
	}
	if _, _, err := r.query(t.Context(), nil, &pb.StructuredQuery{Where: where("n", in, many)}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("in of 31 values: %v, want InvalidArgument", err)
	}
}

func count(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	r.commit(r.set("c/a", fields{"n": integer(1)}), r.set("c/b", fields{"n": integer(1)}), r.set("c/c", fields{"n": integer(2)}))
	stream, err := r.api.RunAggregationQuery(t.Context(), &pb.RunAggregationQueryRequest{
		Parent: r.database + "/documents",
		QueryType: &pb.RunAggregationQueryRequest_StructuredAggregationQuery{StructuredAggregationQuery: &pb.StructuredAggregationQuery{
			QueryType: &pb.StructuredAggregationQuery_StructuredQuery{StructuredQuery: &pb.StructuredQuery{
				From:  []*pb.StructuredQuery_CollectionSelector{{CollectionId: "c"}},
				Where: where("n", pb.StructuredQuery_FieldFilter_EQUAL, integer(1)),
			}},
			Aggregations: []*pb.StructuredAggregationQuery_Aggregation{{
				Alias:    "total",
				Operator: &pb.StructuredAggregationQuery_Aggregation_Count_{Count: &pb.StructuredAggregationQuery_Aggregation_Count{}},
			}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := stream.Recv()
	if err != nil || answer.GetResult().GetAggregateFields()["total"].GetIntegerValue() != 2 {
		t.Errorf("count answers %v, error %v; want 2", answer, err)
	}
}

func readOnlyTransactionSeesOneTime(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	r.commit(r.set("c/a", fields{"n": integer(1)}), r.set("c/b", fields{"n": integer(1)}))
	begun, err := r.api.BeginTransaction(t.Context(), &pb.BeginTransactionRequest{Database: r.database, Options: &pb.TransactionOptions{
		Mode: &pb.TransactionOptions_ReadOnly_{ReadOnly: &pb.TransactionOptions_ReadOnly{}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	tx := begun.Transaction
	_, first, err := r.get(tx, "c/a")
	if err != nil {
		t.Fatal(err)
	}
	after := r.commit(r.set("c/b", fields{"n": integer(2)}), r.set("c/new", fields{"n": integer(0)}), r.remove("c/a"))

	found, second, err := r.get(tx, "c/a", "c/b", "c/new")
	if err != nil {
		t.Fatal(err)
	}
	if found[r.name("c/a")] == nil || found[r.name("c/new")] != nil || found[r.name("c/b")].GetFields()["n"].GetIntegerValue() != 1 {
		t.Errorf("the transaction sees what was committed after it began: %v", found)
	}
	ids, third, err := r.query(t.Context(), tx, &pb.StructuredQuery{OrderBy: by("n", up)})
	if want := []string{"a", "b"}; err != nil || !cmp.Equal(ids, want) {
		t.Errorf("a query in the transaction finds %v, error %v; want %v", ids, err, want)
	}
	if !first.AsTime().Equal(second.AsTime()) || !first.AsTime().Equal(third.AsTime()) || !first.AsTime().Before(after.CommitTime.AsTime()) {
		t.Errorf("read times %v, %v, %v; a commit in between at %v", first.AsTime(), second.AsTime(), third.AsTime(), after.CommitTime.AsTime())
	}

	if _, err := r.api.Commit(t.Context(), &pb.CommitRequest{Database: r.database, Transaction: tx}); err != nil {
		t.Errorf("end of the transaction: %v", err)
	}
	if _, _, err := r.get(tx, "c/a"); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a read in the ended transaction: %v, want InvalidArgument", err)
	}
}
