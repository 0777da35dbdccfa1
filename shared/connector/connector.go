// Package connector is a connector's configuration: one table of keys with their types, defaults, validation and
// documentation, the target state, and typed settings. Pure rules; what needs a network is checked by whoever has one.
package connector

import "time"

// TargetState is the state that the user asked for.
type TargetState string

// The target states; their names are those of Connect's config topic.
const (
	Started TargetState = "STARTED"
	Paused  TargetState = "PAUSED"
	Stopped TargetState = "STOPPED"
)

// Connector is a connector as REST stores it. Only package connectapi writes it.
type Connector struct {
	Name   string
	Config map[string]string // exactly what the user sent, plus name
	Target TargetState

	Life       string           // random, one for each creation: a re-created connector is another life
	Epoch      int64            // grows with each change of the configuration and each restart of all tasks
	Generation int64            // grows with each change of the configuration
	Restarts   map[string]int64 // by task id: the epoch at which the task alone was last restarted
	CreatedAt  time.Time
	Version    time.Time // of the document
}

// EpochOf is the epoch that task n should be in. A task that failed in an earlier epoch runs again.
func (c *Connector) EpochOf(task string) int64 { return max(c.Epoch, c.Restarts[task]) }
