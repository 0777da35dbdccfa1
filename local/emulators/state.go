package emulators

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// state is what a service's folder says about it. Its absence means that the service is absent.
type state struct {
	process
	Addresses []string `json:"addresses"` // kept across kill and restart
	Command   []string `json:"command"`   // the last one, for whoever reads the folder
	Options   Options  `json:"options"`   // of Start, so that a restart from another process runs the same
}

func (s *Set) folder(name string) string    { return filepath.Join(s.dir, name) }
func (s *Set) statePath(name string) string { return filepath.Join(s.folder(name), "state.json") }

// LogPath is the file to which the service writes.
func (s *Set) LogPath(name string) string { return filepath.Join(s.folder(name), "log") }

// read answers the state of a service, and false when it is absent.
func (s *Set) read(name string) (state, bool, error) {
	text, err := os.ReadFile(s.statePath(name))
	if errors.Is(err, os.ErrNotExist) {
		return state{}, false, nil
	}
	if err != nil {
		return state{}, false, fmt.Errorf("read state of %s: %w", name, err)
	}
	var at state
	if err := json.Unmarshal(text, &at); err != nil {
		return state{}, false, fmt.Errorf("read state of %s: %w", name, err)
	}
	return at, true, nil
}

// write replaces the state in one step, so that a reader beside us sees the old or the new one.
func (s *Set) write(name string, at state) error {
	text, err := json.MarshalIndent(at, "", "  ")
	if err != nil {
		return fmt.Errorf("write state of %s: %w", name, err)
	}
	half := s.statePath(name) + ".new"
	if err := os.WriteFile(half, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write state of %s: %w", name, err)
	}
	if err := os.Rename(half, s.statePath(name)); err != nil {
		return fmt.Errorf("write state of %s: %w", name, err)
	}
	return nil
}
