package spannerfake

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sluice.example/shared/changestream"
)

// ids reads one column of a key set with the real client.
func ids(t *testing.T, w *world, table string, keys spanner.KeySet) []int64 {
	t.Helper()
	var out []int64
	it := w.client.Single().Read(t.Context(), table, keys, []string{"Id"})
	defer it.Stop()
	for {
		row, err := it.Next()
		if errors.Is(err, iterator.Done) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		var id int64
		if err := row.Columns(&id); err != nil {
			t.Fatal(err)
		}
		out = append(out, id)
	}
}

func TestKeyRanges(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{}, "CREATE TABLE T (Id INT64 NOT NULL, N STRING(MAX)) PRIMARY KEY (Id DESC, N)")
	for i := range 5 {
		w.mustApply(t, Insert("T", []string{"Id", "N"}, i-2, "x"), Insert("T", []string{"Id", "N"}, i-2, nil))
	}
	for name, c := range map[string]struct {
		keys spanner.KeySet
		want []int64
	}{
		"all":          {spanner.AllKeys(), []int64{2, 2, 1, 1, 0, 0, -1, -1, -2, -2}},
		"one":          {spanner.Key{1, "x"}, []int64{1}},
		"with null":    {spanner.Key{1, spanner.NullString{}}, []int64{1}},
		"none":         {spanner.Key{1, "y"}, nil},
		"closed":       {spanner.KeyRange{Start: spanner.Key{1}, End: spanner.Key{-1}, Kind: spanner.ClosedClosed}, []int64{1, 1, 0, 0, -1, -1}},
		"open":         {spanner.KeyRange{Start: spanner.Key{1}, End: spanner.Key{-1}, Kind: spanner.OpenOpen}, []int64{0, 0}},
		"prefix":       {spanner.Key{0}.AsPrefix(), []int64{0, 0}},
		"within":       {spanner.KeyRange{Start: spanner.Key{0, spanner.NullString{}}, End: spanner.Key{0, "x"}, Kind: spanner.OpenClosed}, []int64{0}},
		"wrong way":    {spanner.KeyRange{Start: spanner.Key{-1}, End: spanner.Key{1}, Kind: spanner.ClosedClosed}, nil},
		"once each":    {spanner.KeySets(spanner.Key{1, "x"}, spanner.Key{1}.AsPrefix()), []int64{1, 1}},
		"below prefix": {spanner.KeyRange{Start: spanner.Key{}, End: spanner.Key{1}, Kind: spanner.ClosedOpen}, []int64{2, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ids(t, w, "T", c.keys); !slices.Equal(got, c.want) {
				t.Errorf("got %v instead of %v", got, c.want)
			}
		})
	}
	if _, err := w.client.Apply(t.Context(), []*spanner.Mutation{spanner.Delete("T", spanner.KeyRange{Start: spanner.Key{1}, End: spanner.Key{-1}, Kind: spanner.ClosedClosed})}); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, w, "T", spanner.AllKeys()); !slices.Equal(got, []int64{2, 2, -2, -2}) {
		t.Errorf("after deleting a range: %v", got)
	}
}

// TestKeysSort puts keys of every type in order.
func TestKeysSort(t *testing.T) {
	t.Parallel()
	for typ, keys := range map[string][]any{
		"INT64":       {nil, int64(-1 << 63), -5, 0, 7, int64(1<<63 - 1)},
		"STRING(MAX)": {nil, "", "\x00", "\x00\x00", "\x00a", "a", "a\x00", "ab", "b", "ä", "日"},
		"BYTES(MAX)":  {nil, []byte{}, []byte{0}, []byte{0, 1}, []byte{255}},
		"BOOL":        {nil, false, true},
		"FLOAT64":     {nil, -1e300, -1.5, 0.0, 1e-300, 2.0, 1e300},
		"NUMERIC":     {nil, "-99999999999999999999999999999.999999999", "-1.5", "-0.000000001", "0", "0.1", "10", "99999999999999999999999999999"},
		"DATE":        {nil, "0001-01-01", "1969-12-31", "9999-12-31"},
		"TIMESTAMP":   {nil, "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000001Z", "9999-12-31T23:59:59Z"},
		"UUID":        {nil, "00000000-0000-0000-0000-000000000000", "a1b2c3d4-e5f6-7890-abcd-ef1234567890"},
	} {
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			w := setup(t, Options{}, "CREATE TABLE T (K "+typ+", Id INT64, R "+typ+") PRIMARY KEY (K)", "CREATE TABLE D (K "+typ+", Id INT64) PRIMARY KEY (K DESC)")
			var want, back []int64
			for i, j := range []int{3, 1, 0, 2} {
				_ = i
				for n := j; n < len(keys); n += 4 {
					w.mustApply(t, Insert("T", []string{"K", "Id"}, keys[n], n), Insert("D", []string{"K", "Id"}, keys[n], n))
				}
			}
			for n := range keys {
				want = append(want, int64(n))
				back = append(back, int64(len(keys)-1-n))
			}
			if got := ids(t, w, "T", spanner.AllKeys()); !slices.Equal(got, want) {
				t.Errorf("ascending: %v", got)
			}
			if got := ids(t, w, "D", spanner.AllKeys()); !slices.Equal(got, back) {
				t.Errorf("descending: %v", got)
			}
		})
	}
}

func TestReadWriteTransactions(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL OPTIONS (allow_txn_exclusion = true)", "CREATE CHANGE STREAM every FOR ALL")
	w.mustApply(t, Insert("Singers", []string{"Id", "Age"}, 1, 0))
	ctx := t.Context()
	// Two that read the same row: the one that comes second is aborted and does it again.
	tries := 0
	resp, err := w.client.ReadWriteTransactionWithOptions(ctx, func(ctx context.Context, txn *spanner.ReadWriteTransaction) error {
		row, err := txn.ReadRow(ctx, "Singers", spanner.Key{1}, []string{"Age"})
		if err != nil {
			return err
		}
		if tries++; tries == 1 {
			w.mustApply(t, Update("Singers", []string{"Id", "Age"}, 1, 10))
		}
		var age int64
		if err := row.Columns(&age); err != nil {
			return err
		}
		return txn.BufferWrite([]*spanner.Mutation{spanner.Update("Singers", []string{"Id", "Age"}, []any{1, age + 1})})
	}, spanner.TransactionOptions{TransactionTag: "job=age"})
	if err != nil {
		t.Fatal(err)
	}
	row, err := w.client.Single().ReadRow(ctx, "Singers", spanner.Key{1}, []string{"Age"})
	if err != nil {
		t.Fatal(err)
	}
	var age int64
	if err := row.Columns(&age); err != nil || age != 11 || tries != 2 {
		t.Errorf("age %d after %d tries, %v", age, tries, err)
	}
	token := w.Partitions("s")[0].Token
	if got := w.must(t, "s", token, resp.CommitTs, resp.CommitTs)[0].Data; got.TransactionTag != "job=age" {
		t.Errorf("record: %+v", got)
	}
	// One that leaves itself out is not in the stream that allows it, and is in the other.
	at, err := w.client.Apply(ctx, []*spanner.Mutation{spanner.Insert("Singers", []string{"Id"}, []any{2})}, spanner.ExcludeTxnFromChangeStreams())
	if err != nil {
		t.Fatal(err)
	}
	if got := kinds(w.must(t, "s", token, at, at)); got != "h" {
		t.Errorf("excluded: %s", got)
	}
	if got := kinds(w.must(t, "every", w.Partitions("every")[0].Token, at, at)); got != "d" {
		t.Errorf("not excluded: %s", got)
	}
	// A read-only transaction and a rolled back one leave nothing.
	ro := w.client.ReadOnlyTransaction()
	defer ro.Close()
	if _, err := ro.ReadRow(ctx, "Singers", spanner.Key{3}, []string{"Id"}); spanner.ErrCode(err) != codes.NotFound {
		t.Errorf("read of nothing: %v", err)
	}
	stop := errors.New("stop")
	_, err = w.client.ReadWriteTransaction(ctx, func(ctx context.Context, txn *spanner.ReadWriteTransaction) error {
		if _, err := txn.ReadRow(ctx, "Singers", spanner.Key{1}, []string{"Age"}); err != nil {
			return err
		}
		return stop
	})
	if !errors.Is(err, stop) {
		t.Error(err)
	}
}

func TestInterleavedRowsGoWithTheirParent(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{}, singers,
		"CREATE TABLE A (Id INT64 NOT NULL, N INT64 NOT NULL) PRIMARY KEY (Id, N), INTERLEAVE IN PARENT Singers ON DELETE CASCADE",
		"CREATE TABLE B (Id INT64 NOT NULL, N INT64 NOT NULL, M INT64) PRIMARY KEY (Id, N, M), INTERLEAVE IN PARENT A",
		"CREATE CHANGE STREAM s FOR ALL")
	w.mustApply(t, Insert("Singers", []string{"Id"}, 1), Insert("A", []string{"Id", "N"}, 1, 1), Insert("A", []string{"Id", "N"}, 1, 2), Insert("B", []string{"Id", "N", "M"}, 1, 1, 1))
	if _, err := w.Apply(Delete("Singers", 1)); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("a row below that may not go: %v", err)
	}
	if got := ids(t, w, "A", spanner.AllKeys()); len(got) != 2 {
		t.Errorf("a failed transaction left %v", got)
	}
	at := w.mustApply(t, Delete("B", 1, 1, 1), Delete("Singers", 1))
	token, err := w.PartitionOf("s", "A", 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for _, r := range w.must(t, "s", token, at, at) {
		if r.Data.ModType != changestream.Delete || r.Data.PartitionsInTxn != 1 {
			t.Errorf("%+v", r.Data)
		}
		tables = append(tables, r.Data.Table)
	}
	if !slices.Equal(tables, []string{"B", "A", "Singers"}) {
		t.Errorf("deleted: %v", tables)
	}
}

func TestFiltersAndCaptureTypes(t *testing.T) {
	t.Parallel()
	table := "CREATE TABLE T (Id INT64 NOT NULL, A INT64, B INT64) PRIMARY KEY (Id)"
	write := func(w *world) (times []time.Time) {
		return []time.Time{
			w.mustApply(t, Insert("T", []string{"Id", "A", "B"}, 1, 1, 1)), w.mustApply(t, Update("T", []string{"Id", "A"}, 1, 2)),
			w.mustApply(t, Update("T", []string{"Id", "B"}, 1, 2)), w.mustApply(t, Delete("T", 1)),
		}
	}
	for name, c := range map[string]struct {
		stream string
		want   []string // of insert, update of A, update of B, delete: new and old, "" for no record
	}{
		"old and new":     {"FOR ALL", []string{`{"A":"1","B":"1"} {}`, `{"A":"2"} {"A":"1"}`, `{"B":"2"} {"B":"1"}`, `{} {"A":"2","B":"2"}`}},
		"new values":      {"FOR ALL OPTIONS (value_capture_type = 'NEW_VALUES')", []string{`{"A":"1","B":"1"} {}`, `{"A":"2"} {}`, `{"B":"2"} {}`, `{} {}`}},
		"new row":         {"FOR ALL OPTIONS (value_capture_type = 'NEW_ROW')", []string{`{"A":"1","B":"1"} {}`, `{"A":"2","B":"1"} {}`, `{"A":"2","B":"2"} {}`, `{} {}`}},
		"new row and old": {"FOR ALL OPTIONS (value_capture_type = 'NEW_ROW_AND_OLD_VALUES')", []string{`{"A":"1","B":"1"} {}`, `{"A":"2","B":"1"} {"A":"1"}`, `{"A":"2","B":"2"} {"B":"1"}`, `{} {"A":"2","B":"2"}`}},
		"one column":      {"FOR T(A)", []string{`{"A":"1"} {}`, `{"A":"2"} {"A":"1"}`, ``, `{} {"A":"2"}`}},
		// As the documentation has it: a row is captured when a watched column changes. The emulator captures any.
		"row of one column": {"FOR T(A) OPTIONS (value_capture_type = 'NEW_ROW')", []string{`{"A":"1"} {}`, `{"A":"2"} {}`, ``, `{} {}`}},
		"keys only":         {"FOR T()", []string{`{} {}`, ``, ``, `{} {}`}},
		"no inserts":        {"FOR T OPTIONS (exclude_insert = true)", []string{``, `{"A":"2"} {"A":"1"}`, `{"B":"2"} {"B":"1"}`, `{} {"A":"2","B":"2"}`}},
		"no updates":        {"FOR T OPTIONS (exclude_update = true)", []string{`{"A":"1","B":"1"} {}`, ``, ``, `{} {"A":"2","B":"2"}`}},
		"no deletes":        {"FOR T OPTIONS (exclude_delete = true)", []string{`{"A":"1","B":"1"} {}`, `{"A":"2"} {"A":"1"}`, `{"B":"2"} {"B":"1"}`, ``}},
		"nothing":           {"", []string{``, ``, ``, ``}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, Options{Partitions: 1}, table, "CREATE CHANGE STREAM s "+c.stream)
			for i, at := range write(w) {
				var got string
				if r := w.must(t, "s", w.Partitions("s")[0].Token, at, at)[0]; r.Data != nil {
					got = r.Data.Mods[0].New + " " + r.Data.Mods[0].Old
				}
				if got != c.want[i] {
					t.Errorf("change %d: %s instead of %s", i, got, c.want[i])
				}
			}
		})
	}
}

func TestSystemTransactions(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, singers, "CREATE CHANGE STREAM s FOR ALL", "CREATE CHANGE STREAM without FOR ALL OPTIONS (exclude_ttl_deletes = true)")
	w.mustApply(t, Insert("Singers", []string{"Id"}, 1))
	at, err := w.Commit(Txn{System: true, Mutations: []*sppb.Mutation{Delete("Singers", 1), Delete("Singers", 2)}})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.must(t, "s", w.Partitions("s")[0].Token, at, at)[0].Data; got == nil || !got.SystemTransaction || len(got.Mods) != 1 {
		t.Errorf("%+v", got)
	}
	if got := kinds(w.must(t, "without", w.Partitions("without")[0].Token, at, at)); got != "h" {
		t.Errorf("TTL deletes left out: %s", got)
	}
}
