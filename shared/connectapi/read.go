package connectapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"sluice.example/shared/connector"
)

// infoBody is a connector as answers show it.
type infoBody struct {
	Name   string            `json:"name"`
	Config map[string]string `json:"config"`
	Tasks  []taskID          `json:"tasks"`
	Type   connectorType     `json:"type"`
}

type taskID struct {
	Connector string `json:"connector"`
	Task      int    `json:"task"`
}

// load reads a connector; an empty Name says that there is none. A name that no connector can have is not looked up:
// stores have rules of their own for ids, and a request must not find out about them.
func (s *server) load(ctx context.Context, name string) (connector.Connector, error) {
	if !connector.ValidName(name) {
		return connector.Connector{}, nil
	}
	c, err := s.Store.Connector(ctx, name)
	return c, wrap("read connector", err)
}

// find reads a connector; notFound, with the name, is the 404 of the endpoint that asks, for each has its own words.
func (s *server) find(ctx context.Context, name, notFound string) (connector.Connector, error) {
	c, err := s.load(ctx, name)
	if err != nil {
		return c, err
	}
	if c.Name == "" {
		return c, failf(http.StatusNotFound, notFound, name)
	}
	return c, nil
}

func (s *server) view(ctx context.Context, c connector.Connector) (view, error) {
	plan, slots, err := s.Store.Tasks(ctx, c.Name)
	if err != nil {
		return view{}, fmt.Errorf("read tasks: %w", err)
	}
	return view{connector: c, plan: plan, slots: slots, worker: s.WorkerID}, nil
}

func (s *server) look(ctx context.Context, name, notFound string) (view, error) {
	c, err := s.find(ctx, name, notFound)
	if err != nil {
		return view{}, err
	}
	return s.view(ctx, c)
}

func (s *server) infoOf(v view) infoBody {
	body := infoBody{Name: v.connector.Name, Config: s.shown(v.connector.Config), Tasks: []taskID{}, Type: source}
	for n := range v.taskCount() {
		body.Tasks = append(body.Tasks, taskID{v.connector.Name, n})
	}
	return body
}

// shown is a configuration as answers may show it. The stored map is never handed on.
func (s *server) shown(cfg map[string]string) map[string]string {
	if s.Worker.MaskSecrets() {
		return connector.Masked(cfg)
	}
	out := make(map[string]string, len(cfg))
	for k, v := range cfg {
		out[k] = v
	}
	return out
}

const connectorNotFound = "Connector %s not found"

func (s *server) info(ctx context.Context, c *call) (answer, error) {
	v, err := s.look(ctx, c.name(), connectorNotFound)
	if err != nil {
		return answer{}, err
	}
	return ok(s.infoOf(v)), nil
}

func (s *server) config(ctx context.Context, c *call) (answer, error) {
	found, err := s.find(ctx, c.name(), connectorNotFound)
	if err != nil {
		return answer{}, err
	}
	return ok(s.shown(found.Config)), nil
}

func (s *server) status(ctx context.Context, c *call) (answer, error) {
	v, err := s.look(ctx, c.name(), "No status found for connector %s")
	if err != nil {
		return answer{}, err
	}
	return ok(v.status()), nil
}

// tasks is GET /connectors/{c}/tasks. Each task has the configuration of its connector and the name of the task's class.
func (s *server) tasks(ctx context.Context, c *call) (answer, error) {
	v, err := s.look(ctx, c.name(), connectorNotFound)
	if err != nil {
		return answer{}, err
	}
	type entry struct {
		ID     taskID            `json:"id"`
		Config map[string]string `json:"config"`
	}
	cfg := s.shown(v.connector.Config)
	cfg["task.class"] = connector.TaskClassName
	body := []entry{}
	for n := range v.taskCount() {
		body = append(body, entry{taskID{c.name(), n}, cfg})
	}
	return ok(body), nil
}

func (s *server) taskStatus(ctx context.Context, c *call) (answer, error) {
	n, err := taskNumber(c)
	if err != nil {
		return answer{}, err
	}
	v, err := s.look(ctx, c.name(), "No status found for task %s-"+c.params[1])
	if err != nil {
		return answer{}, err
	}
	if n >= v.taskCount() {
		return answer{}, failf(http.StatusNotFound, "No status found for task %s-%d", c.name(), n)
	}
	return ok(v.task(n)), nil
}

// taskNumber reads the task of a path. What is not a number is a path that does not exist; a negative number is a task
// that does not.
func taskNumber(c *call) (int, error) {
	n, err := strconv.ParseInt(c.params[1], 10, 32)
	if err != nil {
		return 0, routerFailure(http.StatusNotFound)
	}
	if n < 0 {
		return 1 << 31, nil
	}
	return int(n), nil
}
