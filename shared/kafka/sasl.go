package kafka

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// mechanism is the login that the sasl.* settings describe.
func (k *Kafka) mechanism(values map[string]string) (sasl.Mechanism, error) {
	login, err := parseJAAS(values["sasl.jaas.config"])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", written(values, "sasl.jaas.config"), err)
	}
	name := strings.ToUpper(values["sasl.mechanism"])
	switch name {
	case "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512":
		user, password := login.options["username"], login.options["password"]
		if user == "" {
			return nil, fmt.Errorf("%s: sasl.mechanism %s needs a login module with username and password", written(values, "sasl.jaas.config"), name)
		}
		switch name {
		case "PLAIN":
			return plain.Auth{User: user, Pass: password}.AsMechanism(), nil
		case "SCRAM-SHA-256":
			return scram.Auth{User: user, Pass: password, IsToken: login.options["tokenauth"] == "true"}.AsSha256Mechanism(), nil
		default:
			return scram.Auth{User: user, Pass: password, IsToken: login.options["tokenauth"] == "true"}.AsSha512Mechanism(), nil
		}
	case "OAUTHBEARER":
		tokens, err := k.bearer(values, login)
		if err != nil {
			return nil, err
		}
		return oauth.Oauth(tokens), nil
	case "AWS_MSK_IAM":
		return aws.ManagedStreamingIAM(awsFromEnvironment(os.Getenv)), nil
	case "":
		return nil, fmt.Errorf("sasl.mechanism is not set, and its default in Java, GSSAPI, is not supported: one of %s", mechanisms)
	}
	return nil, fmt.Errorf("%s is %q: one of %s", written(values, "sasl.mechanism"), values["sasl.mechanism"], mechanisms)
}

const mechanisms = "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER, AWS_MSK_IAM"

// awsFromEnvironment reads the credentials at each login: in a function they change while it lives.
func awsFromEnvironment(getenv func(string) string) func(context.Context) (aws.Auth, error) {
	return func(context.Context) (aws.Auth, error) {
		a := aws.Auth{AccessKey: getenv("AWS_ACCESS_KEY_ID"), SecretKey: getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: getenv("AWS_SESSION_TOKEN"), UserAgent: "sluice"}
		if a.AccessKey == "" || a.SecretKey == "" {
			return a, errors.New("log in to Kafka with AWS_MSK_IAM: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not both set")
		}
		return a, nil
	}
}
