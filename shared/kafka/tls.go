package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// tlsConfig reads the ssl.* settings. Certificates are PEM (KIP-651); Java's own key store files are not read.
func tlsConfig(values map[string]string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	trusted, err := pemOf(values, "ssl.truststore", "ssl.truststore.certificates")
	if err != nil {
		return nil, err
	}
	if trusted != "" {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM([]byte(trusted)) {
			return nil, fmt.Errorf("%s: no certificate found in it", source(values, "ssl.truststore"))
		}
	}
	if err := keyPair(c, values); err != nil {
		return nil, err
	}
	if names := list(values["ssl.enabled.protocols"]); len(names) > 0 {
		switch {
		case slices.Contains(names, "TLSv1.2"):
		case slices.Contains(names, "TLSv1.3"):
			c.MinVersion = tls.VersionTLS13
		default:
			return nil, fmt.Errorf("%s is %q: TLSv1.2 or TLSv1.3 must be among them", written(values, "ssl.enabled.protocols"), values["ssl.enabled.protocols"])
		}
	}
	algorithm, set := values["ssl.endpoint.identification.algorithm"]
	switch {
	case !set, strings.EqualFold(algorithm, "https"):
	case algorithm == "":
		withoutName(c)
	default:
		return nil, fmt.Errorf("%s is %q: https, or empty for no check of the broker's name", written(values, "ssl.endpoint.identification.algorithm"), algorithm)
	}
	return c, nil
}

// keyPair reads the client's own certificate: key and chain in one PEM, or each in its own setting.
func keyPair(c *tls.Config, values map[string]string) error {
	both, err := pemOf(values, "ssl.keystore", "ssl.keystore.certificate.chain")
	if err != nil || both == "" {
		return err
	}
	key := both
	if inline := values["ssl.keystore.key"]; inline != "" {
		key = inline
	}
	if strings.Contains(key, "ENCRYPTED") {
		return fmt.Errorf("%s: the private key is encrypted, which is not supported: give it without a password, as a secret", source(values, "ssl.keystore"))
	}
	pair, err := tls.X509KeyPair([]byte(both), []byte(key))
	if err != nil {
		return fmt.Errorf("%s: %w", source(values, "ssl.keystore"), err)
	}
	c.Certificates = []tls.Certificate{pair}
	return nil
}

// pemOf is the PEM text of a store: given in place, or in the file that its location names.
func pemOf(values map[string]string, store, inline string) (string, error) {
	location := values[store+".location"]
	if values[inline] == "" && location == "" {
		return "", nil
	}
	form := strings.ToUpper(values[store+".type"])
	if form == "" && values[inline] == "" {
		form = "JKS" // Java's default
	}
	if form != "" && form != "PEM" {
		return "", fmt.Errorf("%s is %s, which is not supported: export the store to PEM (keytool -importkeystore to PKCS12, then openssl pkcs12 -nodes) and set %s.type=PEM",
			written(values, store+".type"), form, store)
	}
	if values[inline] != "" {
		return values[inline], nil
	}
	text, err := os.ReadFile(location)
	if err != nil {
		return "", fmt.Errorf("%s: %w", written(values, store+".location"), err)
	}
	return string(text), nil
}

func source(values map[string]string, store string) string {
	if values[store+".location"] != "" {
		return written(values, store+".location") + " (" + values[store+".location"] + ")"
	}
	return written(values, store+".*")
}

// withoutName checks the chain but not whom it names, as Java does with an empty identification algorithm.
func withoutName(c *tls.Config) {
	roots := c.RootCAs
	c.InsecureSkipVerify = true // replaced by the check below, which lacks only the name
	c.VerifyConnection = func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 {
			return errors.New("the broker showed no certificate")
		}
		between := x509.NewCertPool()
		for _, cert := range s.PeerCertificates[1:] {
			between.AddCert(cert)
		}
		_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
		return err
	}
}
