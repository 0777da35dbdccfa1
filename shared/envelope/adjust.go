package envelope

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// adjust changes a schema's name as schema.name.adjustment.mode asks: avro puts an underscore where Avro allows no such
// character, avro_unicode writes _uXXXX instead, and so has to write the underscore itself in that way too. Any other
// mode leaves the name as it is.
//
// Source: the documentation of schema.name.adjustment.mode; the hexadecimal has the digits of the peer, which are not
// always four.
func adjust(mode, name string) string {
	unicode := mode == "avro_unicode"
	if !unicode && mode != "avro" {
		return name
	}
	var b strings.Builder
	for i, c := range utf16.Encode([]rune(name)) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		later := i > 0 && ('0' <= c && c <= '9' || c == '.')
		switch {
		case letter, later, c == '_' && !unicode:
			b.WriteByte(byte(c))
		case !unicode:
			b.WriteByte('_')
		default:
			hex := strconv.FormatUint(uint64(c), 16)
			if len(hex) <= 2 {
				hex = "00" + hex
			}
			b.WriteString("_u" + hex)
		}
	}
	return b.String()
}
