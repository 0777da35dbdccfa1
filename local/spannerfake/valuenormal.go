package spannerfake

import (
	"bytes"
	"encoding/json"
	"io"
	"math/big"
	"strings"
)

// normalNumeric is a decimal number within NUMERIC's range, 29 digits and nine more behind the point, without needless
// zeros; false for anything else.
func normalNumeric(s string) (string, bool) {
	r, ok := new(big.Rat).SetString(s)
	if !ok || strings.ContainsAny(s, "/_xXpP") || new(big.Rat).Abs(r).Cmp(new(big.Rat).SetInt(pow10(29))) >= 0 {
		return "", false
	}
	out := r.FloatString(9)
	if back, _ := new(big.Rat).SetString(out); back.Cmp(r) != 0 {
		return "", false // more than nine digits behind the point
	}
	return strings.TrimSuffix(strings.TrimRight(out, "0"), "."), true
}

func pow10(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }

// normalJSON is a document without white space, its members in order, its text unescaped where it may be.
func normalJSON(s string) (string, error) {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return "", err
	}
	if _, err := dec.Token(); err != io.EOF {
		return "", io.ErrUnexpectedEOF // something follows the document
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
