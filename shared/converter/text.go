package converter

import "unicode/utf8"

const upperHex = "0123456789ABCDEF"

// What a byte of a JSON string needs: 0 nothing, u the \u form, x a closer look, otherwise the letter of its escape.
var escapes = func() (t [256]byte) {
	for c := range 0x20 {
		t[c] = 'u'
	}
	t['\b'], t['\f'], t['\n'], t['\r'], t['\t'] = 'b', 'f', 'n', 'r', 't'
	t['"'], t['\\'] = '"', '\\'
	for c := 0x80; c < 0x100; c++ {
		t[c] = 'x'
	}
	return t
}()

// appendText appends a JSON string as Jackson writes it: upper-case hexadecimal, what lies beyond the basic plane as an
// escaped surrogate pair, nothing else escaped that need not be (not /, <, >, & nor U+2028). Bytes that are no UTF-8
// become the replacement character, as they do on their way into a Java string.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := plain(s, 0); i < len(s); i = plain(s, i) {
		kind := escapes[s[i]]
		if kind != 'x' {
			dst = append(append(dst, s[done:i]...), '\\', kind)
			if kind == 'u' {
				dst = append(dst, '0', '0', upperHex[s[i]>>4], upperHex[s[i]&15])
			}
			i++
			done = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r > 0xFFFF:
			dst = append(dst, s[done:i]...)
			dst = appendUnit(dst, 0xD800+(r-0x10000)>>10)
			dst = appendUnit(dst, 0xDC00+(r-0x10000)&0x3FF)
			done = i + size
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, s[done:i]...), "\uFFFD"...)
			done = i + size
		}
		i += size
	}
	return append(append(dst, s[done:]...), '"')
}

func appendUnit(dst []byte, u rune) []byte {
	return append(dst, '\\', 'u', upperHex[u>>12&15], upperHex[u>>8&15], upperHex[u>>4&15], upperHex[u&15])
}

// plain is where s, from i on, has the first byte that cannot be copied unseen. Eight bytes at a time: in a word,
// x-0x01… has the high bit where a byte of x was zero, and so for quotes, backslashes and control characters, each made
// zero or small first; the high bits of x itself tell of what is not ASCII.
func plain(s string, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		if ((quote-ones)&^quote|(slash-ones)&^slash|(x-ones*0x20)&^x|x)&highs != 0 {
			break
		}
	}
	for i < len(s) && escapes[s[i]] == 0 {
		i++
	}
	return i
}
