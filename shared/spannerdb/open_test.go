package spannerdb

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/spanner/apiv1/spannerpb"

	"sluice.example/shared/changestream"
	"sluice.example/shared/connector"
)

// nobody is an address where nothing listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestExactEverywhereButOnAnEmulator(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  connector.Settings
		env  string
		opts []Option
		want bool
	}{
		"emulator host":      {connector.Settings{EmulatorHost: "127.0.0.1:1"}, "", nil, false},
		"environment":        {connector.Settings{}, "127.0.0.1:1", nil, false},
		"settings before it": {connector.Settings{EmulatorHost: "http://127.0.0.1:2"}, "127.0.0.1:1", nil, false},
		"told otherwise":     {connector.Settings{EmulatorHost: "127.0.0.1:1"}, "", []Option{Exact(true)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SPANNER_EMULATOR_HOST", c.env)
			c.cfg.Project, c.cfg.Instance, c.cfg.Database = "proj-1", "inst", "db"
			d, err := Open(t.Context(), c.cfg, c.opts...)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if got := d.Reader("s1").Exact(); got != c.want {
				t.Errorf("exact %v, want %v", got, c.want)
			}
		})
	}
}

func TestCheckAnswersBeforeItsTimeIsUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	found := Checker{}.Check(ctx, connector.Settings{Project: "proj-1", Instance: "inst", Database: "db", ChangeStream: "s1", EmulatorHost: nobody(t)})
	if len(found) != 1 || len(found[emulatorKey]) != 1 || !strings.Contains(found[emulatorKey][0], "did not answer in time") {
		t.Errorf("got %v", found)
	}
	if ctx.Err() != nil {
		t.Error("the answer came after the time was up")
	}
}

func TestUnreachableReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	d, err := Open(t.Context(), connector.Settings{Project: "proj-1", Instance: "inst", Database: "db", EmulatorHost: nobody(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var last error
	for _, last = range d.Reader("s1").Read(ctx, changestream.Query{Token: changestream.RootToken}) {
	}
	if !errors.Is(last, context.DeadlineExceeded) {
		t.Errorf("got %v", last)
	}
}

func TestRequestsSayWhoAsks(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]spannerpb.RequestOptions_Priority{
		"": spannerpb.RequestOptions_PRIORITY_MEDIUM, "low": spannerpb.RequestOptions_PRIORITY_LOW, "HIGH": spannerpb.RequestOptions_PRIORITY_HIGH,
	} {
		if got := priority(in); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
	if got := tag("connector=ü" + strings.Repeat("x", 60)); len(got) != 50 || !strings.HasPrefix(got, "connector=__x") {
		t.Errorf("got %q", got)
	}
}

func TestRetention(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]time.Duration{"7d": 168 * time.Hour, "36h": 36 * time.Hour, "90m": 90 * time.Minute, "": 0, "d": 0, "-1d": 0, "soon": 0} {
		if got, ok := retention(in); ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %v, %v", in, got, ok)
		}
	}
}
