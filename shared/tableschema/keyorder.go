package tableschema

import (
	"slices"
	"unicode/utf16"
)

// KeyOrder decides the order of the fields of a record's key, and with it the key's bytes and Kafka partition. Its
// values are those of the setting.
type KeyOrder string

// The orders. The zero KeyOrder is DebeziumHash.
const (
	DebeziumHash KeyOrder = "debezium-hash" // as Debezium's, so that a topic keeps its partitioning
	PrimaryKey   KeyOrder = "primary-key"   // as the table's primary key is declared
)

// hashOrder is the order in which a Java HashMap holds the names, put in one after the other: indexes into names.
//
// Debezium keeps the columns of a table in such a map, and builds the key by going through it, so the order of key fields
// depends on all watched columns: their number gives the count of buckets, the hash of each name its bucket, and within
// a bucket they stand as put in. Source: reference 2.3 and appendix A12.
func hashOrder(names []string) []int {
	buckets := uint32(16)
	for 4*len(names) > 3*int(buckets) {
		buckets *= 2
	}
	order := make([]int, len(names))
	place := make([]uint32, len(names))
	for i, name := range names {
		h := javaHash(name)
		order[i], place[i] = i, (h^h>>16)&(buckets-1)
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(place[a]) - int(place[b]) })
	return order
}

// javaHash is String.hashCode: over UTF-16 units, wrapping at 32 bits.
func javaHash(s string) (h uint32) {
	for _, r := range s {
		if hi, lo := utf16.EncodeRune(r); hi != '\uFFFD' {
			h = 31*(31*h+uint32(hi)) + uint32(lo)
			continue
		}
		h = 31*h + uint32(r)
	}
	return h
}
