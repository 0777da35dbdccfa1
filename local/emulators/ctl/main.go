// Command ctl starts and stops a set of real services for people and for the Makefile:
//
//	go run ./local/emulators/ctl [flags] start|stop|kill|restart|env [kafka|spanner|firestore ...]
//	go run ./local/emulators/ctl [flags] with [kafka|spanner|firestore ...] -- COMMAND [ARGUMENT ...]
//
// Without names it means all of them, except that kill and restart want names. env prints lines for a shell's eval.
// with starts the services afresh, runs the command with their addresses in its environment, and stops them however
// the command or this program is ended, kill -9 aside; its exit code is the command's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"sluice.example/local/emulators"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "emulators:", err)
		var ended *exec.ExitError
		if errors.As(err, &ended) && ended.ExitCode() > 0 {
			os.Exit(ended.ExitCode())
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("emulators", flag.ContinueOnError)
	dir := flags.String("dir", ".build/emulators", "folder of the set")
	spanner := flags.String("spanner-flags", "", "further flags of the Spanner emulator, separated by spaces")
	heap := flags.String("kafka-heap", "", "largest heap of the broker, as Java writes it (512m)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	verb, names := flags.Arg(0), flags.Args()
	if len(names) > 0 {
		names = names[1:]
	}
	set, err := emulators.Open(*dir)
	if err != nil {
		return err
	}
	opts := emulators.Options{SpannerFlags: strings.Fields(*spanner), KafkaHeap: *heap}
	switch verb {
	case "start":
		if set, err = emulators.Start(ctx, *dir, names, opts); err != nil {
			return err
		}
		fmt.Println(strings.Join(set.Env(), "\n"))
		return nil
	case "with":
		return with(ctx, *dir, names, opts)
	case "stop":
		return set.Stop(names...)
	case "kill":
		return each(names, set.Kill)
	case "restart":
		return each(names, func(name string) error { return set.Restart(ctx, name) })
	case "env":
		for _, line := range set.Env() {
			fmt.Println("export " + line)
		}
		return nil
	default:
		return fmt.Errorf("unknown command %q: there are start, stop, kill, restart, env, with", verb)
	}
}

func each(names []string, do func(string) error) error {
	if len(names) == 0 {
		return fmt.Errorf("name the services: %s", strings.Join(emulators.Names(), ", "))
	}
	for _, name := range names {
		if err := do(name); err != nil {
			return err
		}
	}
	return nil
}
