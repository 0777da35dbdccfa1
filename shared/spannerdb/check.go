package spannerdb

import (
	"context"
	"errors"
	"strings"

	"cloud.google.com/go/spanner"
	"google.golang.org/grpc/codes"

	"sluice.example/shared/changestream"
	"sluice.example/shared/connectapi"
	"sluice.example/shared/connector"
)

// Checker is the part of a connector's validation that asks Spanner. It is safe for concurrent use; each check opens and
// closes a client.
type Checker struct{ Options []Option }

var _ connectapi.Checker = Checker{}

// Check tells whether the change stream exists and can be read, within ctx. Problems come by key.
func (c Checker) Check(ctx context.Context, cfg connector.Settings) map[string][]string {
	d, err := Open(ctx, cfg, c.Options...)
	if err == nil {
		defer d.Close()
		_, err = d.watched(ctx, cfg.ChangeStream)
	}
	if err == nil {
		return nil
	}
	key, words := place(cfg, err)
	return map[string][]string{key: {words}}
}

// place finds the key that an error belongs to, and words for the user.
func place(cfg connector.Settings, err error) (key, words string) {
	var p *Problem
	if errors.As(err, &p) {
		if p.Key == streamKey {
			return p.Key, p.Text // the peer's own sentence
		}
		return p.Key, p.Error()
	}
	words = err.Error()
	low := strings.ToLower(words)
	switch {
	case changestream.Transient(err) || errors.Is(err, context.DeadlineExceeded):
		key = "gcp.spanner.host"
		if cfg.Host == "" {
			key = "gcp.spanner.emulator.host"
		}
		if errors.Is(err, context.DeadlineExceeded) {
			words = "Spanner did not answer in time: " + words
		}
	case spanner.ErrCode(err) == codes.NotFound || strings.Contains(low, "not found"):
		switch {
		case strings.Contains(low, "instance not found"):
			key = "gcp.spanner.instance.id"
		case strings.Contains(low, "project not found"):
			key = "gcp.spanner.project.id"
		default:
			key = "gcp.spanner.database.id"
		}
	case strings.Contains(low, "credential"):
		key = "gcp.spanner.credentials.json"
	default:
		key = streamKey
	}
	return key, "The '" + key + "' value is invalid: " + words
}
