package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"sluice.example/shared/app"
	"sluice.example/shared/scheduler"
)

// stopWithin is how long an end may take: giving back what is held comes before it.
const stopWithin = 3 * time.Second

func runCommand() *cobra.Command {
	var roles string
	var verbose bool
	cmd := &cobra.Command{
		Use:   "run [worker.properties [connector.properties ...]]",
		Short: "Run the REST API, workers and scheduler in this process",
		Long: `Runs any set of roles in one process; several processes may share the work.

Configuration is a Connect worker properties file, CONNECT_* variables as in the Connect images, or both (a variable wins).
Without bootstrap.servers, SPANNER_EMULATOR_HOST and FIRESTORE_EMULATOR_HOST (or a Google Cloud project for Firestore) what
is missing is an embedded stand-in; when all three are, a demo stream flows.

Connector files are Java properties or JSON, as connect-standalone takes them; a connector that exists is updated.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := parseRoles(roles)
			if err != nil {
				return err
			}
			return run(cmd.Context(), set, args, verbose)
		},
	}
	cmd.Flags().StringVar(&roles, "roles", "connect,worker,scheduler", "what this process does: any of connect, worker, scheduler")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "log what goes well, too")
	return cmd
}

type roleSet struct{ connect, worker, scheduler bool }

func parseRoles(text string) (roleSet, error) {
	var r roleSet
	for _, name := range strings.Split(text, ",") {
		switch strings.TrimSpace(name) {
		case "connect":
			r.connect = true
		case "worker":
			r.worker = true
		case "scheduler":
			r.scheduler = true
		default:
			return r, fmt.Errorf("-roles has %q: any of connect, worker, scheduler, separated by commas", name)
		}
	}
	return r, nil
}

// run is the whole of `sluice run`.
func run(ctx context.Context, roles roleSet, files []string, verbose bool) error {
	say := newProgress(os.Stdout)
	log := logger(verbose)
	var workerFile string
	if len(files) > 0 {
		workerFile, files = files[0], files[1:]
	}
	props, err := app.LoadProperties(workerFile, os.Environ())
	if err != nil {
		return err
	}
	connectors, err := readConnectors(files)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	say.step("starting …")
	inside, err := embed(ctx, props, log)
	if err != nil {
		return err
	}
	defer inside.Close()

	changed := newBell()
	p := &pool{log: log, nudge: func(scheduler.Wake) {}, running: make(map[scheduler.Wake]bool), wakes: newBell()}
	opt := app.Options{
		Logger: log, Exclusive: roles.connect, Changed: func(string) { changed.ring() }, Finished: changed.ring,
		ExactSpanner: inside.exact, Gone: gone,
	}
	if roles.worker {
		opt.Waker = p
	}
	if !roles.connect {
		// Nothing listens: the worker id must not be that of the process that does.
		props.Default("rest.advertised.host.name", processName(os.Getpid()), "process id")
	}
	a, err := app.Open(ctx, props, opt)
	if err != nil {
		return err
	}
	server, address, err := serve(a, props, roles, log)
	if err != nil {
		return errors.Join(err, closeWithin(a.Close))
	}

	p.find, p.run, p.nudge = a.Free, a.RunSlot, a.Nudge
	var loops sync.WaitGroup
	if roles.scheduler {
		loops.Go(func() { tickLoop(ctx, a.Tick, changed, log) })
	}
	if roles.worker {
		loops.Go(func() { p.loop(ctx) })
	}
	switch {
	case roles.connect:
		say.done("Sluice is ready on http://%s (%s)", address, inside)
	default:
		say.done("Sluice is ready as %s (%s)", a.WorkerID, inside)
	}
	if roles.connect {
		for _, c := range connectors {
			if err := create(ctx, address, c); err != nil {
				log.Error("create connector", "connector", c.name, "error", err)
			}
		}
		if inside.demo {
			loops.Go(func() {
				if err := demo(ctx, inside, address, say); err != nil && ctx.Err() == nil {
					log.Error("demo", "error", err)
				}
			})
		}
	}
	<-ctx.Done()
	say.done("stopping …")
	// Workers first: their final deliveries and releases need the rest.
	loops.Wait()
	err = closeWithin(a.Close)
	if server != nil {
		err = errors.Join(err, closeWithin(server.Shutdown))
	}
	return err
}

func closeWithin(f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	return f(ctx)
}

// serve listens where listeners says.
func serve(a *app.App, props app.Properties, roles roleSet, log *slog.Logger) (*http.Server, string, error) {
	if !roles.connect {
		return nil, "", nil
	}
	u, err := url.Parse(props.Listener())
	if err != nil || !strings.EqualFold(u.Scheme, "http") || u.Port() == "" {
		return nil, "", fmt.Errorf("listeners is %q (from %s): http://host:port is expected, the host may be left out", props.Listener(), props.Origin["listeners"])
	}
	l, err := net.Listen("tcp", net.JoinHostPort(u.Hostname(), u.Port()))
	if err != nil {
		return nil, "", fmt.Errorf("listen where listeners says (from %s): %w", props.Origin["listeners"], err)
	}
	server := &http.Server{Handler: a.REST(), ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	go server.Serve(l)
	host := u.Hostname()
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "localhost"
	}
	return server, net.JoinHostPort(host, u.Port()), nil
}

// logger writes for people.
func logger(verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}
