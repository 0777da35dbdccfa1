package readertest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice.example/shared/connector"
	"sluice.example/shared/spannerdb"
)

// check holds the check of a configuration to one message, on the key at fault.
func check(t *testing.T, s Server) {
	db, _ := simple(t, s)
	for name, c := range map[string]struct {
		change func(*connector.Settings)
		key    string
		says   string
	}{
		"right":    {func(*connector.Settings) {}, "", ""},
		"stream":   {func(c *connector.Settings) { c.ChangeStream = "Nowhere" }, "gcp.spanner.change.stream", "Nowhere"},
		"database": {func(c *connector.Settings) { c.Database = "nowhere" }, "gcp.spanner.database.id", "nowhere"},
		"instance": {func(c *connector.Settings) { c.Instance = "nowhere" }, "gcp.spanner.instance.id", "nowhere"},
	} {
		cfg := db.Settings
		cfg.ChangeStream = "S"
		c.change(&cfg)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		found := spannerdb.Checker{Options: db.Options}.Check(ctx, cfg)
		cancel()
		keys := slices.Collect(maps.Keys(found))
		if c.key == "" {
			if len(found) > 0 {
				t.Errorf("%s: %q", name, found)
			}
			continue
		}
		if len(keys) != 1 || keys[0] != c.key || len(found[c.key]) != 1 || !strings.Contains(found[c.key][0], c.says) {
			t.Errorf("%s: %q, want one message on %s that names %q", name, found, c.key, c.says)
		}
	}
}
