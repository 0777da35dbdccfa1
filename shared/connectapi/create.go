package connectapi

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
)

// create is POST /connectors. The order of checks is the peer's: an invalid duplicate is 400 and not 409.
func (s *server) create(ctx context.Context, c *call) (answer, error) {
	name, cfg, target, err := creation(c)
	if err != nil {
		return answer{}, err
	}
	if cfg, err = s.unmasked(cfg, nil); err != nil {
		return answer{}, err
	}
	if err := s.approve(ctx, cfg); err != nil {
		return answer{}, err
	}
	conn := s.born(name, cfg, target)
	switch err := s.put(ctx, &conn); {
	case errors.Is(err, lease.ErrConflict):
		return answer{}, failf(http.StatusConflict, "Connector %s already exists", name)
	case err != nil:
		return answer{}, err
	}
	return s.created(ctx, c, conn)
}

// creation reads the body of POST /connectors.
func creation(c *call) (name string, cfg map[string]string, target connector.TargetState, err error) {
	members, err := c.object()
	if err != nil {
		return "", nil, "", err
	}
	target = connector.Started
	for member, raw := range members {
		switch member {
		case "name", "initial_state":
			text, _, isScalar := scalar(raw)
			if !isScalar {
				return "", nil, "", failf(http.StatusBadRequest, "%s must be a string", member)
			}
			if member == "name" {
				name = strings.TrimSpace(text)
			} else if target, err = initialState(text); err != nil {
				return "", nil, "", err
			}
		case "config":
			if cfg, err = fullConfig(raw, "config"); err != nil {
				return "", nil, "", err
			}
		default:
			return "", nil, "", failf(http.StatusBadRequest, "Unrecognized field %q, not one of name, config, initial_state", member)
		}
	}
	if cfg == nil {
		return "", nil, "", failf(http.StatusBadRequest, "config is missing")
	}
	return name, cfg, target, named(cfg, name)
}

func initialState(text string) (connector.TargetState, error) {
	switch strings.ToUpper(text) {
	case "", "RUNNING":
		return connector.Started, nil
	case "PAUSED":
		return connector.Paused, nil
	case "STOPPED":
		return connector.Stopped, nil
	default:
		return "", failf(http.StatusBadRequest, "initial_state must be one of RUNNING, PAUSED, STOPPED")
	}
}

// named makes the configuration carry the name, and refuses one that carries another (RE-15).
func named(cfg map[string]string, name string) error {
	if given, ok := cfg["name"]; ok && given != name {
		return failf(http.StatusBadRequest, "Connector name configuration (%s) doesn't match connector name in the URL (%s)", given, name)
	}
	cfg["name"] = name
	return nil
}

func (s *server) born(name string, cfg map[string]string, target connector.TargetState) connector.Connector {
	return connector.Connector{
		Name: name, Config: cfg, Target: target, Life: rand.Text(), Epoch: 1, Generation: 1, CreatedAt: s.Clock.Now().UTC(),
	}
}

// created is the answer to a creation. A connector just born has no tasks, so nothing is read for it.
func (s *server) created(ctx context.Context, c *call, conn connector.Connector) (answer, error) {
	s.changed(conn.Name)
	s.warnOfSharedTopics(ctx, conn.Name)
	s.Logger.Info("connector created", "connector", conn.Name, "target", string(conn.Target))
	return answer{
		status: http.StatusCreated, location: c.base() + "/connectors/" + url.PathEscape(conn.Name),
		body: s.infoOf(view{connector: conn, worker: s.WorkerID}),
	}, nil
}

// warnOfSharedTopics: a connector a with a table b.t, and a connector a.b with a table t, write one topic (SK-09). Tables
// are not known here, so it is no reason to refuse, but it must not go unseen.
func (s *server) warnOfSharedTopics(ctx context.Context, name string) {
	all, err := s.Store.Connectors(ctx)
	if err != nil {
		return // the connector is created; this was only a look around
	}
	for i := range all {
		if other := all[i].Name; strings.HasPrefix(other, name+".") || strings.HasPrefix(name, other+".") {
			s.Logger.Warn("two connectors can come to share topics: one's name continues the other's", "connector", name, "other", other, "topics", max(name, other)+".*")
		}
	}
}
