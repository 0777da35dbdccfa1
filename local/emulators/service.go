package emulators

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// The services, by the names that Start and the command take.
const (
	Kafka     = "kafka"
	Spanner   = "spanner"
	Firestore = "firestore"
)

// Names lists all services in the order in which they are printed.
func Names() []string { return []string{Kafka, Spanner, Firestore} }

// service is how one kind of far side is run.
type service struct {
	variable string // the environment variable in which clients look for its address
	ports    int    // how many ports it listens on; the first is the one for clients
	// command prepares the folder and answers the program with its arguments. It is called before each start, the
	// first one and those after a kill, and must leave data that is already there alone.
	command func(ctx context.Context, dir string, addresses []string, opts Options) ([]string, error)
	// ready asks the service once whether it can serve. Nil is yes.
	ready func(ctx context.Context, address string) error
}

var services = map[string]service{
	Kafka:     {variable: "CONNECT_BOOTSTRAP_SERVERS", ports: 2, command: kafkaCommand, ready: kafkaReady},
	Spanner:   {variable: "SPANNER_EMULATOR_HOST", ports: 1, command: spannerCommand, ready: accepts},
	Firestore: {variable: "FIRESTORE_EMULATOR_HOST", ports: 2, command: firestoreCommand, ready: firestoreReady},
}

// chosen checks names and puts them in order without repeats; none means all.
func chosen(names []string) ([]string, error) {
	if len(names) == 0 {
		return Names(), nil
	}
	for _, name := range names {
		if _, ok := services[name]; !ok {
			return nil, fmt.Errorf("unknown service %q: there are %s", name, strings.Join(Names(), ", "))
		}
	}
	return slices.DeleteFunc(Names(), func(name string) bool { return !slices.Contains(names, name) }), nil
}
