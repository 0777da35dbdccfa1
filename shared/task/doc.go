// Package task is one invocation of a worker slot: take the slot, fence, claim what is assigned, read, convert, deliver
// with the checkpoint, and give back or keep. It is the only writer of checkpoints and of its slot's document.
//
//	take slot ──> producer id ──> claim ──> [fence, tail] ──> read ──> convert ──> deliver ──> checkpoint
//	(generation+1)  (Open)       (commit)   (unclean only)    (a goroutine for      (one Kafka transaction for all
//	                                                           each partition)       partitions of the slot)
//
// A Worker keeps sessions between invocations (warm): the slot's lease, its producer, its partitions. A session is one
// generation of one slot. What ends it, and what that means:
//
//   - released: everything delivered is checkpointed in the store too, partitions are marked clean; the next holder
//     needs no Kafka read.
//   - lost: another instance wrote the slot's document, or Kafka fenced the producer. A normal outcome, not an error:
//     the session forgets everything and writes nothing more.
//   - broken: a delivery failed with its outcome unknown. The session forgets everything; the slot is taken anew under
//     the next generation, and the offsets topic tells what was committed (S6).
//   - failed: the connector cannot go on without a person. What was read before the fault is delivered first, the state
//     and its trace are written, the partitions are released.
//
// Trust (I3): before each delivery the session checks that it still trusts its lease on its own monotonic clock, counted
// from before the lease was asked for. When it does not, it renews first; the store refuses if anybody wrote in between.
// A pause after the check is what the fence in Kafka is for: whoever takes over a partition from an unclean holder first
// takes that slot's producer id away (I2, I9).
//
// No goroutine of an invocation outlives it. A session at rest holds connections, nothing that runs.
package task
