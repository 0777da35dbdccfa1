// Package spannerfake is a Cloud Spanner in the process: a gRPC server that the unchanged Spanner clients talk to, with
// tables, mutations and change streams. It is the embedded default of `sluice run`, and the far side in tests.
//
// It keeps what Spanner promises and its emulator does not: a key stays in one partition and that partition's
// descendants, a transaction may span partitions, tags are kept, and a live query returns every record, promptly. What
// is not needed for that is refused with UNIMPLEMENTED: DML, indexes, foreign keys, views, snapshots of the past.
//
// # Partitions
//
// A partition of a change stream is a range of key positions, from the time it begins to the time it ends:
//
//	        Split                    Merge
//	A ────┬───────> A1 ──────────┐
//	      │                      ├──────> C     each of A2 and B reports C, with both as its parents
//	      └───────> A2 ──┐       .
//	                     ├───────.──────> C
//	B ───────────────────┘
//
// The position of a row is a hash of its root table and key, so that writes spread as over well-chosen keys, and rows of
// interleaved tables stay with their parent; Options.Ordered makes it the key itself.
//
// # Time
//
// Every database has one floor: what was told to a reader as complete (a heartbeat, the end of a query, a split) raises
// it, and every commit gets a timestamp above it, whole microseconds, strictly increasing. This is what makes a
// heartbeat a promise. The clock may be set by Options.Clock and Server.Advance. Waits are for a signal of the partition
// or a timer, and no goroutine outlives Close, so that a server works inside a testing/synctest bubble.
//
// # Faults
//
// A Hook sees every call and answers what is to go wrong with it: a refusal, a reply that is lost, rows that are cut
// off, changed, repeated or made up. Queries are counted by token and logged.
//
// # Facts
//
// Types and order of fields, words and codes of refusals, the JSON of values and the net effect of a transaction that
// touches a row twice are the Cloud Spanner emulator's, as it printed them; testdata has them. Where the emulator is
// known to differ from production (fractions of TIMESTAMP, tags, pending commit timestamps), production's way is taken.
package spannerfake
