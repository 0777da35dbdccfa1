package connector

import (
	"regexp"
	"strings"
)

// Mask stands in answers for a literal secret. Sent back, it means the stored value. It is the text by which Kafka hides
// values of type PASSWORD.
const Mask = "[hidden]"

// secretEndings are the last parts of keys that hold secrets wherever they stand: below producer.override., below a
// converter's prefix, or in a key that is not ours.
var secretEndings = []string{
	"password", "secret", "sasl.jaas.config", "basic.auth.user.info", "bearer.auth.token", "client-secret",
	"ssl.keystore.key", "ssl.keystore.certificate.chain", "ssl.truststore.certificates", "passphrase", "credentials.json",
}

// reference is Kafka's form of a value kept elsewhere: ${provider:key} or ${provider:path:key}.
var reference = regexp.MustCompile(`\$\{[^}]*?:[^}]*?\}`)

// Secret tells whether the values of a key must not be shown.
func Secret(key string) bool {
	if k, ok := byName[key]; ok {
		return k.Type == Password
	}
	key = strings.ToLower(key)
	for _, e := range secretEndings {
		if strings.HasSuffix(key, e) {
			return true
		}
	}
	return false
}

// HasReference tells whether a value leaves something to a configuration provider.
func HasReference(value string) bool { return reference.MatchString(value) }

// Masked is a configuration as it may be shown: literal secrets hidden, a secret that is nothing but a reference as
// written. A value that is partly literal is hidden, for the literal part may be the secret. The empty value is not one.
func Masked(cfg map[string]string) map[string]string {
	shown := make(map[string]string, len(cfg))
	for k, v := range cfg {
		if v != "" && Secret(k) && reference.FindString(v) != v {
			v = Mask
		}
		shown[k] = v
	}
	return shown
}

// Unmasked puts the stored value where cfg has the mask. The keys for which nothing is stored are returned; their mask
// stays, and would be taken for the secret.
func Unmasked(cfg, stored map[string]string) (full map[string]string, missing []string) {
	full = make(map[string]string, len(cfg))
	for k, v := range cfg {
		if v == Mask && Secret(k) {
			old, ok := stored[k]
			if !ok {
				missing = append(missing, k)
			} else {
				v = old
			}
		}
		full[k] = v
	}
	return full, missing
}

// MaskSecrets tells whether answers hide secrets: always, unless the worker says sluice.mask.secrets=false.
func (w Worker) MaskSecrets() bool {
	on, ok := boolean(strings.TrimSpace(w.Properties["sluice.mask.secrets"]))
	return on || !ok
}
