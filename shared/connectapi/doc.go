// Package connectapi answers the Kafka Connect REST API from the store. It is a plain http.Handler without state of its
// own that matters, so any number of instances may answer at once; two that write the same connector are told apart by
// the version of its document, and the loser tries again with what the winner wrote.
//
// There is no leader, no rebalance and no forwarding: 409 means that a connector exists already, or that several writers
// kept getting in each other's way. A change is accepted once it is stored; what carries it out is the scheduler, which
// is woken after each change and would notice anyway at its next tick (I8).
//
// Answers have the paths, codes, bodies and message beginnings of Connect 4.1 (reference connect-rest.md, section 1),
// with these differences, all decided: malformed bodies are 400 and not 500; every answer is JSON, the router's too; a
// connector just created has the status UNASSIGNED and not 404; names may hold an escaped slash; literal secrets are
// masked; the same configuration again changes nothing.
//
// The path of a request is: deadline -> route -> media types -> body -> handler -> answer. A handler returns a value or
// an error; only answer.go and failure.go know how either looks on the wire.
package connectapi
