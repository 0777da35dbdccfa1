package spannerfake

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// The Spanner client links a package that starts a worker when the program does,
		goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"),
		// and the first client of a process asks by HTTP where it runs; that connection stays idle for a while.
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
	)
}
