package spannerdb

import (
	"context"
	"fmt"
	"os"

	"cloud.google.com/go/spanner"
	"cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"sluice.example/shared/connector"
)

// Database is one database, opened for one connector. It is safe for concurrent use.
type Database struct {
	client *spanner.Client
	name   names
	exact  bool
	query  spanner.QueryOptions
}

// names are what messages call the parts of the way to a stream.
type names struct{ project, instance, database, stream, host string }

func (n names) path() string {
	return "projects/" + n.project + "/instances/" + n.instance + "/databases/" + n.database
}

// Option changes how a database is opened.
type Option func(*options)

type options struct {
	exact *bool
	conn  *grpc.ClientConn
}

// Exact says whether live queries return every record. Without it they do, except on a Spanner emulator.
func Exact(exact bool) Option { return func(o *options) { o.exact = &exact } }

// Conn uses a connection in place of the client's own, for a server in the same process.
func Conn(c *grpc.ClientConn) Option { return func(o *options) { o.conn = c } }

// channels is how many connections one database uses. Each carries a hundred streams; more cost memory.
const channels = 2

// Open opens the connector's database. Credentials are the JSON, else the file, else Google's default ones; none on an
// emulator. Only what can be judged without the network fails here; the first query shows the rest.
func Open(ctx context.Context, cfg connector.Settings, opts ...Option) (*Database, error) {
	var o options
	for _, f := range opts {
		f(&o)
	}
	d := &Database{name: names{cfg.Project, cfg.Instance, cfg.Database, cfg.ChangeStream, cfg.Host}}
	client := []option.ClientOption{option.WithGRPCConnectionPool(channels), option.WithUserAgent("sluice")}
	emulator := cfg.EmulatorHost
	if emulator == "" {
		emulator = os.Getenv("SPANNER_EMULATOR_HOST")
	}
	switch {
	case o.conn != nil:
		client = []option.ClientOption{option.WithGRPCConn(o.conn)}
	case emulator != "":
		d.name.host = emulator
		client = append(client, option.WithEndpoint(emulator), option.WithoutAuthentication(),
			option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	default:
		if cfg.Host != "" {
			client = append(client, option.WithEndpoint(cfg.Host))
		}
		auth, err := credentials(cfg)
		if err != nil {
			return nil, err
		}
		client = append(client, auth...)
	}
	d.exact = emulator == ""
	if o.exact != nil {
		d.exact = *o.exact
	}
	d.query = spanner.QueryOptions{Priority: priority(cfg.RPCPriority), RequestTag: "connector=" + tag(cfg.Name)}
	var err error
	d.client, err = spanner.NewClientWithConfig(ctx, d.name.path(), spanner.ClientConfig{
		DatabaseRole: cfg.DatabaseRole, DisableNativeMetrics: true, Compression: "",
	}, client...)
	if err != nil {
		return nil, d.name.fault("open spanner", err)
	}
	return d, nil
}

// Close ends the client and everything that runs for it.
func (d *Database) Close() { d.client.Close() }

func priority(name string) spannerpb.RequestOptions_Priority {
	switch name {
	case "LOW":
		return spannerpb.RequestOptions_PRIORITY_LOW
	case "HIGH":
		return spannerpb.RequestOptions_PRIORITY_HIGH
	}
	return spannerpb.RequestOptions_PRIORITY_MEDIUM
}

// tag is a name as a request tag may hold it: printable ASCII, at most 50 characters.
func tag(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '_'
		}
	}
	return string(b[:min(len(b), 40)])
}

// credentials are the client's options for who it is.
func credentials(cfg connector.Settings) ([]option.ClientOption, error) {
	text := []byte(cfg.CredentialsJSON)
	key := "gcp.spanner.credentials.json"
	if len(text) == 0 && cfg.CredentialsPath != "" {
		key = "gcp.spanner.credentials.path"
		var err error
		if text, err = os.ReadFile(cfg.CredentialsPath); err != nil {
			return nil, &Problem{Key: key, Text: "the credentials file cannot be read: " + pathless(err)}
		}
	}
	if len(text) == 0 {
		return nil, nil
	}
	kind, err := credentialsType(text)
	if err != nil {
		return nil, &Problem{Key: key, Text: err.Error()}
	}
	return []option.ClientOption{option.WithAuthCredentialsJSON(kind, text)}, nil
}

// Problem is a fault of one configuration key. Its text never repeats a secret.
type Problem struct{ Key, Text string }

func (p *Problem) Error() string { return fmt.Sprintf("The '%s' value is invalid: %s", p.Key, p.Text) }
