package converter

import (
	"math/big"
	"strconv"
	"strings"
)

// appendDecimal writes a Decimal as a JSON number in the words of BigDecimal.toString: unscaled is its big-endian two's
// complement. With a negative scale, or more than five zeros after the point, there is an exponent: 1E+10, 1E-7.
func appendDecimal(dst []byte, unscaled string, scale int) []byte {
	n := new(big.Int).SetBytes([]byte(unscaled))
	if len(unscaled) > 0 && unscaled[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(unscaled))))
	}
	if n.Sign() < 0 {
		dst = append(dst, '-')
	}
	digits := n.Abs(n).String()
	exponent := len(digits) - 1 - scale
	switch {
	case scale == 0:
		return append(dst, digits...)
	case scale < 0 || exponent < -6:
		dst = append(dst, digits[0])
		if len(digits) > 1 {
			dst = append(append(dst, '.'), digits[1:]...)
		}
		dst = append(dst, 'E')
		if exponent >= 0 {
			dst = append(dst, '+')
		}
		return strconv.AppendInt(dst, int64(exponent), 10)
	case scale >= len(digits):
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	point := len(digits) - scale
	return append(append(append(dst, digits[:point]...), '.'), digits[point:]...)
}
