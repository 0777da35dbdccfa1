package envelope

import (
	"fmt"
	"strings"
)

// properties are the classes that Java names otherwise than Go.
var properties = map[string]string{
	"Lower": "[:lower:]", "Upper": "[:upper:]", "ASCII": "[:ascii:]", "Alpha": "[:alpha:]", "Digit": "[:digit:]", "Alnum": "[:alnum:]",
	"Punct": "[:punct:]", "Graph": "[:graph:]", "Print": "[:print:]", "Blank": "[:blank:]", "Cntrl": "[:cntrl:]", "XDigit": "[:xdigit:]", "Space": "[:space:]",
}

// escape translates what follows a backslash.
func (t *translation) escape() {
	rest := t.in[t.at:]
	if len(rest) < 2 {
		t.refuse("the backslash at the end")
		return
	}
	switch c := rest[1]; {
	case '1' <= c && c <= '9', c == 'k':
		t.refuse("the back-reference " + rest[:2])
	case c == 'u':
		t.unicode(rest)
	case c == 'e':
		t.replace(2, `\x1b`)
	case c == 'h':
		t.replace(2, t.bracketed(`\t \x{00A0}\x{1680}\x{180E}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}`))
	case c == 's' || c == 'S':
		t.space(c == 'S') // Java's has the vertical tab, Go's does not
	case c == 'Q':
		t.quoted(rest)
	case c == 'p' || c == 'P':
		t.property(rest)
	case c == 'x':
		t.copy(2)
	case strings.IndexByte("dDwWbBAzntrfa", c) >= 0:
		t.copy(2)
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '0':
		t.refuse("the escape " + rest[:2])
	default:
		t.copy(2) // a character taken literally
	}
}

func (t *translation) unicode(rest string) {
	if len(rest) < 6 || strings.Trim(rest[2:6], "0123456789abcdefABCDEF") != "" {
		t.refuse("the malformed escape \\u")
		return
	}
	t.replace(6, `\x{`+rest[2:6]+`}`)
}

func (t *translation) space(negated bool) {
	switch {
	case !negated:
		t.replace(2, t.bracketed(`\s\x0B`))
	case t.class > 0:
		t.refuse(`the escape \S inside a character class`)
	default:
		t.replace(2, `[^\s\x0B]`)
	}
}

// quoted takes everything up to \E literally.
func (t *translation) quoted(rest string) {
	text, _, ended := strings.Cut(rest[2:], `\E`)
	n := 2 + len(text)
	if ended {
		n += 2
	}
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, `\x{%X}`, r)
	}
	t.replace(n, b.String())
}

// property translates \p{…}: POSIX names by table, Unicode categories and scripts by dropping Java's Is.
func (t *translation) property(rest string) {
	end := strings.IndexByte(rest, '}')
	if len(rest) > 2 && rest[2] != '{' {
		t.copy(3)
		return
	}
	if end < 0 {
		t.refuse("the unfinished property " + rest)
		return
	}
	name := rest[3:end]
	if posix, ok := properties[name]; ok {
		if rest[1] == 'P' {
			posix = "[:^" + posix[2:]
		}
		t.replace(end+1, t.bracketed(posix))
		return
	}
	if strings.HasPrefix(name, "java") || strings.ContainsRune(name, '=') {
		t.refuse("the property " + rest[:end+1])
		return
	}
	t.replace(end+1, `\`+rest[1:2]+"{"+strings.TrimPrefix(name, "Is")+"}")
}

// bracketed puts members into a character class of their own unless they are in one already.
func (t *translation) bracketed(members string) string {
	if t.class > 0 {
		return members
	}
	return "[" + members + "]"
}
