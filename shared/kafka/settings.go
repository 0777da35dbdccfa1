package kafka

import (
	"fmt"
	"slices"
	"strings"
)

// kind is a kind of Java client; its settings have its name as prefix in worker properties, and its name and
// ".override." in a connector's.
type kind string

const (
	producerKind kind = "producer"
	adminKind    kind = "admin"
	consumerKind kind = "consumer"
)

// origin prefixes the key of a setting with where it stands, so that an error names what the user wrote.
const originOf = "\x00"

// commonKeys are the worker's own keys that also say how clients reach brokers. Families end with a dot.
var commonKeys = []string{
	"bootstrap.servers", "client.id", "security.protocol", "ssl.", "sasl.", "connections.max.idle.ms", "metadata.max.age.ms",
	"request.timeout.ms", "retry.backoff.ms", "retry.backoff.max.ms", "socket.connection.setup.timeout.ms",
}

func common(key string) bool {
	return slices.ContainsFunc(commonKeys, func(c string) bool {
		return key == c || strings.HasSuffix(c, ".") && strings.HasPrefix(key, c)
	})
}

// layers are the settings of one kind of client for a connector (nil: the worker itself). Beside each key k there is
// originOf+k, the name under which the user wrote it.
//
// Connect itself gives unprefixed security settings to the worker's own clients only; here they are everybody's default,
// because nobody means them to differ.
func (k *Kafka) layers(kind kind, connector map[string]string) (map[string]string, error) {
	values := make(map[string]string)
	set := func(key, value, written string) {
		values[key], values[originOf+key] = strings.TrimSpace(value), written
	}
	for key, v := range k.worker {
		if common(key) {
			set(key, v, key)
		}
	}
	for key, v := range k.worker {
		if rest, ok := strings.CutPrefix(key, string(kind)+"."); ok && !strings.HasPrefix(rest, "override.") {
			set(rest, v, key)
		}
	}
	for key, v := range connector {
		rest, ok := strings.CutPrefix(key, string(kind)+".override.")
		if !ok {
			continue
		}
		if !k.policy.allows(rest) {
			return nil, fmt.Errorf("%s: the worker's connector.client.config.override.policy %s does not allow it", key, k.policy)
		}
		set(rest, v, key)
	}
	return values, nil
}

// written is the name under which a setting was written.
func written(values map[string]string, key string) string {
	if w := values[originOf+key]; w != "" {
		return w
	}
	return key
}

// policy is which settings of clients a connector may override (KIP-458).
type policy string

const (
	overrideAll       policy = "All"
	overrideNone      policy = "None"
	overridePrincipal policy = "Principal"
)

// policyOf takes Connect's short names and class names; an empty text is All.
func policyOf(v string) (policy, error) {
	v = strings.TrimSpace(v)
	short := strings.TrimSuffix(v[strings.LastIndexByte(v, '.')+1:], "ConnectorClientConfigOverridePolicy")
	switch policy(short) {
	case "":
		return overrideAll, nil
	case overrideAll, overrideNone, overridePrincipal:
		return policy(short), nil
	}
	return "", fmt.Errorf("connector.client.config.override.policy is %q: one of All, None, Principal", v)
}

func (p policy) allows(key string) bool {
	switch p {
	case overrideNone:
		return false
	case overridePrincipal:
		return key == "sasl.jaas.config" || key == "sasl.mechanism" || key == "security.protocol"
	}
	return true
}
