package spannerfake

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/spanner"
	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	"google.golang.org/protobuf/types/known/structpb"

	"sluice.example/shared/changestream"
)

const testDB = "projects/p/instances/i/databases/d"

// world is a server with one database and a real client, for one test.
type world struct {
	*Server
	*Database
	client *spanner.Client
}

const singers = "CREATE TABLE Singers (Id INT64 NOT NULL, Name STRING(MAX), Age INT64) PRIMARY KEY (Id)"

func setup(t *testing.T, o Options, ddl ...string) *world {
	t.Helper()
	s := New(o)
	t.Cleanup(func() { _ = s.Close() })
	d, err := s.Database(testDB)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.DDL(ddl...); err != nil {
		t.Fatal(err)
	}
	return &world{Server: s, Database: d, client: open(t, s)}
}

func open(t *testing.T, s *Server) *spanner.Client {
	t.Helper()
	conn, err := s.Conn()
	if err != nil {
		t.Fatal(err)
	}
	c, err := spanner.NewClientWithConfig(t.Context(), testDB, spanner.ClientConfig{DisableNativeMetrics: true}, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); _ = conn.Close() })
	return c
}

func (w *world) mustApply(t *testing.T, m ...*sppb.Mutation) time.Time {
	t.Helper()
	at, err := w.Apply(m...)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// ask is a partition query with the real client; rows come as they are.
func (w *world) ask(ctx context.Context, stream, token string, start, end time.Time, beat time.Duration, each func(*structpb.Value) bool) error {
	st := spanner.NewStatement("SELECT ChangeRecord FROM READ_" + stream + "(start_timestamp => @s, end_timestamp => @e, partition_token => @t, heartbeat_milliseconds => @h)")
	st.Params["s"] = start
	st.Params["e"] = spanner.NullTime{Time: end, Valid: !end.IsZero()}
	st.Params["t"] = spanner.NullString{StringVal: token, Valid: token != ""}
	st.Params["h"] = beat.Milliseconds()
	it := w.client.Single().Query(ctx, st)
	defer it.Stop()
	for {
		row, err := it.Next()
		if errors.Is(err, iterator.Done) {
			return nil
		}
		if err != nil {
			return err
		}
		if !each(row.ColumnValue(0)) {
			return nil
		}
	}
}

// all asks a query to its end and decodes what it returned.
func (w *world) all(t *testing.T, stream, token string, start, end time.Time) ([]changestream.Record, error) {
	t.Helper()
	var out []changestream.Record
	err := w.ask(t.Context(), stream, token, start, end, time.Second, func(v *structpb.Value) bool {
		out = append(out, decode(t, v))
		return true
	})
	return out, err
}

func (w *world) must(t *testing.T, stream, token string, start, end time.Time) []changestream.Record {
	t.Helper()
	out, err := w.all(t, stream, token, start, end)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// decode reads a row independently of how the server makes it, by place as the API documents it.
func decode(t *testing.T, v *structpb.Value) changestream.Record {
	t.Helper()
	list := func(v *structpb.Value) []*structpb.Value { return v.GetListValue().GetValues() }
	at := func(v *structpb.Value) time.Time {
		ts, err := time.Parse(time.RFC3339Nano, v.GetStringValue())
		if err != nil {
			t.Fatal(err)
		}
		return ts
	}
	one := list(list(v)[0])
	if d := list(one[0]); len(d) > 0 {
		f := list(d[0])
		c := &changestream.DataChange{
			CommitTimestamp: at(f[0]), RecordSequence: f[1].GetStringValue(), TransactionID: f[2].GetStringValue(), LastInPartition: f[3].GetBoolValue(),
			Table: f[4].GetStringValue(), ModType: changestream.ModType(f[7].GetStringValue()), ValueCapture: changestream.ValueCapture(f[8].GetStringValue()),
			TransactionTag: f[11].GetStringValue(), SystemTransaction: f[12].GetBoolValue(),
		}
		c.RecordsInTxn, _ = parseInt(f[9].GetStringValue())
		c.PartitionsInTxn, _ = parseInt(f[10].GetStringValue())
		for _, col := range list(f[5]) {
			p := list(col)
			n, _ := parseInt(p[3].GetStringValue())
			c.Columns = append(c.Columns, changestream.Column{Name: p[0].GetStringValue(), Type: p[1].GetStringValue(), PrimaryKey: p[2].GetBoolValue(), Ordinal: n})
		}
		for _, m := range list(f[6]) {
			p := list(m)
			c.Mods = append(c.Mods, changestream.Mod{Keys: p[0].GetStringValue(), New: p[1].GetStringValue(), Old: p[2].GetStringValue()})
		}
		return changestream.Record{Data: c}
	}
	if h := list(one[1]); len(h) > 0 {
		return changestream.Record{Heartbeat: &changestream.Heartbeat{Timestamp: at(list(h[0])[0])}}
	}
	f := list(list(one[2])[0])
	c := &changestream.ChildPartitions{StartTimestamp: at(f[0]), RecordSequence: f[1].GetStringValue()}
	for _, child := range list(f[2]) {
		p := list(child)
		kid := changestream.Child{Token: p[0].GetStringValue()}
		for _, parent := range list(p[1]) {
			kid.Parents = append(kid.Parents, parent.GetStringValue())
		}
		c.Children = append(c.Children, kid)
	}
	return changestream.Record{Children: c}
}
