package connectapi

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
)

// unmasked puts stored secrets back where the client sent the mask it was shown (SE-03).
func (s *server) unmasked(cfg, stored map[string]string) (map[string]string, error) {
	if !s.Worker.MaskSecrets() {
		return cfg, nil
	}
	full, missing := connector.Unmasked(cfg, stored)
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, failf(http.StatusBadRequest, "The value %s of %s stands for a stored secret, and none is stored", connector.Mask, strings.Join(missing, ", "))
	}
	return full, nil
}

// putConfig is PUT /connectors/{c}/config: it creates or replaces. The configuration that is there already changes
// nothing, not even when it would not be accepted today (RE-21).
func (s *server) putConfig(ctx context.Context, c *call) (answer, error) {
	cfg, err := fullConfig(c.body, "The body")
	if err != nil {
		return answer{}, err
	}
	if err := named(cfg, c.name()); err != nil {
		return answer{}, err
	}
	return s.replace(ctx, c, func(old connector.Connector) (map[string]string, error) { return s.unmasked(cfg, old.Config) })
}

// patchConfig is PATCH /connectors/{c}/config: null takes a key away. A patch that changes the name is refused.
func (s *server) patchConfig(ctx context.Context, c *call) (answer, error) {
	patch, nulls, err := configMap(c.body, "The body")
	if err != nil {
		return answer{}, err
	}
	return s.replace(ctx, c, func(old connector.Connector) (map[string]string, error) {
		if old.Name == "" {
			return nil, failf(http.StatusNotFound, connectorNotFound, c.name())
		}
		cfg := maps.Clone(old.Config)
		maps.Copy(cfg, patch)
		for _, key := range nulls {
			delete(cfg, key)
		}
		if err := named(cfg, c.name()); err != nil {
			return nil, err
		}
		return s.unmasked(cfg, old.Config)
	})
}

// replace makes next of the stored configuration (of a nameless connector: of none) the stored one.
func (s *server) replace(ctx context.Context, c *call, next func(old connector.Connector) (map[string]string, error)) (answer, error) {
	var approved map[string]string
	for range attempts {
		conn, err := s.load(ctx, c.name())
		if err != nil {
			return answer{}, err
		}
		cfg, err := next(conn)
		if err != nil {
			return answer{}, err
		}
		exists := conn.Name != ""
		if exists && maps.Equal(cfg, conn.Config) {
			return s.describe(ctx, conn)
		}
		if approved == nil || !maps.Equal(approved, cfg) {
			if err := s.approve(ctx, cfg); err != nil {
				return answer{}, err
			}
			approved = cfg
		}
		if exists {
			conn.Config = cfg
			conn.Generation++
			newEpoch(&conn)
		} else {
			conn = s.born(c.name(), cfg, connector.Started)
		}
		switch err := s.put(ctx, &conn); {
		case errors.Is(err, lease.ErrConflict):
			continue
		case err != nil:
			return answer{}, err
		case !exists:
			return s.created(ctx, c, conn)
		}
		s.changed(conn.Name)
		s.Logger.Info("connector configuration changed", "connector", conn.Name, "generation", conn.Generation)
		return s.describe(ctx, conn)
	}
	return answer{}, errBusy
}

func (s *server) describe(ctx context.Context, c connector.Connector) (answer, error) {
	v, err := s.view(ctx, c)
	if err != nil {
		return answer{}, err
	}
	return ok(s.infoOf(v)), nil
}
