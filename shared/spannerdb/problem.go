package spannerdb

import "errors"

// Problem is a failure that trying again does not mend: the configuration, the rights, or the database itself has to
// change. Text is one sentence that names what was asked for and the way out, and holds no secret.
type Problem struct {
	Key  string // the configuration key to look at
	Text string
	Err  error // what the client said; nil when it was not asked
}

func (p *Problem) Error() string { return p.Text }

// Unwrap is the client's error.
func (p *Problem) Unwrap() error { return p.Err }

const (
	projectKey  = "gcp.spanner.project.id"
	instanceKey = "gcp.spanner.instance.id"
	databaseKey = "gcp.spanner.database.id"
	roleKey     = "gcp.spanner.database.role"
	streamKey   = "gcp.spanner.change.stream"
	hostKey     = "gcp.spanner.host"
	emulatorKey = "gcp.spanner.emulator.host"
)

// errClosed is the answer of a database that was closed.
var errClosed = errors.New("the Spanner database was closed")
