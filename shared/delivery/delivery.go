// Package delivery is the one indivisible step of the product: messages and the checkpoint that covers them become
// visible together or not at all (I1). It holds the words; package kafka does the work.
package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Message is a record as bytes.
type Message struct {
	Topic     string
	Partition int32  // record.AnyPartition (-1): murmur2 of Key as Java's producer does; a nil key then goes round
	Key       []byte // nil: null
	Value     []byte // nil: null, a tombstone
	Headers   []Header
	Timestamp time.Time // zero: the producer's time
}

// Size is about what the message takes in a request.
func (m *Message) Size() int {
	n := len(m.Key) + len(m.Value) + 64
	for _, h := range m.Headers {
		n += len(h.Key) + len(h.Value) + 4
	}
	return n
}

// Header is one record header as bytes.
type Header struct {
	Key   string
	Value []byte
}

// Entry is one record of the offsets topic, in the wire form of package offset. A nil Value is a tombstone.
type Entry struct {
	Key, Value []byte
}

// Place is where an entry was written in the offsets topic. The zero Place means unknown: read from the beginning.
type Place struct {
	Partition int32
	Offset    int64
}

// Batch is what one delivery makes visible. Messages keep their order within each Kafka partition.
type Batch struct {
	Messages []Message
	Offsets  []Entry
}

// Sink delivers batches for one worker slot. It is used by one goroutine at a time.
type Sink interface {
	// Deliver makes the batch visible whole and returns where each of its offsets went, in order.
	//
	//  1. nil: everything is visible to a read_committed consumer.
	//  2. ErrFenced: a newer owner took the producer id; nothing of the batch is visible, nothing ever will be through
	//     this sink. Drop the slot (S6).
	//  3. *TooLarge: the broker or client refuses a message for its size; nothing is visible, and the sink can go on.
	//  4. any other error: the outcome is unknown. The sink is dead: forget the slice and claim anew; the offsets topic
	//     holds the truth (S2).
	//
	// The at-least-once sink (exactly.once.source.support=disabled) makes messages visible before offsets, and may have
	// made some visible when it fails.
	Deliver(ctx context.Context, b Batch) (places []Place, err error)

	// Close gives the client up without waiting for more than its context allows. It aborts what is open.
	Close(ctx context.Context)
}

// ErrFenced says that a newer owner holds the transactional id.
var ErrFenced = errors.New("fenced by a newer producer")

// TooLarge says which message does not fit. It never contains the message's value.
type TooLarge struct {
	Topic string
	Key   []byte
	Size  int
	Cause error
}

func (e *TooLarge) Error() string {
	return fmt.Sprintf("message of about %d bytes for topic %s with key %s is larger than the broker or the producer allows: %v (raise the topic's max.message.bytes and producer.override.max.request.size)", e.Size, e.Topic, e.Key, e.Cause)
}

func (e *TooLarge) Unwrap() error { return e.Cause }
