package spannerfake

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/big"
	"strings"
	"time"

	sppb "cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/protobuf/types/known/structpb"
)

// encodeKey is the key of values as bytes that sort as Spanner sorts keys: NULL first, each part by its type, descending
// parts the other way round. Values were checked. Fewer values than parts give the prefix of all keys that begin so.
func encodeKey(parts []keyPart, values []*structpb.Value) string {
	var b []byte
	for i, v := range values {
		from := len(b)
		b = encodePart(b, parts[i].typ, v)
		if parts[i].desc {
			for j := from; j < len(b); j++ {
				b[j] = ^b[j]
			}
		}
	}
	return string(b)
}

// after is the first key beyond all that begin with a prefix; "" when there is none.
func after(prefix string) string {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != 0xff {
			b[i]++
			return string(b[:i+1])
		}
	}
	return ""
}

func encodePart(b []byte, t *columnType, v *structpb.Value) []byte {
	if isNull(v) {
		return append(b, 0)
	}
	b = append(b, 1)
	s := v.GetStringValue()
	switch t.code {
	case sppb.TypeCode_BOOL:
		if v.GetBoolValue() {
			return append(b, 1)
		}
		return append(b, 0)
	case sppb.TypeCode_INT64, sppb.TypeCode_ENUM:
		n, _ := parseInt(s)
		return binary.BigEndian.AppendUint64(b, uint64(n)^1<<63)
	case sppb.TypeCode_FLOAT64, sppb.TypeCode_FLOAT32:
		bits := math.Float64bits(number(v))
		if bits>>63 == 0 {
			return binary.BigEndian.AppendUint64(b, bits|1<<63)
		}
		return binary.BigEndian.AppendUint64(b, ^bits)
	case sppb.TypeCode_TIMESTAMP:
		ts, _ := time.Parse(time.RFC3339Nano, s)
		b = binary.BigEndian.AppendUint64(b, uint64(ts.Unix())^1<<63)
		return binary.BigEndian.AppendUint32(b, uint32(ts.Nanosecond()))
	case sppb.TypeCode_NUMERIC:
		// 38 digits, as a number that is never negative and always of the same length.
		r, _ := new(big.Rat).SetString(s)
		r.Mul(r, new(big.Rat).SetInt(pow10(9))).Add(r, new(big.Rat).SetInt(pow10(38)))
		return append(b, r.Num().FillBytes(make([]byte, 17))...)
	case sppb.TypeCode_BYTES, sppb.TypeCode_PROTO:
		raw, _ := base64.StdEncoding.DecodeString(s)
		s = string(raw)
	}
	// Text ends with a mark below anything that may follow in it, so that a prefix sorts first.
	b = append(b, strings.ReplaceAll(s, "\x00", "\x00\xff")...)
	return append(b, 0, 1)
}

// position is where in the order of partitions a row lies: with all rows below the same row of its root table.
func (d *Database) position(t *table, r row) string {
	root := t.root()
	values := make([]*structpb.Value, len(root.key))
	for i := range root.key {
		values[i] = r.at(t.key[i].column) // an interleaved table's key begins with its parent's
	}
	return d.server.place(root.spelled() + "\x00" + encodeKey(root.key, values))
}

// place is the position of an encoded key: itself, or its hash.
func (s *Server) place(key string) string {
	if s.opts.Ordered {
		return key
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // never fails, as hash.Hash says
	x := h.Sum64()
	// FNV's high bits depend little on the last bytes, which is where keys differ; mixing spreads them.
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	x ^= x >> 33
	return string(binary.BigEndian.AppendUint64(nil, x))
}
