package spannerdb

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"

	"google.golang.org/api/option"

	"sluice.example/shared/connector"
)

const (
	jsonKey = "gcp.spanner.credentials.json"
	pathKey = "gcp.spanner.credentials.path"
)

// credentialsKey is the key that says who the connector is; "" when Google's default credentials are used.
func credentialsKey(cfg connector.Settings) string {
	switch {
	case cfg.CredentialsJSON != "":
		return jsonKey
	case cfg.CredentialsPath != "":
		return pathKey
	}
	return ""
}

// credentials are the client's options for who it is; none for Google's default credentials. A document that cannot be used
// is a *Problem, which never repeats any of it.
func credentials(cfg connector.Settings) ([]option.ClientOption, error) {
	key := credentialsKey(cfg)
	var text []byte
	switch key {
	case "":
		return nil, nil
	case jsonKey:
		text = []byte(cfg.CredentialsJSON)
	default:
		var err error
		if text, err = os.ReadFile(cfg.CredentialsPath); err != nil {
			return nil, &Problem{Key: key, Text: "the file that " + key + " names cannot be read: " + pathless(err)}
		}
	}
	kind, fault := judge(text)
	if fault != "" {
		return nil, &Problem{Key: key, Text: "the credentials of " + key + " cannot be used: " + fault}
	}
	return []option.ClientOption{option.WithAuthCredentialsJSON(kind, text)}, nil
}

// judge finds what kind of credentials a document holds, or what is wrong with it. The client would say what is wrong
// only at the first query, and in words that may repeat parts of the document.
func judge(text []byte) (kind option.CredentialsType, fault string) {
	var doc struct {
		Type  string `json:"type"`
		Email string `json:"client_email"`
		Key   string `json:"private_key"`
	}
	if json.Unmarshal(text, &doc) != nil {
		return "", "they are not a JSON object"
	}
	switch kind = option.CredentialsType(doc.Type); kind {
	case option.ServiceAccount:
		switch {
		case doc.Email == "":
			return "", "client_email is missing"
		case !isPrivateKey(doc.Key):
			return "", "private_key is not a private key in PEM form"
		}
	case option.AuthorizedUser, option.ImpersonatedServiceAccount, option.ExternalAccount:
	default:
		return "", "their type is none of service_account, authorized_user, impersonated_service_account and external_account"
	}
	return kind, ""
}

func isPrivateKey(text string) bool {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return false
	}
	if _, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		return true
	}
	_, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	return err == nil
}

// pathless is an error of the file system without the path, which the user has just written.
func pathless(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
