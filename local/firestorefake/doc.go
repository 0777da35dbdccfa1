// Package firestorefake is a server that speaks as much of Firestore's gRPC API as Sluice uses: the store of a local
// installation, and the far side of tests. The unchanged Firestore client reaches it through FIRESTORE_EMULATOR_HOST, or
// in the process through Conn.
//
// It knows BatchGetDocuments, Commit, BatchWrite, RunQuery, RunAggregationQuery (count), BeginTransaction (read-only) and
// Rollback. Whatever else is asked of it is answered with Unimplemented and a name, never with a guess. Read-write
// transactions are left out on purpose: Sluice writes with preconditions only.
//
// Commits are serialized; each gets a time of its own, in microseconds, later than all before. A read-only transaction
// and a query see the documents of one moment. Documents live in memory and, given a path, in a bbolt file.
//
// It refuses what Firestore refuses, including what the emulator lets pass: queries without an index that is declared,
// or on a field that is exempt; reserved and malformed ids; documents, requests and indexed values that are too large.
//
// It starts no timers of its own and reads the time only from Options.Clock, so that it can live in a testing/synctest
// bubble; all its goroutines have ended when Close returns.
package firestorefake
