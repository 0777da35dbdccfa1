package emulators

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Stop ends the named services (none named: all), asking first and killing after ten seconds, and removes what they
// stored; their logs stay. One that is absent is not an error, so a repeat does nothing.
func (s *Set) Stop(names ...string) error {
	names, err := chosen(names)
	if err != nil {
		return err
	}
	var failed error
	for _, name := range names {
		failed = errors.Join(failed, s.stop(name))
	}
	return failed
}

func (s *Set) stop(name string) error {
	at, known, err := s.read(name)
	if err != nil || !known {
		return err
	}
	if err := at.end(10 * time.Second); err != nil {
		return fmt.Errorf("stop %s: %w", name, err)
	}
	entries, err := os.ReadDir(s.folder(name))
	if err != nil {
		return fmt.Errorf("stop %s: %w", name, err)
	}
	for _, entry := range entries {
		file := filepath.Join(s.folder(name), entry.Name())
		if file == s.LogPath(name) {
			continue
		}
		if err := os.RemoveAll(file); err != nil {
			return fmt.Errorf("stop %s: %w", name, err)
		}
	}
	return nil
}

// Kill is kill -9 of one service. It keeps its address, and Kafka its data, for Restart. Killing a service that does
// not run does nothing.
func (s *Set) Kill(name string) error {
	at, known, err := s.read(name)
	if err != nil || !known {
		return err
	}
	if err := at.kill(); err != nil {
		return fmt.Errorf("kill %s: %w", name, err)
	}
	return nil
}

// Restart kills the service if it runs, starts it at the same address with the options of Start, and returns when it
// answers. A service that was never started is an error.
func (s *Set) Restart(ctx context.Context, name string) error {
	at, known, err := s.read(name)
	if err != nil {
		return err
	}
	if !known {
		return fmt.Errorf("restart %s: it was never started", name)
	}
	if err := at.kill(); err != nil {
		return fmt.Errorf("restart %s: %w", name, err)
	}
	return s.launch(ctx, name, at)
}
