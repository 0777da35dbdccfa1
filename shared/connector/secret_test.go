package connector_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice.example/shared/connector"
)

func TestSE03Masking(t *testing.T) {
	t.Parallel()
	cfg := map[string]string{
		"name": "c1", "gcp.spanner.credentials.json": `{"k":1}`, "producer.override.sasl.jaas.config": "${file:/x:y}",
		"value.converter.basic.auth.user.info": "u:${env:P}", "ssl.key.password": "", "gcp.spanner.credentials.path": "/x",
	}
	shown := connector.Masked(cfg)
	want := map[string]string{
		"name": "c1", "gcp.spanner.credentials.json": connector.Mask, "producer.override.sasl.jaas.config": "${file:/x:y}",
		"value.converter.basic.auth.user.info": connector.Mask, "ssl.key.password": "", "gcp.spanner.credentials.path": "/x",
	}
	if d := cmp.Diff(want, shown); d != "" {
		t.Error(d)
	}
	back, missing := connector.Unmasked(shown, cfg)
	if d := cmp.Diff(cfg, back); d != "" || len(missing) > 0 {
		t.Errorf("what was shown, sent back, is not what was stored: %s %v", d, missing)
	}
	if _, missing = connector.Unmasked(shown, nil); len(missing) != 2 {
		t.Errorf("a mask with nothing stored: %v", missing)
	}
	for value, want := range map[string]bool{"": true, "true": true, "FALSE": false, "x": true} {
		if got := (connector.Worker{Properties: map[string]string{"sluice.mask.secrets": value}}).MaskSecrets(); got != want {
			t.Errorf("sluice.mask.secrets=%q: %v", value, got)
		}
	}
}
