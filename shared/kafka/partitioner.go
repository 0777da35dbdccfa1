package kafka

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/delivery"
)

// murmur2 is the hash of Java's default partitioner: MurmurHash2 of 32 bits with the seed 0x9747b28c. It stands here, not
// in the client library, because the partition of an offsets key must be known without producing it.
func murmur2(data []byte) uint32 {
	const (
		m = 0x5bd1e995
		r = 24
	)
	h := uint32(0x9747b28c) ^ uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
		k *= m
		k ^= k >> r
		k *= m
		h *= m
		h ^= k
	}
	switch len(data) {
	case 3:
		h ^= uint32(data[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(data[1]) << 8
		fallthrough
	case 1:
		h ^= uint32(data[0])
		h *= m
	}
	h ^= h >> 13
	h *= m
	h ^= h >> 15
	return h
}

// partitionOf is the partition of n that Java's producer gives a key: the hash without its sign bit, modulo n.
func partitionOf(key []byte, n int32) int32 {
	return int32(murmur2(key)&0x7fffffff) % n
}

// anyPartition marks a record whose partition the key decides.
const anyPartition = -1

// javaPartitioner honours a partition that the record names, else hashes the key as Java does, else goes round the
// partitions that can be written now. A key, also an empty one, goes to its partition even while that has no leader: the
// order of a key is worth waiting for (I6).
type javaPartitioner struct{}

func (javaPartitioner) ForTopic(string) kgo.TopicPartitioner { return &topicPartitioner{} }

type topicPartitioner struct{ next int }

func (*topicPartitioner) RequiresConsistency(r *kgo.Record) bool {
	return r.Partition != anyPartition || r.Key != nil
}

func (p *topicPartitioner) Partition(r *kgo.Record, n int) int {
	switch {
	case r.Partition != anyPartition:
		return int(r.Partition) // one that the topic does not have fails the record
	case r.Key != nil:
		return int(partitionOf(r.Key, int32(n)))
	}
	p.next = (p.next + 1) % n
	return p.next
}

// record is a message as the client's record.
func record(m *delivery.Message) *kgo.Record {
	r := &kgo.Record{Topic: m.Topic, Partition: m.Partition, Key: m.Key, Value: m.Value, Timestamp: m.Timestamp}
	if m.Partition < 0 {
		r.Partition = anyPartition
	}
	for _, h := range m.Headers {
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
	}
	return r
}

// entry is a record of the offsets topic; it never has headers.
func entry(topic string, e delivery.Entry) *kgo.Record {
	return &kgo.Record{Topic: topic, Partition: anyPartition, Key: e.Key, Value: e.Value}
}
