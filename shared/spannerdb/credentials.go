package spannerdb

import (
	"encoding/json"
	"errors"
	"io/fs"

	"google.golang.org/api/option"
)

// credentialsType finds what kind of credentials a JSON document holds. The document is never repeated in an error.
func credentialsType(text []byte) (option.CredentialsType, error) {
	var doc struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(text, &doc) != nil {
		return "", errors.New("the credentials are not a JSON object")
	}
	switch t := option.CredentialsType(doc.Type); t {
	case option.ServiceAccount, option.AuthorizedUser, option.ImpersonatedServiceAccount, option.ExternalAccount:
		return t, nil
	}
	return "", errors.New("the credentials' type is none of service_account, authorized_user, impersonated_service_account, external_account")
}

// pathless is an error of the file system without the path, which the user has just written.
func pathless(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
