package kafka

import (
	"errors"
	"fmt"
	"strings"
)

// jaas is the one login module of a sasl.jaas.config (KIP-85).
type jaas struct {
	module  string
	options map[string]string
}

// parseJAAS reads "<class> <flag> name=value ...;". Values may stand in double or single quotes, with backslash escapes.
// An empty text has no options. An error never contains a value: it may be a password.
func parseJAAS(text string) (jaas, error) {
	j := jaas{options: make(map[string]string)}
	text = strings.TrimSpace(text)
	if text == "" {
		return j, nil
	}
	words, err := jaasWords(text)
	if err != nil {
		return j, err
	}
	if len(words) < 2 {
		return j, errors.New("a login module and its flag are expected, then options, then a semicolon")
	}
	j.module = words[0]
	switch flag := strings.ToLower(words[1]); flag {
	case "required", "requisite", "sufficient", "optional":
	default:
		return j, errors.New("the word after the login module must be required, requisite, sufficient or optional")
	}
	for i, w := range words[2:] {
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return j, fmt.Errorf("option %d is not of the form name=\"value\"", i+1)
		}
		j.options[name] = value
	}
	return j, nil
}

// jaasWords splits at spaces outside of quotes, drops the quotes, and stops at the semicolon.
func jaasWords(text string) ([]string, error) {
	var (
		words []string
		word  strings.Builder
		open  bool // a word has begun
		quote byte
	)
	flush := func() {
		if open {
			words = append(words, word.String())
			word.Reset()
			open = false
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && quote != 0 && i+1 < len(text):
			i++
			word.WriteByte(text[i])
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, open = c, true
		case c == ';':
			flush()
			if strings.TrimSpace(text[i+1:]) != "" {
				return nil, errors.New("only one login module is supported")
			}
			return words, nil
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			flush()
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	return nil, errors.New("the semicolon at the end is missing")
}
