package envelope

// scanner goes once through a JSON text, strictly (RFC 8259), without building a tree: what it returns are pieces of the
// text. After a fault it returns nothing more. It exists for speed; a fuzz test holds it against encoding/json.
//
// Text that is not UTF-8 is not looked for: Spanner's texts come in protobuf strings, which are checked on the way.
type scanner struct {
	text  string
	at    int
	more  bool   // a member or element was read before
	fault string // what is wrong at byte at; "" as long as nothing is
}

// token is one value. Strings and scalars are as written, a string without its quotes; arrays and objects are the whole
// text of them, checked.
type token struct {
	kind    tokenKind
	text    string
	escaped bool // a string in which something is escaped
}

type tokenKind uint8

const (
	noToken tokenKind = iota
	nullToken
	trueToken
	falseToken
	numberToken
	stringToken
	arrayToken
	objectToken
)

// maxDepth bounds nesting; Spanner allows 80 levels in a JSON value.
const maxDepth = 1000

func (s *scanner) fail(what string) {
	if s.fault == "" {
		s.fault = what
	}
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// take passes over a byte if it comes next, after white space.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.fault == "" && s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// open begins an object or array.
func (s *scanner) open(c byte) {
	if !s.take(c) {
		s.fail("expected " + string(c))
	}
}

// next tells whether another member or element follows, and closes the object or array when not.
func (s *scanner) next(closer byte) bool {
	if s.fault != "" || s.take(closer) {
		return false
	}
	if s.more && !s.take(',') {
		s.fail("expected , or " + string(closer))
		return false
	}
	s.more = true
	return true
}

// member reads the name of the next member up to its value; not ok: the object has ended, or a fault.
func (s *scanner) member() (name string, ok bool) {
	if !s.next('}') {
		return "", false
	}
	if s.space(); s.at == len(s.text) || s.text[s.at] != '"' {
		s.fail("expected a member's name")
		return "", false
	}
	tok := s.str()
	if !s.take(':') {
		s.fail("expected :")
		return "", false
	}
	name, ok = tok.string()
	if !ok {
		s.fail("half of a surrogate pair in a member's name")
	}
	return name, ok && s.fault == ""
}

// end demands that nothing follows.
func (s *scanner) end() {
	if s.space(); s.at != len(s.text) {
		s.fail("something follows the value")
	}
}

// value reads one value of any kind.
func (s *scanner) value() token { return s.nested(0) }

func (s *scanner) nested(depth int) token {
	s.space()
	if s.fault != "" || s.at == len(s.text) {
		s.fail("expected a value")
		return token{}
	}
	switch c := s.text[s.at]; {
	case c == '"':
		return s.str()
	case c == '-' || isDigit(c):
		return s.number()
	case c == 'n':
		return s.literal("null", nullToken)
	case c == 't':
		return s.literal("true", trueToken)
	case c == 'f':
		return s.literal("false", falseToken)
	case c == '[' && depth < maxDepth:
		return s.array(depth + 1)
	case c == '{' && depth < maxDepth:
		return s.object(depth + 1)
	}
	s.fail("expected a value")
	return token{}
}

func (s *scanner) literal(word string, kind tokenKind) token {
	end := s.at + len(word)
	if end > len(s.text) || s.text[s.at:end] != word {
		s.fail("expected " + word)
		return token{}
	}
	s.at = end
	return token{kind: kind, text: word}
}

func (s *scanner) array(depth int) token {
	start := s.at
	s.at++
	inner := scanner{text: s.text, at: s.at}
	for inner.next(']') {
		inner.nested(depth)
	}
	s.at, s.fault = inner.at, inner.fault
	return token{kind: arrayToken, text: s.text[start:s.at]}
}

func (s *scanner) object(depth int) token {
	start := s.at
	s.at++
	inner := scanner{text: s.text, at: s.at}
	for {
		if _, ok := inner.member(); !ok {
			break
		}
		inner.nested(depth)
	}
	s.at, s.fault = inner.at, inner.fault
	return token{kind: objectToken, text: s.text[start:s.at]}
}

func (s *scanner) number() token {
	start := s.at
	if s.text[s.at] == '-' {
		s.at++
	}
	if whole := s.digits(); whole == 0 || whole > 1 && s.text[s.at-whole] == '0' {
		s.fail("malformed number")
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		if s.at++; s.digits() == 0 {
			s.fail("malformed number")
		}
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		if s.at++; s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			s.fail("malformed number")
		}
	}
	return token{kind: numberToken, text: s.text[start:s.at]}
}

// digits passes over digits and counts them.
func (s *scanner) digits() int {
	start := s.at
	for s.at < len(s.text) && isDigit(s.text[s.at]) {
		s.at++
	}
	return s.at - start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
