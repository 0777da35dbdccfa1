package spannerdb

import (
	"context"
	"errors"
	"time"

	"sluice.example/shared/changestream"
	"sluice.example/shared/connectapi"
	"sluice.example/shared/connector"
)

// Checker is the part of a connector's validation that asks Spanner. It is safe for concurrent use; each check opens and
// closes a client of its own.
type Checker struct{ Options []Option }

var _ connectapi.Checker = Checker{}

// Check tells whether the change stream exists and can be read. It answers before ctx ends: what did not answer by then is a
// problem of the host. A credential is never repeated.
func (c Checker) Check(ctx context.Context, cfg connector.Settings) map[string][]string {
	ctx, cancel := early(ctx)
	defer cancel()
	d, err := Open(ctx, cfg, append([]Option{Channels(1)}, c.Options...)...)
	if err == nil {
		defer d.Close()
		_, err = d.lookUp(ctx, cfg.ChangeStream)
	}
	var p *Problem
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errAbsent):
		return map[string][]string{streamKey: {err.Error()}} // the peer's own sentence, as it is
	case errors.As(err, &p):
		return problem(p.Key, p.Text)
	case changestream.Transient(err):
		return problem(hostKeyOf(cfg), err.Error())
	}
	n := names{host: cfg.Host}
	if d != nil {
		n = d.name
	}
	return problem(hostKeyOf(cfg), "Spanner at "+n.where()+" did not answer in time")
}

// early ends a little before ctx does, so that the answer still reaches the one who asked.
func early(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithTimeout(ctx, patience)
	}
	return context.WithDeadline(ctx, end.Add(-time.Until(end)/10))
}

func problem(key, text string) map[string][]string {
	return map[string][]string{key: {"The '" + key + "' value is invalid: " + text}}
}

// hostKeyOf is the key to look at when the server cannot be reached.
func hostKeyOf(cfg connector.Settings) string {
	if cfg.EmulatorHost != "" {
		return emulatorKey
	}
	return hostKey
}
