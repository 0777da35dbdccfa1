package spannerfake

import (
	"slices"
	"sync"
)

// mostLogged is how many queries the log keeps; older ones are counted only.
const mostLogged = 20_000

// queryLog is what was asked of change streams.
type queryLog struct {
	mu      sync.Mutex
	queries []Query
	byToken map[string]int
}

// add logs a query and returns how many of its token there were, this one included.
func (l *queryLog) add(q Query) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byToken == nil {
		l.byToken = make(map[string]int)
	}
	l.byToken[q.Token]++
	if len(l.queries) == mostLogged {
		l.queries = slices.Clone(l.queries[mostLogged/2:])
	}
	l.queries = append(l.queries, q)
	return l.byToken[q.Token]
}

// Queries is the log of partition queries, oldest first: those that were refused too. The newest twenty thousand are
// kept at most.
func (s *Server) Queries() []Query {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return slices.Clone(s.log.queries)
}

// QueriesOf counts the queries of a token since the server began; RootToken: those without.
func (s *Server) QueriesOf(token string) int {
	if token == RootToken {
		token = ""
	}
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.log.byToken[token]
}
