package connector

import (
	"strings"
	"time"
)

// Worker is what a connector's configuration means in one installation: the facts about the worker that rules ask.
type Worker struct {
	GroupID      string
	OffsetsTopic string
	ExactlyOnce  bool              // exactly.once.source.support is enabled
	Properties   map[string]string // all worker properties, for converters, override policy and the like

	Now     time.Time // by which a start that is not given is judged; zero: such a start is not judged
	Plugins []Plugin  // classes that a configuration may name; nil: class names are not judged
}

func (w Worker) property(key, otherwise string) string {
	if v, ok := w.Properties[key]; ok && strings.TrimSpace(v) != "" {
		return strings.TrimSpace(v)
	}
	return otherwise
}

func (w Worker) classes(kinds ...Kind) []string {
	names := []string{}
	for _, p := range w.Plugins {
		for _, k := range kinds {
			if p.Kind == k {
				names = append(names, p.Class)
			}
		}
	}
	return names
}

func (w Worker) knows(class string, kinds ...Kind) bool {
	if w.Plugins == nil {
		return true
	}
	for _, p := range w.Plugins {
		for _, k := range kinds {
			if p.Kind == k && p.Named(class) {
				return true
			}
		}
	}
	return false
}
