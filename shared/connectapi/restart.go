package connectapi

import (
	"context"
	"maps"
	"net/http"
	"strconv"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
)

// restart is POST /connectors/{c}/restart. There is no instance of a connector that could be restarted without its tasks:
// planning it again, which is what waking the scheduler does, is all. With includeTasks the tasks, or only those that
// failed, get a new epoch, by which their holders know. The answer shows as RESTARTING what will.
func (s *server) restart(ctx context.Context, c *call) (answer, error) {
	const unknown = "Unknown connector: %s"
	includeTasks, onlyFailed := c.flag("includeTasks"), c.flag("onlyFailed")
	if !includeTasks && !onlyFailed {
		err := s.edit(ctx, c.name(), unknown, func(*connector.Connector) (bool, error) { return false, nil })
		return answer{status: http.StatusNoContent}, err
	}
	var body statusBody
	err := s.edit(ctx, c.name(), unknown, func(conn *connector.Connector) (bool, error) {
		v, err := s.view(ctx, *conn)
		if err != nil {
			return false, err
		}
		body = v.status()
		if !onlyFailed || body.Connector.State == failedTask {
			body.Connector.State = restarting
		}
		if !includeTasks {
			return false, nil
		}
		if !onlyFailed {
			newEpoch(conn)
		}
		changes := !onlyFailed
		for i := range body.Tasks {
			t := &body.Tasks[i]
			if onlyFailed && t.State == failedTask {
				again(conn, v.slot(t.ID))
				changes = true
			}
			if !onlyFailed || t.State == failedTask {
				t.State = restarting
			}
		}
		return changes, nil
	})
	return answer{status: http.StatusAccepted, body: body}, err
}

// restartTask is POST /connectors/{c}/tasks/{t}/restart.
func (s *server) restartTask(ctx context.Context, c *call) (answer, error) {
	n, err := taskNumber(c)
	if err != nil {
		return answer{}, err
	}
	err = s.edit(ctx, c.name(), "Unknown connector: %s", func(conn *connector.Connector) (bool, error) {
		v, err := s.view(ctx, *conn)
		if err != nil {
			return false, err
		}
		if n >= v.taskCount() {
			return false, failf(http.StatusNotFound, "Unknown task: %s-%s", c.name(), c.params[1])
		}
		again(conn, v.slot(n))
		return true, nil
	})
	return answer{status: http.StatusNoContent}, err
}

// newEpoch restarts all tasks. It passes every restart of a single task, so that none of those hides it.
func newEpoch(c *connector.Connector) {
	for _, e := range c.Restarts {
		c.Epoch = max(c.Epoch, e)
	}
	c.Epoch++
	c.Restarts = nil
}

// again restarts one task: its epoch passes the one that its slot is in.
func again(c *connector.Connector, slot lease.Slot) {
	id := strconv.Itoa(slot.Number)
	restarts := maps.Clone(c.Restarts)
	if restarts == nil {
		restarts = map[string]int64{}
	}
	restarts[id] = max(c.EpochOf(id), slot.Epoch) + 1
	c.Restarts = restarts
}
