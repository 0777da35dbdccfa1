package spannerdb_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice.example/shared/connector"
	"sluice.example/shared/spannerdb"
)

const (
	canary = "CANARY-PRIVATE-KEY"
	broken = "CANARY2"
)

// nowhere is where nobody listens.
const nowhere = "127.0.0.1:1"

// TestCheckTellsWhatIsWrong: one message, on the key at fault, in time, and no secret in it (SE-01).
func TestCheckTellsWhatIsWrong(t *testing.T) {
	t.Setenv("SPANNER_EMULATOR_HOST", "")
	file := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(file, []byte("{bad "+broken), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		set func(*connector.Settings)
		key string
	}{
		"unreachable emulator": {func(s *connector.Settings) { s.EmulatorHost = nowhere }, "gcp.spanner.emulator.host"},
		"unreachable host":     {func(s *connector.Settings) { s.Host, s.CredentialsJSON = nowhere, useless(t) }, "gcp.spanner.host"},
		"broken JSON":          {func(s *connector.Settings) { s.CredentialsJSON = "{bad " + broken }, "gcp.spanner.credentials.json"},
		"not credentials":      {func(s *connector.Settings) { s.CredentialsJSON = `{"type":"` + canary + `"}` }, "gcp.spanner.credentials.json"},
		"no private key": {func(s *connector.Settings) {
			s.CredentialsJSON = `{"type":"service_account","client_email":"a@b","private_key":"` + canary + `","token_uri":"http://` + nowhere + `"}`
		}, "gcp.spanner.credentials.json"},
		"broken file": {func(s *connector.Settings) { s.CredentialsPath = file }, "gcp.spanner.credentials.path"},
		"no file":     {func(s *connector.Settings) { s.CredentialsPath = file + "x" }, "gcp.spanner.credentials.path"},
	} {
		t.Run(name, func(t *testing.T) {
			const limit = 3 * time.Second
			cfg := connector.Settings{Name: "c", Project: "p", Instance: "i", Database: "d", ChangeStream: "S"}
			c.set(&cfg)
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			begun := time.Now()
			found := spannerdb.Checker{}.Check(ctx, cfg)
			if took := time.Since(begun); took > limit+time.Second {
				t.Errorf("took %v", took)
			}
			if len(found) != 1 || len(found[c.key]) != 1 {
				t.Fatalf("%q, want one message on %s", found, c.key)
			}
			text := found[c.key][0]
			t.Log(text)
			if !strings.Contains(text, c.key) || strings.HasPrefix(name, "unreachable") && !strings.Contains(text, nowhere) {
				t.Errorf("the message does not say enough: %s", text)
			}
			for _, secret := range []string{canary, broken, cfg.CredentialsJSON} {
				if secret != "" && strings.Contains(text, secret) {
					t.Errorf("the message repeats a secret: %s", text)
				}
			}
		})
	}
}

// useless are credentials in good order that nobody knows, and that carry the canary.
func useless(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "nobody@example.test", "private_key_id": canary,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": "http://" + nowhere + "/token",
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
