package kafka

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"sluice.example/shared/clock"
)

// GoogleToken is an access token of a Google principal.
type GoogleToken struct {
	Access    string
	Expiry    time.Time
	Principal string // e-mail address
}

// googleBearer dresses an access token as Managed Service for Apache Kafka wants it: three parts in base64url, of which
// the first says what it is and the second whose. A bare access token is refused by the brokers.
func googleBearer(ctx context.Context, source func(context.Context) (GoogleToken, error)) (string, time.Time, error) {
	t, err := source(ctx)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("get a Google access token for Kafka: %w", err)
	}
	if p := os.Getenv("GOOGLE_MANAGED_KAFKA_AUTH_PRINCIPAL"); p != "" {
		t.Principal = p
	}
	claims, err := json.Marshal(map[string]any{
		"exp": t.Expiry.Unix(), "iat": clock.System.Now().Unix(), "iss": "Google", "scope": "kafka", "sub": t.Principal,
	})
	if err != nil {
		return "", time.Time{}, fmt.Errorf("write claims for Kafka: %w", err)
	}
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"typ":"JWT","alg":"GOOG_OAUTH2_TOKEN"}`)) + "." + part(claims) + "." + part([]byte(t.Access)), t.Expiry, nil
}

// metadataServer asks the metadata server of Google's compute platforms, functions included.
type metadataServer struct{ client *http.Client }

func (m metadataServer) token(ctx context.Context) (GoogleToken, error) {
	var t GoogleToken
	req, err := m.request(ctx, "token")
	if err != nil {
		return t, err
	}
	if t.Access, t.Expiry, err = askToken(m.client, req); err != nil {
		return t, err
	}
	if req, err = m.request(ctx, "email"); err != nil {
		return t, err
	}
	resp, err := m.client.Do(req)
	if err != nil {
		return t, fmt.Errorf("ask for the service account: %w", err)
	}
	defer resp.Body.Close()
	email, err := io.ReadAll(io.LimitReader(resp.Body, 1<<12))
	if err != nil || resp.StatusCode != http.StatusOK {
		return t, fmt.Errorf("ask for the service account: answered %s", resp.Status)
	}
	t.Principal = strings.TrimSpace(string(email))
	return t, nil
}

func (m metadataServer) request(ctx context.Context, what string) (*http.Request, error) {
	host := os.Getenv("GCE_METADATA_HOST") // the variable that Google's own libraries read
	if host == "" {
		host = "metadata.google.internal"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/computeMetadata/v1/instance/service-accounts/default/"+what, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Metadata-Flavor", "Google")
	return req, nil
}
