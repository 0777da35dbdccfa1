package kafka

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
)

// way is how one client reaches the brokers.
type way struct {
	bootstrap string
	seeds     []string
	clientID  string
	tls       *tls.Config    // nil: plaintext
	sasl      sasl.Mechanism // nil: none
	dial      time.Duration  // how long one connection may take to open
	request   time.Duration  // how long one request may take on one connection
	idle      time.Duration  // a connection idle for longer is not used again
	age       time.Duration  // of metadata
	backoff   func(int) time.Duration
}

// How long things may take when nobody says otherwise. Java's defaults are longer, and made for processes that live long;
// a function that finds its connections dead after a thaw (FN-01) must notice and come back within its slice. An idle
// connection is given up before firewalls and frozen sandboxes make it a trap (FN-10).
const (
	dialTimeout    = 3 * time.Second
	requestTimeout = 7 * time.Second
	idleTimeout    = 30 * time.Second
	metadataAge    = 5 * time.Minute

	// giveUpAfter is when a failing request is not begun again. A client that comes back from a hole may have two dead
	// connections to find out about, each half a request timeout, before it dials; and the client library tries the first
	// request of a new connection twice. With these numbers an error comes within 15 s whatever it is (TestNobodyAnswers).
	giveUpAfter = 9 * time.Second
)

// way reads the settings that say how to reach the brokers.
func (k *Kafka) way(values map[string]string) (*way, error) {
	w := &way{bootstrap: values["bootstrap.servers"], clientID: values["client.id"], dial: dialTimeout, request: requestTimeout, idle: idleTimeout, age: metadataAge}
	if w.bootstrap == "" {
		w.bootstrap = "localhost:9092" // Connect's default
	}
	if w.seeds = list(w.bootstrap); len(w.seeds) == 0 {
		return nil, fmt.Errorf("%s is %q: a list of host:port is expected", written(values, "bootstrap.servers"), w.bootstrap)
	}
	for _, seed := range w.seeds {
		if _, _, err := net.SplitHostPort(seed); err != nil {
			return nil, fmt.Errorf("%s is %q: %q is not host:port", written(values, "bootstrap.servers"), w.bootstrap, seed)
		}
	}
	w.bootstrap = strings.Join(w.seeds, ",")
	if err := w.times(values); err != nil {
		return nil, err
	}
	secure, login, err := protocol(values)
	if err != nil {
		return nil, err
	}
	if secure {
		if w.tls, err = tlsConfig(values); err != nil {
			return nil, err
		}
	}
	if login {
		if w.sasl, err = k.mechanism(values); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *way) times(values map[string]string) error {
	r := numbers{values: values}
	r.millis("socket.connection.setup.timeout.ms", &w.dial, 100*time.Millisecond, time.Minute)
	r.millis("request.timeout.ms", &w.request, 200*time.Millisecond, 15*time.Minute)
	r.millis("connections.max.idle.ms", &w.idle, 100*time.Millisecond, 15*time.Minute)
	r.millis("metadata.max.age.ms", &w.age, time.Second, time.Hour)
	first, most := 100*time.Millisecond, time.Second
	r.millis("retry.backoff.ms", &first, time.Millisecond, time.Minute)
	r.millis("retry.backoff.max.ms", &most, time.Millisecond, time.Minute)
	w.backoff = backoff(first, max(first, most))
	return r.err
}

// backoff doubles from first up to most, as Java's clients do (KIP-580), without their jitter: one slot has one client.
func backoff(first, most time.Duration) func(int) time.Duration {
	return func(tries int) time.Duration {
		d := first
		for i := 1; i < tries && d < most; i++ {
			d *= 2
		}
		return min(d, most)
	}
}

// protocol is what security.protocol asks for: TLS, and a login.
func protocol(values map[string]string) (secure, login bool, err error) {
	switch p := strings.ToUpper(values["security.protocol"]); p {
	case "", "PLAINTEXT":
		return false, false, nil
	case "SSL":
		return true, false, nil
	case "SASL_PLAINTEXT":
		return false, true, nil
	case "SASL_SSL":
		return true, true, nil
	default:
		return false, false, fmt.Errorf("%s is %q: one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL", written(values, "security.protocol"), values["security.protocol"])
	}
}

// options are the client options that a way stands for.
func (w *way) options(k *Kafka) []kgo.Opt {
	opts := []kgo.Opt{
		kgo.SeedBrokers(w.seeds...),
		kgo.Dialer(w.dialer(k.opt.Dialer)),
		kgo.WithLogger(clientLog{k.log}),
		kgo.RequestTimeoutOverhead(w.request / 2),
		kgo.ProduceRequestTimeout(w.request / 2), // the overhead is added to it
		kgo.RetryTimeout(giveUpAfter),
		kgo.RetryBackoffFn(w.backoff),
		kgo.ConnIdleTimeout(w.idle),
		kgo.MetadataMaxAge(w.age),
		kgo.MetadataMinAge(100 * time.Millisecond),
		kgo.UnknownTopicRetries(10), // a topic just made is not known to every broker at once
		kgo.DisableClientMetrics(),  // KIP-714: nothing for clients that live for seconds
		kgo.SoftwareNameAndVersion("sluice", "1"),
	}
	switch {
	case w.clientID != "":
		opts = append(opts, kgo.ClientID(w.clientID))
	case k.worker["group.id"] != "":
		opts = append(opts, kgo.ClientID(k.worker["group.id"]+"-shared-admin")) // as Connect names the like
	default:
		opts = append(opts, kgo.ClientID("sluice"))
	}
	if w.sasl != nil {
		opts = append(opts, kgo.SASL(w.sasl))
	}
	return opts
}

// dialer opens a connection within the dial timeout, handshake included.
func (w *way) dialer(under func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	if under == nil {
		under = tcp
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, w.dial)
		defer cancel()
		conn, err := under(ctx, network, address)
		if err != nil || w.tls == nil {
			return conn, err
		}
		cfg := w.tls.Clone()
		if cfg.ServerName == "" {
			cfg.ServerName, _, _ = net.SplitHostPort(address)
		}
		secure := tls.Client(conn, cfg)
		if err := secure.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, fmt.Errorf("TLS with %s: %w", address, err)
		}
		return secure, nil
	}
}

// fingerprint is a short name for what way reads of settings; they cannot be read from it.
func fingerprint(values map[string]string) string {
	h := sha256.New()
	keys := make([]string, 0, len(values))
	for key := range values {
		if common(key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		fmt.Fprintf(h, "%d:%s%d:%s", len(key), key, len(values[key]), values[key])
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
