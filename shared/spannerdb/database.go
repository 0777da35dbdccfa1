package spannerdb

import (
	"context"
	"os"
	"strings"
	"sync"

	"cloud.google.com/go/spanner"
	"cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"sluice.example/shared/connector"
)

// Database is one database, opened for one connector. It is safe for concurrent use.
//
// Its session may be lost: an emulator that was started again knows none. The client keeps asking with the lost one for
// ever, so the next call opens another client.
type Database struct {
	name  names
	exact bool
	query spanner.QueryOptions
	open  func(context.Context) (*spanner.Client, error)

	mu     sync.Mutex
	client *spanner.Client // nil after the session was lost
	closed bool

	asking chan struct{} // holds one token while a caller asks what streams are
	known  map[string]stream
}

// names are what messages call the parts of the way to a stream.
type names struct{ project, instance, database, role, host, credentials string }

func (n names) path() string {
	return "projects/" + n.project + "/instances/" + n.instance + "/databases/" + n.database
}

func (n names) where() string {
	if n.host != "" {
		return n.host
	}
	return "spanner.googleapis.com"
}

// Open opens the connector's database. Credentials are the JSON, else the file, else Google's default ones; none on an
// emulator, which is the settings' emulator host, else SPANNER_EMULATOR_HOST. Only what can be judged without the network
// fails here, as *Problem; the first query shows the rest. The context is for opening only. The caller owns Close.
func Open(ctx context.Context, cfg connector.Settings, opts ...Option) (*Database, error) {
	o := gather(opts)
	d := &Database{
		name:   names{cfg.Project, cfg.Instance, cfg.Database, cfg.DatabaseRole, cfg.Host, credentialsKey(cfg)},
		query:  spanner.QueryOptions{Priority: priority(cfg.RPCPriority), RequestTag: tag("connector=" + cfg.Name)},
		asking: make(chan struct{}, 1),
		known:  make(map[string]stream),
	}
	emulator := cfg.EmulatorHost
	if emulator == "" && cfg.Host == "" {
		emulator = os.Getenv("SPANNER_EMULATOR_HOST")
	}
	if d.exact = emulator == ""; o.exact != nil {
		d.exact = *o.exact
	}
	if emulator != "" {
		d.name.host, d.name.credentials = emulator, ""
	}
	way, err := reach(cfg, o, emulator)
	if err != nil {
		return nil, err
	}
	d.open = func(ctx context.Context) (*spanner.Client, error) {
		client := way
		if o.conn != nil {
			c, err := o.conn()
			if err != nil {
				return nil, d.failure("connect to spanner", err)
			}
			client = []option.ClientOption{option.WithGRPCConn(c)}
		}
		// Native metrics would need rights in Cloud Monitoring and a goroutine; the product measures itself.
		c, err := spanner.NewClientWithConfig(ctx, d.name.path(),
			spanner.ClientConfig{DatabaseRole: cfg.DatabaseRole, DisableNativeMetrics: true, UserAgent: o.agent}, client...)
		if err != nil {
			return nil, d.unopened(err)
		}
		return c, nil
	}
	if d.client, err = d.open(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

// Flow-control windows, fixed so that a slow reader costs little memory: 100 queries hold 25 MB at most.
const (
	streamWindow     = 256 << 10
	connectionWindow = 1 << 20
)

// reach is how the client finds the server, and who it says it is.
func reach(cfg connector.Settings, o options, emulator string) ([]option.ClientOption, error) {
	client := []option.ClientOption{
		option.WithGRPCConnectionPool(o.channels), option.WithUserAgent(o.agent),
		option.WithGRPCDialOption(grpc.WithInitialWindowSize(streamWindow)),
		option.WithGRPCDialOption(grpc.WithInitialConnWindowSize(connectionWindow)),
	}
	switch {
	case o.conn != nil:
		return nil, nil
	case emulator != "":
		return append(client, option.WithEndpoint("passthrough:///"+bare(emulator)), option.WithoutAuthentication(),
			option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())),
			option.WithGRPCDialOption(grpc.WithChainStreamInterceptor(distinctTokens))), nil
	}
	if cfg.Host != "" {
		client = append(client, option.WithEndpoint(bare(cfg.Host)))
	}
	auth, err := credentials(cfg)
	return append(client, auth...), err
}

// bare is a host without a scheme, which other clients of Spanner want in front of it.
func bare(host string) string {
	host = strings.TrimPrefix(strings.TrimPrefix(host, "http://"), "https://")
	return strings.TrimSuffix(host, "/")
}

// Close ends the client and everything that runs for it; queries that still run fail. A second call does nothing.
func (d *Database) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.client != nil {
		d.client.Close()
		d.client = nil
	}
}

// conn is the client to use now.
func (d *Database) conn(ctx context.Context) (*spanner.Client, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	if d.client == nil {
		c, err := d.open(ctx)
		if err != nil {
			return nil, err
		}
		d.client = c
	}
	return d.client, nil
}

// lost gives up a client whose session the server does not know. Other queries on it have the same error before them.
func (d *Database) lost(c *spanner.Client) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.client == c && !d.closed {
		d.client = nil
		c.Close()
	}
}

func priority(name string) spannerpb.RequestOptions_Priority {
	switch strings.ToUpper(name) {
	case "LOW":
		return spannerpb.RequestOptions_PRIORITY_LOW
	case "HIGH":
		return spannerpb.RequestOptions_PRIORITY_HIGH
	}
	return spannerpb.RequestOptions_PRIORITY_MEDIUM
}

// tag is a text as a request tag may hold it: printable ASCII, at most 50 characters.
func tag(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '_'
		}
	}
	return string(b[:min(len(b), 50)])
}
