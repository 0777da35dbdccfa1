package spannerdb

import "google.golang.org/grpc"

// Option changes how a database is opened.
type Option func(*options)

type options struct {
	exact    *bool
	conn     func() (*grpc.ClientConn, error)
	agent    string
	channels int
}

// Exact says whether live queries return every record. Without it they do, except on a Spanner emulator.
func Exact(exact bool) Option { return func(o *options) { o.exact = &exact } }

// Conn uses a connection in place of the client's own, for a server in the same process. Close closes it.
func Conn(c *grpc.ClientConn) Option {
	return Dial(func() (*grpc.ClientConn, error) { return c, nil })
}

// Dial is Conn for a client that may have to be opened again, see Database.
func Dial(dial func() (*grpc.ClientConn, error)) Option { return func(o *options) { o.conn = dial } }

// Agent names the program and its version to Spanner; "sluice" without it.
func Agent(name string) Option { return func(o *options) { o.agent = name } }

// Channels is how many connections one database uses, each good for a hundred queries at once; 4 without it.
func Channels(n int) Option { return func(o *options) { o.channels = n } }

// gather applies the options over their defaults.
func gather(opts []Option) options {
	o := options{agent: "sluice", channels: 4}
	for _, f := range opts {
		f(&o)
	}
	return o
}
