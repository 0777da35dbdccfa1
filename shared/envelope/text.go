package envelope

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string; the scanner stands on its opening quote.
func (s *scanner) str() token {
	text, start := s.text, s.at+1
	escaped := false
	for i := start; ; i++ {
		i = plain(text, i)
		switch {
		case i == len(text):
			s.at = i
			s.fail("string without end")
			return token{}
		case text[i] == '"':
			s.at = i + 1
			return token{kind: stringToken, text: text[start:i], escaped: escaped}
		case text[i] != '\\':
			s.at = i
			s.fail("control character in a string")
			return token{}
		}
		escaped = true
		n := escapeLength(text[i:])
		if n == 0 {
			s.at = i
			s.fail("malformed escape")
			return token{}
		}
		i += n - 1
	}
}

// plain is where text, from i on, has the first byte that is a quote, a backslash or a control character. It looks at
// eight bytes at a time: in a word, x-0x01… has the high bit where a byte of x was zero, and so for the three kinds of
// byte, each made zero or small first.
func plain(text string, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(text); i += 8 {
		b := text[i : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		if ((quote-ones)&^quote|(slash-ones)&^slash|(x-ones*0x20)&^x)&highs != 0 {
			break
		}
	}
	for i < len(text) && text[i] != '"' && text[i] != '\\' && text[i] >= 0x20 {
		i++
	}
	return i
}

// escapeLength is the length of the escape that text begins with; 0 when it is malformed.
func escapeLength(text string) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(text) >= 6 {
			if _, ok := hex4(text[2:6]); ok {
				return 6
			}
		}
	}
	return 0
}

func hex4(text string) (rune, bool) {
	n, err := strconv.ParseUint(text, 16, 16)
	return rune(n), err == nil && text[0] != '+' && text[0] != '_'
}

// string is the text that a string token stands for: the piece of JSON itself when nothing in it is escaped. Not ok:
// half of a surrogate pair, which no text has.
func (t token) string() (string, bool) {
	if !t.escaped {
		return t.text, true
	}
	b := make([]byte, 0, len(t.text))
	for i := 0; i < len(t.text); {
		c := t.text[i]
		if c != '\\' {
			b = append(b, c)
			i++
			continue
		}
		if c = t.text[i+1]; c != 'u' {
			b = append(b, unescape(c))
			i += 2
			continue
		}
		r, _ := hex4(t.text[i+2 : i+6])
		i += 6
		if utf16.IsSurrogate(r) {
			if len(t.text) < i+6 || t.text[i] != '\\' || t.text[i+1] != 'u' {
				return "", false
			}
			low, _ := hex4(t.text[i+2 : i+6])
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return "", false
			}
			i += 6
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b), true
}

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}
