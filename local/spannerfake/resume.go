package spannerfake

import (
	"encoding/json"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// resume is where a query stands after a message, as its resume token says it. The Go client hands rows on only when a
// token comes that is another than the last, so that each message has its own; and it asks again with it when its
// connection broke.
type resume struct {
	Sent   int       `json:"sent"` // messages
	Number int64     `json:"number"`
	Last   time.Time `json:"last"`
	Said   bool      `json:"said"`
}

// mark is the place after what was just returned.
func (r *reading) mark() resume { return resume{Number: r.number, Last: r.last, Said: r.said} }

func (m resume) token() ([]byte, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "encode resume token: %v", err)
	}
	return b, nil
}

// parseResume reads a resume token; none is a fresh start.
func parseResume(token []byte) (m resume, err error) {
	if len(token) == 0 {
		return m, nil
	}
	if err := json.Unmarshal(token, &m); err != nil {
		return m, status.Error(codes.InvalidArgument, "The resume token is not one of this server's")
	}
	return m, nil
}
