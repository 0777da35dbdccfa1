package kafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestKeysGoWhereJavaPutsThem is SK-15. The hashes are those of Kafka's own UtilsTest.
func TestKeysGoWhereJavaPutsThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int32{
		"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536,
		"a-little-bit-longer-string": -1486304829, "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971, "abc": 479470107,
	} {
		if got := int32(murmur2([]byte(text))); got != want {
			t.Errorf("hash of %s is %d, want %d", text, got, want)
		}
	}
	for _, c := range []struct {
		key     string
		n, want int32
	}{{`{"id":1}`, 6, 0}, {`{"id":1}`, 12, 0}, {`{"id":2}`, 6, 4}} {
		p := javaPartitioner{}.ForTopic("t")
		r := &kgo.Record{Key: []byte(c.key), Partition: anyPartition}
		if got := p.Partition(r, int(c.n)); int32(got) != c.want || !p.RequiresConsistency(r) {
			t.Errorf("%s goes to %d of %d, want %d", c.key, got, c.n, c.want)
		}
	}
}

func TestPartitionsNamedAndRound(t *testing.T) {
	t.Parallel()
	p := javaPartitioner{}.ForTopic("t")
	if got := p.Partition(&kgo.Record{Key: []byte("k"), Partition: 5}, 6); got != 5 {
		t.Errorf("a named partition 5 became %d", got)
	}
	empty := &kgo.Record{Key: []byte{}, Partition: anyPartition}
	if a, b := p.Partition(empty, 6), p.Partition(empty, 6); a != b {
		t.Errorf("an empty key went to %d and to %d", a, b)
	}
	seen := make(map[int]int)
	for range 12 {
		r := &kgo.Record{Partition: anyPartition}
		if p.RequiresConsistency(r) {
			t.Fatal("a record without a key waits for one partition")
		}
		seen[p.Partition(r, 6)]++
	}
	if len(seen) != 6 {
		t.Errorf("records without a key went to %v", seen)
	}
}
