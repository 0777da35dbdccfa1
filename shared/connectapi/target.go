package connectapi

import (
	"context"
	"net/http"

	"sluice.example/shared/connector"
)

func (s *server) pause(ctx context.Context, c *call) (answer, error) {
	return s.aim(ctx, c, connector.Paused, http.StatusAccepted)
}

func (s *server) resume(ctx context.Context, c *call) (answer, error) {
	return s.aim(ctx, c, connector.Started, http.StatusAccepted)
}

func (s *server) stop(ctx context.Context, c *call) (answer, error) {
	return s.aim(ctx, c, connector.Stopped, http.StatusNoContent)
}

// aim sets the target state. To ask again changes nothing, but wakes again, in case the first waking got lost. A connector
// that was stopped has no tasks; those that it gets afterwards are new ones, also where one had failed, as in Connect.
func (s *server) aim(ctx context.Context, c *call, target connector.TargetState, status int) (answer, error) {
	err := s.edit(ctx, c.name(), "Unknown connector %s", func(conn *connector.Connector) (bool, error) {
		changes := conn.Target != target
		if changes && conn.Target == connector.Stopped {
			newEpoch(conn)
		}
		conn.Target = target
		return changes, nil
	})
	return answer{status: status}, err
}
