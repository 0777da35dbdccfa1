package connectapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
)

// attempts is how often a change is tried on what others have written meanwhile. Each failure means that somebody else
// succeeded, so that many in a row are a fight that the client should know of.
const attempts = 6

// edit changes a stored connector, again and again until nobody else wrote it in between. change tells whether there is
// anything to write; it may be called several times.
func (s *server) edit(ctx context.Context, name, notFound string, change func(*connector.Connector) (bool, error)) error {
	for range attempts {
		conn, err := s.find(ctx, name, notFound)
		if err != nil {
			return err
		}
		changes, err := change(&conn)
		if err != nil {
			return err
		}
		if changes {
			err = s.put(ctx, &conn)
		}
		switch {
		case errors.Is(err, lease.ErrConflict):
			continue
		case err != nil:
			return err
		}
		s.changed(name)
		return nil
	}
	return errBusy
}

// put writes a connector. A new one that was refused may be our own: an answer can get lost and the store's client then
// asks twice. Its life tells.
func (s *server) put(ctx context.Context, c *connector.Connector) error {
	err := s.Store.PutConnector(ctx, c)
	if err == nil || !errors.Is(err, lease.ErrConflict) || !c.Version.IsZero() {
		return wrap("write connector", err)
	}
	stored, readErr := s.Store.Connector(ctx, c.Name)
	if readErr != nil {
		return wrap("read connector", readErr)
	}
	if stored.Life != c.Life {
		return wrap("write connector", err)
	}
	*c = stored
	return nil
}

// wrap names the step that failed; nil stays nil.
func wrap(step string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", step, err)
}

// remove is DELETE /connectors/{c}. Offsets survive it, as in Connect.
func (s *server) remove(ctx context.Context, c *call) (answer, error) {
	for range attempts {
		conn, err := s.find(ctx, c.name(), connectorNotFound)
		if err != nil {
			return answer{}, err
		}
		err = s.Store.DeleteConnector(ctx, &conn)
		switch {
		case errors.Is(err, lease.ErrConflict):
			continue
		case err != nil:
			return answer{}, wrap("delete connector", err)
		}
		s.changed(c.name())
		s.Logger.Info("connector deleted", "connector", c.name())
		return answer{status: http.StatusNoContent}, nil
	}
	return answer{}, errBusy
}
