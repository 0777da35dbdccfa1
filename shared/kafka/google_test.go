package kafka

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestMetadataServer is not parallel: the server's address is in the environment, as Google's libraries have it.
func TestMetadataServer(t *testing.T) {
	answers := map[string]string{"token": `{"access_token":"a","expires_in":600}`, "email": "sa@p.example\n"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		what, ok := strings.CutPrefix(r.URL.Path, "/computeMetadata/v1/instance/service-accounts/default/")
		if !ok || r.Header.Get("Metadata-Flavor") != "Google" || answers[what] == "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(answers[what]))
	}))
	defer server.Close()
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(server.URL, "http://"))
	m := metadataServer{client: server.Client()}
	got, err := m.token(t.Context())
	if left := time.Until(got.Expiry); err != nil || got.Access != "a" || got.Principal != "sa@p.example" || left < 590*time.Second || left > 600*time.Second {
		t.Errorf("%+v, %v", got, err)
	}
	t.Setenv("GOOGLE_MANAGED_KAFKA_AUTH_PRINCIPAL", "other@p.example")
	if token, _, err := googleBearer(t.Context(), m.token); err != nil || strings.Count(token, ".") != 2 {
		t.Errorf("%s, %v", token, err)
	}
	for _, missing := range []string{"email", "token"} {
		delete(answers, missing)
		if _, _, err := googleBearer(t.Context(), m.token); err == nil || !strings.Contains(err.Error(), "404") {
			t.Errorf("without %s: %v", missing, err)
		}
	}
	server.Client().CloseIdleConnections()
}
