package spannerdb

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice.example/shared/connector"
)

const secret = "s3cr3t-that-must-not-show"

// TestBadCredentialsAreNotRepeated also looks at what the whole check says.
func TestBadCredentialsAreNotRepeated(t *testing.T) {
	t.Setenv("SPANNER_EMULATOR_HOST", "")
	cfg := connector.Settings{Name: "c", Project: "proj-1", Instance: "inst", Database: "db", ChangeStream: "s1"}
	for name, text := range map[string]string{
		"no object":  `["` + secret + `"]`,
		"no JSON":    secret,
		"type":       `{"type":"` + secret + `"}`,
		"email":      `{"type":"service_account","private_key":"` + secret + `"}`,
		"key":        `{"type":"service_account","client_email":"a@b","private_key":"` + secret + `"}`,
		"broken key": `{"type":"service_account","client_email":"a@b","private_key":"-----BEGIN PRIVATE KEY-----\n` + secret + `\n-----END PRIVATE KEY-----\n"}`,
	} {
		file := filepath.Join(t.TempDir(), "key.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for key, cfg := range map[string]connector.Settings{
			jsonKey: func(c connector.Settings) connector.Settings { c.CredentialsJSON = text; return c }(cfg),
			pathKey: func(c connector.Settings) connector.Settings { c.CredentialsPath = file; return c }(cfg),
		} {
			_, err := Open(t.Context(), cfg)
			var p *Problem
			if !errors.As(err, &p) || p.Key != key || strings.Contains(p.Text, secret) {
				t.Errorf("%s of %s: %v", name, key, err)
			}
			found := Checker{}.Check(t.Context(), cfg)
			if len(found) != 1 || len(found[key]) != 1 || strings.Contains(found[key][0], secret) {
				t.Errorf("%s of %s: %v", name, key, found)
			}
		}
	}
	cfg.CredentialsPath = filepath.Join(t.TempDir(), "none")
	var p *Problem
	if _, err := Open(t.Context(), cfg); !errors.As(err, &p) || p.Key != pathKey || !strings.Contains(p.Text, "no such file") {
		t.Errorf("got %v", err)
	}
}

// TestGoodCredentialsOpen: opening needs no network.
func TestGoodCredentialsOpen(t *testing.T) {
	t.Setenv("SPANNER_EMULATOR_HOST", "")
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{"type": "service_account", "client_email": "a@b", "private_key_id": "1", "token_uri": "http://127.0.0.1:1/",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), connector.Settings{Name: "c", Project: "proj-1", Instance: "inst", Database: "db", CredentialsJSON: string(text), Host: "127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if !d.exact || d.name.credentials != jsonKey {
		t.Errorf("got exact %v, %+v", d.exact, d.name)
	}
	d.Close()
	d.Close()
	if _, err := d.Tables(t.Context(), "s1"); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
}
