// Package firestoredb keeps Sluice's documents in Firestore: configuration, slots, leases, assignments and the cached
// checkpoint of each partition. It is the only importer of the Firestore SDK.
//
// Where things stand, below connect/{group id}, so that installations share a database:
//
//	connectors/{c}                  written by connectapi
//	connectors/{c}/state/scheduler  written by the scheduler
//	connectors/{c}/assignments/{n}  written by the scheduler
//	connectors/{c}/slots/{n}        written by the holder of slot n
//	connectors/{c}/partitions/{id}  written by its holder; while unheld by the scheduler
//
// Every write is one Commit whose documents carry their expected update times; nothing here opens a read-write
// transaction, because a process killed inside one leaves its documents locked for up to a minute, and contenders
// deadlock. The chain of update times is the fence: a holder that writes with the update time of its own last write
// learns at once that somebody else wrote.
//
// What becomes of a commit:
//
//	             +-- answered OK ------------------------> applied
//	commit ------+-- answered ABORTED --+
//	 (random     +-- a precondition ----+-- read again --+-- our commit id is there --> applied (the answer was lost)
//	  commit id) +-- unknown outcome ---+                +-- a version moved ---------> lease.ErrConflict
//	                                                     +-- nothing moved:
//	                                                          ABORTED -> try again, a limited number of times
//	                                                          other   -> lease.ErrStore
//
// The reading is needed because the client itself repeats a Commit whose answer it did not get; the repeat of one that
// was applied fails its own preconditions.
//
// A Store may be used by many goroutines. Every call ends when its context does, a commit somewhat before: it leaves a
// fifth of its time to the caller.
package firestoredb
