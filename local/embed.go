package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kfake"

	"sluice.example/local/firestorefake"
	"sluice.example/local/spannerfake"
	"sluice.example/shared/app"
)

// embeddedKafka is where the embedded broker listens when the port is free, so that consumers find it.
const embeddedKafka = "127.0.0.1:19092"

// embedded are the stand-ins of this process. What is configured is used; what is not is embedded. They are servers that
// the product's ordinary clients talk to over loopback, so nothing else in the product knows of them.
type embedded struct {
	names []string
	close []func()
	exact bool // the change streams are the stand-in's, whose live queries are exact
	demo  bool // nothing is real: a demo stream flows
}

// String says what is real and what is not.
func (e *embedded) String() string {
	if len(e.names) == 0 {
		return "on the configured services"
	}
	return "embedded: " + strings.Join(e.names, ", ")
}

// Close ends the stand-ins.
func (e *embedded) Close() {
	for i := len(e.close) - 1; i >= 0; i-- {
		e.close[i]()
	}
}

// embed starts a stand-in for each service that nothing is configured for, and configures it.
func embed(ctx context.Context, props app.Properties, log *slog.Logger) (*embedded, error) {
	e := &embedded{}
	for _, s := range []struct {
		name    string
		missing bool
		start   func() error
	}{
		{"Kafka", props.Get("bootstrap.servers") == "", func() error { return e.kafka(props) }},
		{"Firestore", os.Getenv("FIRESTORE_EMULATOR_HOST") == "" && os.Getenv("GOOGLE_CLOUD_PROJECT") == "" && props.Get("sluice.firestore.project") == "", e.firestore},
		{"Spanner", os.Getenv("SPANNER_EMULATOR_HOST") == "" && os.Getenv("GOOGLE_CLOUD_PROJECT") == "" && os.Getenv("GOOGLE_APPLICATION_CREDENTIALS") == "", e.spanner},
	} {
		if !s.missing {
			continue
		}
		if err := s.start(); err != nil {
			e.Close()
			return nil, fmt.Errorf("start embedded %s: %w", s.name, err)
		}
		e.names = append(e.names, s.name)
	}
	e.demo = len(e.names) == 3
	return e, nil
}

func (e *embedded) kafka(props app.Properties) error {
	opts := []kfake.Opt{kfake.NumBrokers(1), kfake.DefaultNumPartitions(3), kfake.AllowAutoTopicCreation()}
	port := 0
	if l, err := net.Listen("tcp", embeddedKafka); err == nil {
		port = l.Addr().(*net.TCPAddr).Port
		l.Close()
	}
	if port != 0 {
		opts = append(opts, kfake.Ports(port))
	}
	cluster, err := kfake.NewCluster(opts...)
	if err != nil {
		return err
	}
	e.close = append(e.close, cluster.Close)
	props.Default("bootstrap.servers", strings.Join(cluster.ListenAddrs(), ","), "embedded")
	return nil
}

func (e *embedded) firestore() error {
	server, err := firestorefake.New(firestorefake.Options{})
	if err != nil {
		return err
	}
	e.close = append(e.close, func() { server.Close() })
	return e.listen(server.Serve, "FIRESTORE_EMULATOR_HOST")
}

func (e *embedded) spanner() error {
	server := spannerfake.New(spannerfake.Options{MaxRecords: 100_000}) // of each partition: a demo may run for days
	e.close = append(e.close, func() { server.Close() })
	e.exact = true
	return e.listen(server.Serve, "SPANNER_EMULATOR_HOST")
}

// listen serves on a free port and tells this process's clients by the variable that they know.
func (e *embedded) listen(serve func(net.Listener) error, variable string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go serve(l)
	return os.Setenv(variable, l.Addr().String())
}
