package kafka

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
)

func TestJAAS(t *testing.T) {
	t.Parallel()
	got, err := parseJAAS("org.apache.kafka.common.security.plain.PlainLoginModule required\n username=\"u=1\" password='a \\'b;' extension_x=\"y\" ;")
	want := map[string]string{"username": "u=1", "password": "a 'b;", "extension_x": "y"}
	if d := cmp.Diff(want, got.options); d != "" || err != nil || !strings.HasSuffix(got.module, "PlainLoginModule") {
		t.Error(d, err, got.module)
	}
	for _, bad := range []string{`a`, `a;`, `a required`, `a b c="secret";`, `a required secret;`, `a required x="secret;`, `a required x="1"; b required y="secret";`} {
		if _, err := parseJAAS(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if j, err := parseJAAS(" "); err != nil || len(j.options) != 0 {
		t.Error(j, err)
	}
}

func TestMechanisms(t *testing.T) {
	t.Parallel()
	login := `x.Y required username="u" password="p";`
	for _, c := range []struct{ mechanism, jaas, more, value, err string }{
		{"PLAIN", login, "", "", ""}, {"SCRAM-SHA-256", login, "", "", ""}, {"scram-sha-512", login, "", "", ""},
		{"AWS_MSK_IAM", `software.amazon.msk.auth.iam.IAMLoginModule required;`, "", "", ""},
		{"OAUTHBEARER", "", "sasl.login.callback.handler.class", "com.google.cloud.hosted.kafka.auth.GcpLoginCallbackHandler", ""},
		{"OAUTHBEARER", `x.Y required clientId="a" clientSecret="b";`, "sasl.oauthbearer.token.endpoint.url", "https://idp.example/token", ""},
		{"OAUTHBEARER", "", "sasl.oauthbearer.token.endpoint.url", "file:///token", ""},
		{"OAUTHBEARER", "", "sasl.oauthbearer.token.endpoint.url", "https://idp.example/token", "clientId"},
		{"OAUTHBEARER", "", "sasl.oauthbearer.token.endpoint.url", "gopher://x", "sasl.oauthbearer.token.endpoint.url"},
		{"OAUTHBEARER", "", "sasl.login.callback.handler.class", "a.IAMOAuthBearerLoginCallbackHandler", "AWS_MSK_IAM"},
		{"OAUTHBEARER", "", "sasl.login.callback.handler.class", "a.Mine", "sasl.login.callback.handler.class"},
		{"OAUTHBEARER", "", "", "", "sasl.oauthbearer.token.endpoint.url"},
		{"PLAIN", "", "", "", "sasl.jaas.config"}, {"PLAIN", "x", "", "", "sasl.jaas.config"},
		{"GSSAPI", login, "", "", "sasl.mechanism"}, {"", login, "", "", "GSSAPI"},
	} {
		_, err := New(with(nil, "security.protocol", "SASL_SSL", "sasl.mechanism", c.mechanism, "sasl.jaas.config", c.jaas, c.more, c.value), Options{})
		if (c.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestCredentialsOfAWSAreReadEachTime(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	auth := awsFromEnvironment(func(name string) string { return env[name] })
	if _, err := auth(t.Context()); err == nil || !strings.Contains(err.Error(), "AWS_SECRET_ACCESS_KEY") {
		t.Errorf("without credentials: %v", err)
	}
	for _, v := range []string{"1", "2"} {
		env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"], env["AWS_SESSION_TOKEN"] = "a"+v, "s"+v, "t"+v
		if a, err := auth(t.Context()); err != nil || a.AccessKey != "a"+v || a.SecretKey != "s"+v || a.SessionToken != "t"+v {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

func TestGoogleToken(t *testing.T) {
	t.Parallel()
	asked := 0
	end := time.Now().Add(time.Hour).Truncate(time.Second)
	k := &Kafka{opt: Options{GoogleToken: func(context.Context) (GoogleToken, error) {
		asked++
		return GoogleToken{Access: "access", Expiry: end, Principal: "sa@p.example"}, nil
	}}}
	tokens, err := k.bearer(map[string]string{"sasl.login.callback.handler.class": "a.GcpLoginCallbackHandler"}, jaas{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		got, err := tokens(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(got.Token, ".")
		if len(parts) != 3 {
			t.Fatalf("token %s", got.Token)
		}
		var text []string
		for _, p := range parts {
			b, err := base64.RawURLEncoding.DecodeString(p)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, string(b))
		}
		if text[0] != `{"typ":"JWT","alg":"GOOG_OAUTH2_TOKEN"}` || !strings.Contains(text[1], `"sub":"sa@p.example"`) || !strings.Contains(text[1], `"scope":"kafka"`) || text[2] != "access" {
			t.Errorf("token parts %q", text)
		}
	}
	if asked != 1 {
		t.Errorf("asked for a token %d times", asked)
	}
}

func TestClientCredentials(t *testing.T) {
	t.Parallel()
	asked := 0
	idp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		id, secret, _ := r.BasicAuth()
		if err := r.ParseForm(); err != nil || r.Form.Get("grant_type") != "client_credentials" || r.Form.Get("scope") != "kafka" {
			t.Errorf("form %v, %v", r.Form, err)
		}
		if secret != url.QueryEscape("s/1") {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":"invalid_client","error_description":"` + secret + `"}`))
			return
		}
		_, _ = w.Write([]byte(`{"access_token":"t-` + id + `","expires_in":3600}`))
	}))
	defer idp.Close()
	k := &Kafka{opt: Options{HTTP: idp.Client()}}
	settings := map[string]string{"sasl.oauthbearer.token.endpoint.url": idp.URL, "sasl.oauthbearer.scope": "kafka"}
	tokens, err := k.bearer(settings, jaas{options: map[string]string{"clientId": "me", "clientSecret": "s/1", "extension_pool": "p1"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := tokens(t.Context()); err != nil || got.Token != "t-me" || got.Extensions["pool"] != "p1" {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	tokens, err = k.bearer(settings, jaas{options: map[string]string{"clientId": "me", "clientSecret": "wrong"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokens(t.Context()); err == nil || !strings.Contains(err.Error(), "invalid_client") || strings.Contains(err.Error(), "wrong") {
		t.Errorf("refused: %v", err)
	}
	idp.Client().CloseIdleConnections()
}

// authority is a certificate for localhost that signs itself, and its key, in PEM.
func authority(t *testing.T, host string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
}

// TestSecureLogin goes through TLS in both directions and each password mechanism.
func TestSecureLogin(t *testing.T) {
	t.Parallel()
	const elsewhere = "broker.example"
	cert, key := authority(t, elsewhere)
	file := filepath.Join(t.TempDir(), "both.pem")
	if err := os.WriteFile(file, []byte(key+cert), 0o600); err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM([]byte(cert))
	b, _ := fake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "u", "p"), kfake.Superuser("SCRAM-SHA-256", "u", "p"), kfake.Superuser("SCRAM-SHA-512", "u", "p"),
		kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert}))
	base := []string{"security.protocol", "SASL_SSL", "ssl.truststore.type", "PEM", "ssl.truststore.certificates", cert, "sasl.jaas.config", `x.Y required username="u" password="p";`}
	inline := append(base, "ssl.keystore.type", "PEM", "ssl.keystore.certificate.chain", cert, "ssl.keystore.key", key, "ssl.endpoint.identification.algorithm", "")
	fromFile := append(base, "ssl.keystore.type", "PEM", "ssl.keystore.location", file, "ssl.endpoint.identification.algorithm", "", "ssl.enabled.protocols", "TLSv1.3")
	for i, settings := range [][]string{inline, fromFile} {
		for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
			k := b.kafka(t, append(settings, "sasl.mechanism", mechanism)...)
			if err := k.Ping(limited(t)); err != nil {
				t.Errorf("%d %s: %v", i, mechanism, err)
			}
		}
	}
	named := b.kafka(t, append(append([]string{}, inline...), "sasl.mechanism", "PLAIN", "ssl.endpoint.identification.algorithm", "https")...)
	if err := named.Ping(limited(t)); err == nil || !strings.Contains(err.Error(), "x509") {
		t.Errorf("a certificate for another name: %v", err)
	}
	other, _ := authority(t, elsewhere)
	if err := b.kafka(t, append(append([]string{}, inline...), "sasl.mechanism", "PLAIN", "ssl.truststore.certificates", other)...).Ping(limited(t)); err == nil {
		t.Error("an unknown authority was trusted")
	}
	wrong := b.kafka(t, append(append([]string{}, inline...), "sasl.mechanism", "PLAIN", "sasl.jaas.config", `x.Y required username="u" password="wrong";`)...)
	short, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond) // the fake hangs up where a broker says why
	defer cancel()
	if err := wrong.Ping(short); err == nil || strings.Contains(err.Error(), "wrong") {
		t.Errorf("a wrong password: %v", err)
	}
	err = (&cluster{bootstrap: "b:1"}).explain("ask", kerr.SaslAuthenticationFailed)
	if !strings.Contains(err.Error(), "sasl.jaas.config") || !strings.Contains(err.Error(), "b:1") {
		t.Errorf("a refused login: %v", err)
	}
}

func TestBadStores(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kv   []string
		want string
	}{
		{[]string{"ssl.truststore.location", "/x.jks"}, "PEM"},
		{[]string{"ssl.truststore.location", "/x.p12", "ssl.truststore.type", "PKCS12"}, "ssl.truststore.type"},
		{[]string{"ssl.truststore.location", "/no/such.pem", "ssl.truststore.type", "PEM"}, "ssl.truststore.location"},
		{[]string{"ssl.truststore.certificates", "x", "ssl.truststore.type", "PEM"}, "ssl.truststore"},
		{[]string{"ssl.keystore.certificate.chain", "x", "ssl.keystore.key", "y", "ssl.keystore.type", "PEM"}, "ssl.keystore"},
		{[]string{"ssl.keystore.certificate.chain", "x", "ssl.keystore.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----", "ssl.keystore.type", "PEM"}, "encrypted"},
		{[]string{"ssl.enabled.protocols", "TLSv1.1"}, "ssl.enabled.protocols"},
		{[]string{"ssl.endpoint.identification.algorithm", "ldap"}, "ssl.endpoint.identification.algorithm"},
	} {
		_, err := New(with(map[string]string{"security.protocol": "SSL"}, c.kv...), Options{Logger: slog.New(slog.DiscardHandler)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.kv, err)
		}
	}
}
