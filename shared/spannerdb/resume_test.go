package spannerdb

import (
	"testing"

	"cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// answers is a stream that sends parts with the given tokens.
type answers struct {
	grpc.ClientStream
	tokens []string
	sent   int
}

func (a *answers) RecvMsg(m any) error {
	m.(*spannerpb.PartialResultSet).ResumeToken = []byte(a.tokens[0])
	a.tokens = a.tokens[1:]
	return nil
}

func (a *answers) SendMsg(any) error { a.sent++; return nil }

func TestTokensBecomeDistinct(t *testing.T) {
	t.Parallel()
	far := &answers{tokens: []string{"a", "a", "a", "", "b", "b"}}
	d := &distinct{ClientStream: far}
	seen := make(map[string]bool)
	var made []byte
	for i := range 6 {
		part := &spannerpb.PartialResultSet{}
		if err := d.RecvMsg(part); err != nil {
			t.Fatal(err)
		}
		token := string(part.ResumeToken)
		if (token == "") != (i == 3) || token != "" && seen[token] {
			t.Errorf("part %d has the token %q", i, token)
		}
		seen[token] = true
		made = part.ResumeToken
	}
	if !seen["a"] || !seen["b"] {
		t.Error("a token's first use was changed")
	}
	for token, want := range map[string]codes.Code{"": codes.OK, "a": codes.OK, string(made): codes.Aborted} {
		if err := d.SendMsg(&spannerpb.ExecuteSqlRequest{ResumeToken: []byte(token)}); status.Code(err) != want {
			t.Errorf("a query that resumes from %q: %v, want %v", token, err, want)
		}
	}
	if far.sent != 2 {
		t.Errorf("%d requests were sent, want 2", far.sent)
	}
}
