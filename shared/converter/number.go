package converter

import (
	"bytes"
	"math"
	"strconv"
)

// appendFloat appends a float as Java's Double.toString (bits 64) and Float.toString (bits 32) print it: plain between
// 10^-3 and 10^7, otherwise d.ddE±n, always with a digit after the point. NaN and infinities are words, without quotes.
//
// The digits are the shortest that tell the number from its neighbours, the closest of those, as in JDK 19 and later.
// JDK 17 prints a few numbers with a digit more than they need; here those have the newer form.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case f == 0 && math.Signbit(f):
		return append(dst, "-0.0"...)
	case f == 0:
		return append(dst, "0.0"...)
	}
	if size := math.Abs(f); size >= 1e-3 && size < 1e7 {
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
		if bytes.IndexByte(dst[start:], '.') < 0 {
			dst = append(dst, ".0"...)
		}
		return dst
	}
	var room [32]byte
	digits := strconv.AppendFloat(room[:0], f, 'e', -1, bits)
	if bytes.IndexByte(digits, '.') < 0 {
		// One digit would do, but two are printed anyway: then the closest two, 4.9E-324 and not 5.0E-324.
		digits = strconv.AppendFloat(room[:0], f, 'e', 1, bits)
	}
	mantissa, exponent, _ := bytes.Cut(digits, []byte("e"))
	dst = append(append(dst, mantissa...), 'E')
	if exponent[0] == '-' {
		dst = append(dst, '-')
	}
	exponent = bytes.TrimLeft(exponent[1:], "0") // Go writes a sign and at least two digits
	return append(dst, exponent...)
}
