// Package partition holds the life of a change stream partition as data and pure rules: its states, where its next query
// starts, when a timestamp is closed, when a child may start, and what the low watermark is.
//
//	            all parents finished            claimed by a slot
//	CREATED ───────────────────────────> READY <─────────────────> held
//	   ▲                                          released, or      │ child record seen and the query ended,
//	   │ named by a parent                        its holder died   │ or the connector's end time reached
//	   └──────────────────────────────────────────────────────── FINISHED ──> removed, once every child has begun
//
// The root (token Parent0) is the first partition of a connector; its query, without a token, returns only children.
//
// Who may write a partition's document: the slot that holds it, showing its generation (I2); while nobody holds it, the
// scheduler. A claim is a commit of the partition and the claimer's slot together, each under the version last read, so
// that a slot that was lost cannot claim.
//
// What can go wrong and what follows:
//
//   - The holder dies: its slot expires on the store's clock, the scheduler ends the slot, takes its partitions back
//     unclean, and the next holder fences the dead slot's producer and reads the offsets topic before it reads Spanner.
//   - The holder is paused and wakes up: its slot's version has moved on, or Kafka fences it. It forgets everything.
//   - Kafka has the finish of a partition, the store does not: the next holder finds FINISHED in the offsets topic and
//     writes the finish, children included. Creating a child that exists is no error: each parent of a merge names it.
//   - The store is lost: the offsets topic has every position and the children of every finished partition.
package partition
