// Package lease holds a lease as a value: who has a worker slot, in which generation, until when. It decides; it never
// reads a clock or a store.
//
// A lease in a store cannot stop a paused holder (it may wake after any check), so safety never rests on expiry: Kafka's
// producer epoch is the fence. Expiry only decides when it is worth trying to take over, and it is judged by the store's
// own times, never by a local clock (I3).
package lease

import (
	"errors"
	"time"
)

// Slot is a Connect task as Sluice runs it: one producer, one transactional id, many partitions. Its document has one
// writer, the holder; while nobody holds it a claimer or the scheduler may write it, and the chain of versions decides
// who came first.
type Slot struct {
	Number     int
	Generation int64     // grows by one with each claim, never goes back; the fencing number (I2)
	Owner      string    // the holder's worker id; shown to people, never compared
	LeaseID    string    // random, one for each claim
	Expiry     time.Time // on the store's clock
	Free       bool      // given up by its holder or ended by the scheduler: claimable before Expiry

	// Inited is the newest generation that took its producer id. A predecessor of a lower generation is fenced by that
	// alone.
	Inited int64

	// Lowest is a lower bound of the checkpoints of every unfinished partition whose document names this slot as its
	// holder; zero when none does. It is raised only by a holder that has accounted for all of them (I4).
	Lowest time.Time
	Holds  int // how many partitions that is

	State      State
	Trace      string // of Failed, or of the trouble a Running slot is retrying
	Life       string // the connector's life (see connector.Connector) the state belongs to
	Epoch      int64  // the connector's epoch the state belongs to
	Assignment int64  // the version of the assignment last acted on

	Version time.Time // of the document; zero: it does not exist
	ReadAt  time.Time // the store's time when it was read
}

// State is what REST reports for the task.
type State string

// The states a holder writes. A slot without a state is UNASSIGNED to REST.
const (
	Running State = "RUNNING"
	Paused  State = "PAUSED"
	Failed  State = "FAILED"
)

// Live tells whether somebody holds the slot, as far as the store knew at ReadAt.
func (s Slot) Live() bool { return !s.Free && s.Generation > 0 && s.ReadAt.Before(s.Expiry) }

// Take is the slot as its next holder writes it: a generation on. The expiry is ttl from the store's time at the read,
// so it is never later than a claimer would count.
func (s Slot) Take(owner, leaseID string, ttl time.Duration) Slot {
	s.Generation++
	s.Owner, s.LeaseID, s.Free = owner, leaseID, false
	s.Expiry = s.ReadAt.Add(ttl)
	return s
}

// Grant is a holder's belief that it holds a slot. Trust it less long than was asked, counted from before asking: a slow
// answer never stretches it.
type Grant struct {
	Slot         int
	Generation   int64
	LeaseID      string
	TrustedUntil time.Time // on the holder's own monotonic clock
}

// NewGrant is the grant for a lease of ttl asked for at asked, on the holder's clock.
func NewGrant(s Slot, asked time.Time, ttl time.Duration) Grant {
	return Grant{Slot: s.Number, Generation: s.Generation, LeaseID: s.LeaseID, TrustedUntil: asked.Add(ttl - ttl/10)}
}

// Trusted tells whether the holder may still act at now.
func (g Grant) Trusted(now time.Time) bool { return now.Before(g.TrustedUntil) }

// ErrConflict says that somebody else wrote a document first: the claim or the lease is lost. It is a normal outcome.
var ErrConflict = errors.New("written by another owner first")

// ErrStore is wrapped by failures of the store itself or the way to it, which say nothing about the lease.
var ErrStore = errors.New("store failure")
