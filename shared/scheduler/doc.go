// Package scheduler plans connectors: it makes the first partition or rebuilds all of them from the offsets topic, promotes
// children whose parents are finished, decides how many slots a connector has and which partitions each should hold, takes
// partitions back from slots whose lease ran out, advances the low watermark, and wakes workers.
//
// Each pass reads one connector at one moment (Snapshot), decides (Decide, a pure function), and writes its decisions as
// commits under the versions it read. Any number of schedulers may do so at once: of two that decide the same, one write
// wins and the other meets lease.ErrConflict, which means only that the next pass looks again.
//
// The scheduler never writes a partition that somebody holds: it writes the slot's assignment, and the holder follows. A
// held partition becomes nobody's in one of two ways: its holder releases it, or its slot's lease ran out on the store's
// clock and the scheduler ended the slot first, in a commit that the holder's next renewal cannot survive.
package scheduler
