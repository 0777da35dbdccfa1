package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"sluice.example/local/emulators"
)

// with runs what follows -- on services of its own. A shell's trap could do this but for a second signal that comes
// while the trap runs, which is what a terminal and make together send.
func with(ctx context.Context, dir string, args []string, opts emulators.Options) (err error) {
	at := slices.Index(args, "--")
	if at < 0 || at == len(args)-1 {
		return errors.New("with wants -- and a command")
	}
	set, err := emulators.Open(dir)
	if err != nil {
		return err
	}
	if err := set.Stop(); err != nil { // of a run that was killed
		return err
	}
	defer func() { err = errors.Join(err, set.Stop()) }()
	if _, err := emulators.Start(ctx, dir, args[:at], opts); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, args[at+1], args[at+2:]...)
	command.Env = append(os.Environ(), set.Env()...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 20 * time.Second // to stop what it started itself; after that it is killed
	return command.Run()
}
