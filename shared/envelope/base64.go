package envelope

import "sluice.example/shared/record"

// sextets is the value of each character of the standard alphabet; 0xFF: not one of it. It is kept by hand because the
// standard library's decoder passes over line ends, which the peer refuses, and allocates twice.
var sextets = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xFF
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = byte(i)
	}
	return t
}()

// base64 decodes BYTES: standard alphabet, padding optional (3).
func (w *work) base64(v *record.Value, tok token) string {
	const reason = "not base64"
	if tok.kind != stringToken {
		return reason
	}
	text, ok := tok.string() // a slash may come escaped
	if !ok {
		return reason
	}
	n := len(text)
	for n > 0 && n%4 != 1 && text[n-1] == '=' && len(text)%4 == 0 && len(text)-n < 2 {
		n--
	}
	if n%4 == 1 {
		return reason
	}
	out := w.bytes[:0]
	for i := 0; i+4 <= n; i += 4 {
		a, b, c, d := sextets[text[i]], sextets[text[i+1]], sextets[text[i+2]], sextets[text[i+3]]
		if (a|b|c|d)&0xC0 != 0 {
			return reason
		}
		out = append(out, a<<2|b>>4, b<<4|c>>2, c<<6|d)
	}
	if rest := text[n&^3 : n]; len(rest) > 0 {
		a, b := sextets[rest[0]], sextets[rest[1]]
		if (a|b)&0xC0 != 0 {
			return reason
		}
		out = append(out, a<<2|b>>4)
		if len(rest) == 3 {
			c := sextets[rest[2]]
			if c&0xC0 != 0 {
				return reason
			}
			out = append(out, b<<4|c>>2)
		}
	}
	w.bytes = out
	*v = record.BytesOf(string(out))
	return ""
}
