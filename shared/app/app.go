package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"sluice.example/shared/clock"
	"sluice.example/shared/connectapi"
	"sluice.example/shared/connector"
	"sluice.example/shared/firestoredb"
	"sluice.example/shared/kafka"
	"sluice.example/shared/scheduler"
	"sluice.example/shared/spannerdb"
	"sluice.example/shared/task"
)

// Version is the product's version, stamped by the build.
var (
	Version = "dev"
	Commit  = "unknown"
)

// Options are what an App is opened with beside its properties. The zero value is that of a function in the cloud.
type Options struct {
	Logger *slog.Logger // nil: slog.Default()
	Clock  clock.Clock  // nil: clock.System

	// Exclusive says that no other live process has this worker's id, see task.Worker.
	Exclusive bool
	// Gone tells which other workers are known to be dead, see task.Worker.
	Gone func(worker string) bool
	// Waker asks workers to run slots. nil: HTTP to sluice.worker.url when that is set, else nobody is asked.
	Waker scheduler.Waker
	// Changed is told of connectors that REST changed; it must not block.
	Changed func(name string)
	// Finished is told when a partition finished, so that its children need not wait for the next tick.
	Finished func()
	// ExactSpanner says that the Spanner emulator host is Sluice's own stand-in, whose live queries skip nothing.
	ExactSpanner bool
}

// App is the wired product. It is safe for concurrent use.
type App struct {
	Properties Properties
	WorkerID   string

	store     *firestoredb.Store
	kafka     *kafka.Kafka
	worker    *task.Worker
	scheduler *scheduler.Scheduler
	announcer *task.Announcer
	api       http.Handler
	log       *slog.Logger
	prepared  atomic.Bool // the internal topics are there
	warned    atomic.Bool // that they are not
}

// Open wires an App from worker properties. It connects lazily: a service that cannot be reached shows where it is first
// needed, so that the REST API can say so. A setting that cannot be understood is an error that names it.
func Open(ctx context.Context, props Properties, opt Options) (*App, error) {
	if opt.Logger == nil {
		opt.Logger = slog.Default()
	}
	if opt.Clock == nil {
		opt.Clock = clock.System
	}
	values := props.Values
	slice, err := props.millis("sluice.slice.ms", 30*time.Second)
	if err != nil {
		return nil, err
	}
	margin, err := props.millis("sluice.deadline.margin.ms", 3*time.Second)
	if err != nil {
		return nil, err
	}
	worker, err := props.worker()
	if err != nil {
		return nil, err
	}
	a := &App{Properties: props, WorkerID: props.workerID(), log: opt.Logger}
	a.store, err = firestoredb.New(ctx, firestoredb.Config{Project: props.project(), Database: props.Get("sluice.firestore.database"), Group: worker.GroupID})
	if err != nil {
		return nil, err
	}
	a.kafka, err = kafka.New(values, kafka.Options{Logger: opt.Logger})
	if err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	source := sources{exact: opt.ExactSpanner || props.Get("sluice.spanner.exact") == "true"}
	events := task.Events{}
	if opt.Finished != nil {
		events.Finished = func(string, int, string, int) { opt.Finished() }
	}
	a.worker = &task.Worker{
		Store: a.store, Kafka: a.kafka, Source: source, Clock: opt.Clock, Logger: opt.Logger, Worker: worker,
		Owner: a.WorkerID, Exclusive: opt.Exclusive, Gone: opt.Gone, Slice: slice, Margin: margin, Events: events,
	}
	a.announcer = &task.Announcer{Kafka: a.kafka, Source: source, Worker: worker, Clock: opt.Clock}
	waker := opt.Waker
	if waker == nil {
		waker = wakerFor(props)
	}
	a.scheduler = &scheduler.Scheduler{
		Store: a.store, Offsets: a.kafka.SchedulerView(), Waker: waker, Announce: a.announcer, Logger: opt.Logger, Worker: worker,
	}
	a.api = connectapi.New(connectapi.Options{
		Store: a.store, Checker: spannerdb.Checker{}, Waker: changed(opt.Changed), Worker: worker, WorkerID: a.WorkerID,
		Version: "4.1.1", Commit: Commit, ClusterID: a.kafka.ClusterID, Logger: opt.Logger, Clock: opt.Clock,
	})
	return a, nil
}

// REST answers the Kafka Connect REST API.
func (a *App) REST() http.Handler { return a.api }

// RunSlot is one invocation of a worker.
func (a *App) RunSlot(ctx context.Context, w scheduler.Wake) (task.Outcome, error) {
	return a.worker.Run(ctx, w.Connector, w.Slot)
}

// Nudge makes a slot that is being worked on here look at its documents now.
func (a *App) Nudge(w scheduler.Wake) { a.worker.Nudge(w.Connector, w.Slot) }

// Tick is one invocation of the scheduler. Until it has worked once it also makes the internal topics; what is wrong with
// them is logged, and told by each connector that needs them.
func (a *App) Tick(ctx context.Context) error {
	if !a.prepared.Load() {
		bounded, cancel := context.WithTimeout(ctx, prepareWithin)
		err := a.kafka.EnsureInternalTopics(bounded)
		cancel()
		a.prepared.Store(err == nil)
		if err != nil && a.warned.CompareAndSwap(false, true) {
			a.log.Warn("internal topics are not ready, trying on", "error", err)
		}
	}
	return a.scheduler.Tick(ctx)
}

const prepareWithin = 5 * time.Second

// Free lists the slots of started connectors that nobody holds as far as the store knows. A process that polls for work
// uses it; in the cloud workers are woken.
func (a *App) Free(ctx context.Context) ([]scheduler.Wake, error) {
	all, err := a.store.Connectors(ctx)
	if err != nil {
		return nil, err
	}
	var free []scheduler.Wake
	for _, c := range all {
		if c.Target != connector.Started {
			continue
		}
		plan, slots, err := a.store.Tasks(ctx, c.Name)
		if err != nil {
			return nil, err
		}
		live := make(map[int]bool)
		for _, s := range slots {
			live[s.Number] = !a.worker.Takes(s)
		}
		for n := range plan.Slots {
			if !live[n] {
				free = append(free, scheduler.Wake{Connector: c.Name, Slot: n})
			}
		}
	}
	return free, nil
}

// Close gives back slots and connections, cleanly as far as ctx allows. No invocation may be under way.
func (a *App) Close(ctx context.Context) error {
	err := a.worker.Close(ctx)
	a.announcer.Close()
	a.kafka.Close()
	return errors.Join(err, a.store.Close())
}

// project is where the documents are: a setting, or the project that the platform names.
func (p Properties) project() string {
	for _, v := range []string{p.Get("sluice.firestore.project"), os.Getenv("GOOGLE_CLOUD_PROJECT")} {
		if v != "" {
			return v
		}
	}
	if os.Getenv("FIRESTORE_EMULATOR_HOST") != "" {
		return "sluice"
	}
	return ""
}

// worker are the properties that rules about connectors need.
func (p Properties) worker() (connector.Worker, error) {
	w := connector.Worker{GroupID: p.Get("group.id"), OffsetsTopic: p.Get("offset.storage.topic"), Properties: p.Values, Plugins: connectapi.Plugins()}
	switch v := p.Get("exactly.once.source.support"); v {
	case "enabled", "ENABLED":
		w.ExactlyOnce = true
	case "disabled", "preparing", "DISABLED", "PREPARING":
	default:
		return w, fmt.Errorf("exactly.once.source.support is %q (from %s): one of disabled, preparing, enabled", v, p.Origin["exactly.once.source.support"])
	}
	return w, nil
}
