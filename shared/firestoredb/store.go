package firestoredb

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"

	"sluice.example/shared/connectapi"
	"sluice.example/shared/scheduler"
	"sluice.example/shared/task"
)

// Store is the documents of one installation. See the package comment.
type Store struct {
	client *firestore.Client
	root   string // path of the installation's document
	random func() string
}

var (
	_ task.Store       = (*Store)(nil)
	_ scheduler.Store  = (*Store)(nil)
	_ connectapi.Store = (*Store)(nil)
)

// Config says where the documents are.
type Config struct {
	Project  string // Google Cloud project; required
	Database string // empty: (default)
	Group    string // group.id of the installation; required

	// Conn, when set, is used in place of a connection of the client's own. The Store closes it.
	Conn *grpc.ClientConn
}

// New connects lazily: a Firestore that cannot be reached shows in the first call. The client reads
// FIRESTORE_EMULATOR_HOST and Google's default credentials itself; neither is used when Conn is given.
func New(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Group == "" {
		return nil, fmt.Errorf("open firestore: group is empty")
	}
	database := cfg.Database
	if database == "" {
		database = firestore.DefaultDatabaseID
	}
	var opts []option.ClientOption
	if cfg.Conn != nil {
		opts = append(opts, option.WithGRPCConn(cfg.Conn))
	}
	client, err := firestore.NewClientWithDatabase(ctx, cfg.Project, database, opts...)
	if err != nil {
		return nil, fmt.Errorf("open firestore: %w", err)
	}
	return &Store{client: client, root: rootCollection + "/" + safeID(cfg.Group), random: newID}, nil
}

// Close gives the connection up. Calls under way fail.
func (s *Store) Close() error {
	if err := s.client.Close(); err != nil {
		return fmt.Errorf("close firestore: %w", err)
	}
	return nil
}
