package emulators

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
)

// Options of a set. The zero value is usable.
type Options struct {
	Jars            string        // folder of Kafka's jars, shared by sets; "" is `jars` beside the set's folder
	KafkaHeap       string        // Java's -Xmx of the broker; "" is 512m
	KafkaProperties []string      // further lines of the broker's properties; they win over ours
	SpannerFlags    []string      // further flags of the Spanner emulator
	Wait            time.Duration // how long one service may take to answer; 0 is two minutes
}

func (o Options) filled(dir string) Options {
	if o.Jars == "" {
		o.Jars = filepath.Join(filepath.Dir(dir), "jars")
	}
	if o.KafkaHeap == "" {
		o.KafkaHeap = "512m"
	}
	if o.Wait == 0 {
		o.Wait = 2 * time.Minute
	}
	return o
}

// Set is the services below one folder. Its methods may be called from several goroutines for different services.
type Set struct {
	dir string
}

// errEnded is a service that ended instead of answering, most often because somebody took its port.
var errEnded = errors.New("ended before it answered")

// Open answers the set that lives in dir, which need not exist.
func Open(dir string) (*Set, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open set of emulators: %w", err)
	}
	return &Set{dir: whole}, nil
}

// Start starts the named services (none named: all of them) in dir at once and returns when each answers. One that
// runs already is left as it is. On an error everything that this call started has been stopped. The services do not
// end with ctx or with this process: the caller calls Stop, or another process does.
func Start(ctx context.Context, dir string, names []string, opts Options) (*Set, error) {
	set, err := Open(dir)
	if err != nil {
		return nil, err
	}
	names, err = chosen(names)
	if err != nil {
		return nil, err
	}
	opts = opts.filled(set.dir)
	if opts.Jars, err = filepath.Abs(opts.Jars); err != nil { // the broker runs in a folder of its own
		return nil, fmt.Errorf("folder of jars: %w", err)
	}
	started := make([]bool, len(names))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, name := range names {
		group.Go(func() error {
			if set.Running(name) {
				return nil
			}
			started[i] = true
			return set.start(groupCtx, name, opts)
		})
	}
	if err := group.Wait(); err != nil {
		for i, name := range names {
			if started[i] {
				err = errors.Join(err, set.Stop(name))
			}
		}
		return nil, err
	}
	return set, nil
}

// start chooses ports and runs the service on them, again on others when it ended at once.
func (s *Set) start(ctx context.Context, name string, opts Options) error {
	if err := s.Stop(name); err != nil { // of a run that ended by itself
		return err
	}
	if err := os.MkdirAll(s.folder(name), 0o755); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	var err error
	for range 3 {
		at := state{Options: opts}
		if at.Addresses, err = freeAddresses(services[name].ports); err != nil {
			return fmt.Errorf("start %s: %w", name, err)
		}
		if err = s.launch(ctx, name, at); !errors.Is(err, errEnded) {
			return err
		}
	}
	return err
}

// launch runs the service at the addresses of its state and waits until it answers.
func (s *Set) launch(ctx context.Context, name string, at state) error {
	kind := services[name]
	var err error
	if at.Command, err = kind.command(ctx, s.folder(name), at.Addresses, at.Options); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	var ended <-chan struct{}
	if at.process, ended, err = spawn(at.Command, s.folder(name), s.LogPath(name)); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	if err := s.write(name, at); err != nil {
		return errors.Join(err, at.kill())
	}
	wait, cancel := context.WithTimeout(ctx, at.Options.Wait)
	defer cancel()
	var last error
	dead := false
	err = poll(wait, func() bool {
		select {
		case <-ended:
			dead = true
			return true
		default:
		}
		once, cancel := context.WithTimeout(wait, 2*time.Second)
		defer cancel()
		last = kind.ready(once, at.Addresses[0])
		return last == nil
	})
	switch {
	case dead:
		return fmt.Errorf("start %s: %w; see %s", name, errEnded, s.LogPath(name))
	case err != nil:
		return fmt.Errorf("start %s: no answer at %s: %w (%w); see %s", name, at.Addresses[0], err, last, s.LogPath(name))
	}
	return nil
}

// Running reports whether the service's process runs.
func (s *Set) Running(name string) bool {
	at, known, err := s.read(name)
	return err == nil && known && at.alive()
}

// Address is where clients reach the service; "" when it is absent. A killed one keeps its address.
func (s *Set) Address(name string) string {
	at, known, err := s.read(name)
	if err != nil || !known {
		return ""
	}
	return at.Addresses[0]
}

// Env is the addresses of all services that are not absent, as NAME=value, under the names in which clients look.
func (s *Set) Env() []string {
	var env []string
	for _, name := range Names() {
		if address := s.Address(name); address != "" {
			env = append(env, services[name].variable+"="+address)
		}
	}
	return env
}
