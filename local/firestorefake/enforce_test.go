package firestorefake_test

import (
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sluice.example/local/firestorefake"
)

// declared has one field that is exempt, one with an ascending index only, and one composite index.
const declared = `{
  "indexes": [
    {"collectionGroup": "c", "queryScope": "COLLECTION", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "DESCENDING"}]}
  ],
  "fieldOverrides": [
    {"collectionGroup": "c", "fieldPath": "exempt", "indexes": []},
    {"collectionGroup": "c", "fieldPath": "up", "indexes": [{"order": "ASCENDING", "queryScope": "COLLECTION"}]}
  ]
}`

func TestQueriesNeedDeclaredIndexes(t *testing.T) {
	t.Parallel()
	indexes, err := firestorefake.ParseIndexes([]byte(declared))
	if err != nil {
		t.Fatal(err)
	}
	_, client := start(t, firestorefake.Options{Indexes: indexes})
	c := client.Collection("c")
	for what, q := range map[string]struct {
		query firestore.Query
		want  codes.Code
	}{
		"everything":                      {c.Query, codes.OK},
		"by name":                         {c.OrderBy(firestore.DocumentID, firestore.Asc), codes.OK},
		"one field":                       {c.OrderBy("n", firestore.Desc), codes.OK},
		"equality of two fields":          {c.Where("n", "==", 1).Where("m", "==", 1), codes.OK},
		"range and order of one field":    {c.Where("n", "<", 1).OrderBy("n", firestore.Asc), codes.OK},
		"ascending, as declared":          {c.Where("up", ">", 1), codes.OK},
		"descending, not declared":        {c.OrderBy("up", firestore.Desc), codes.FailedPrecondition},
		"exempt field, equality":          {c.Where("exempt", "==", 1), codes.FailedPrecondition},
		"exempt field, order":             {c.OrderBy("exempt", firestore.Asc), codes.FailedPrecondition},
		"exempt field elsewhere":          {client.Collection("d").Where("exempt", "==", 1), codes.OK},
		"composite, declared":             {c.Where("a", "==", 1).OrderBy("b", firestore.Desc), codes.OK},
		"composite, other direction":      {c.Where("a", "==", 1).OrderBy("b", firestore.Asc), codes.FailedPrecondition},
		"composite, not declared":         {c.Where("n", "==", 1).OrderBy("m", firestore.Asc), codes.FailedPrecondition},
		"composite, implied by the range": {c.Where("n", "==", 1).Where("m", "<", 1), codes.FailedPrecondition},
		"two orders":                      {c.OrderBy("n", firestore.Asc).OrderBy("m", firestore.Asc), codes.FailedPrecondition},
	} {
		if _, err := q.query.Documents(t.Context()).GetAll(); status.Code(err) != q.want {
			t.Errorf("%s: %v, want %v", what, err, q.want)
		}
	}
}

func TestIndexDeclarationThatIsNotUnderstood(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"indices": []}`, `{`, `{"fieldOverrides": [{"ttl": true}]}`} {
		if _, err := firestorefake.ParseIndexes([]byte(text)); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

func TestIndexedValuesAreShort(t *testing.T) {
	t.Parallel()
	indexes, err := firestorefake.ParseIndexes([]byte(declared))
	if err != nil {
		t.Fatal(err)
	}
	_, client := start(t, firestorefake.Options{Indexes: indexes})
	long := strings.Repeat("x", 1501)
	for what, c := range map[string]struct {
		fields map[string]any
		want   codes.Code
	}{
		"indexed, short":      {map[string]any{"n": long[:1500]}, codes.OK},
		"indexed, long":       {map[string]any{"n": long}, codes.InvalidArgument},
		"indexed, in a list":  {map[string]any{"n": []string{long}}, codes.InvalidArgument},
		"indexed, in a map":   {map[string]any{"n": map[string]any{"m": long}}, codes.InvalidArgument},
		"exempt":              {map[string]any{"exempt": long}, codes.OK},
		"exempt, in a map":    {map[string]any{"exempt": map[string]any{"m": long}}, codes.OK},
		"in a composite only": {map[string]any{"a": long}, codes.InvalidArgument},
	} {
		if _, err := client.Doc("c/a").Set(t.Context(), c.fields); status.Code(err) != c.want {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
}

// TestStricterThanTheEmulator has what the emulator lets pass though the documentation forbids it.
func TestStricterThanTheEmulator(t *testing.T) {
	t.Parallel()
	fake, client := start(t, firestorefake.Options{})
	if _, err := client.Doc("c/____").Set(t.Context(), map[string]any{"n": 1}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("document id ____: %v, want InvalidArgument", err)
	}
	conn, err := fake.Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	api := pb.NewFirestoreClient(conn)
	write := &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: "projects/other/databases/(default)/documents/c/a"}}}
	_, err = api.Commit(t.Context(), &pb.CommitRequest{Database: "projects/p/databases/(default)", Writes: []*pb.Write{write}})
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("a document of another database: %v, want InvalidArgument", err)
	}
}

// TestWhatIsLeftOut must be refused, not answered somehow.
func TestWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	_, client := start(t, firestorefake.Options{})
	c := client.Collection("c")
	for what, q := range map[string]firestore.Query{
		"offset":     c.Offset(1),
		"cursor":     c.OrderBy("n", firestore.Asc).StartAt(1),
		"projection": c.Select("n"),
		"not equal":  c.Where("n", "!=", 1),
		"null":       c.Where("n", "==", nil),
		"map":        c.Where("n", "==", map[string]any{"m": 1}),
		"group":      client.CollectionGroup("c").Query,
		"either": c.WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
			firestore.PropertyFilter{Path: "n", Operator: "==", Value: 1}, firestore.PropertyFilter{Path: "n", Operator: "==", Value: 2},
		}}),
	} {
		if _, err := q.Documents(t.Context()).GetAll(); status.Code(err) != codes.Unimplemented {
			t.Errorf("%s: %v, want Unimplemented", what, err)
		}
	}
	err := client.RunTransaction(t.Context(), nil)
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("read-write transaction: %v, want Unimplemented", err)
	}
	if _, err := c.Doc("a").Set(t.Context(), map[string]any{"n": firestore.Increment(1)}); status.Code(err) != codes.Unimplemented {
		t.Errorf("increment: %v, want Unimplemented", err)
	}
}
