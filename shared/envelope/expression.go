package envelope

import (
	"fmt"
	"regexp"
	"strings"
)

// ExpressionError says what in a Java regular expression cannot be done here.
type ExpressionError struct {
	Expression string
	Construct  string
}

func (e *ExpressionError) Error() string {
	return fmt.Sprintf("regular expression %q cannot be used: %s", e.Expression, e.Construct)
}

// CompileExpression compiles an expression written for Java's Pattern, to match whole names in any case. Go's engine
// never looks back, in exchange for linear time; what needs that, and what the two engines write alike but mean
// differently, is refused with an *ExpressionError naming the construct.
func CompileExpression(java string) (*regexp.Regexp, error) {
	t := translation{in: java}
	t.run()
	if t.refused != "" {
		return nil, &ExpressionError{Expression: java, Construct: t.refused}
	}
	r, err := regexp.Compile("(?i)^(?:" + t.out.String() + ")$")
	if err != nil {
		return nil, &ExpressionError{Expression: java, Construct: strings.ReplaceAll(err.Error(), t.out.String(), java)}
	}
	return r, nil
}

// translation goes once through an expression, copying what means the same.
type translation struct {
	in      string
	at      int
	out     strings.Builder
	class   int // depth of brackets
	refused string
}

func (t *translation) refuse(what string) {
	if t.refused == "" {
		t.refused = what
	}
}

func (t *translation) run() {
	for t.at < len(t.in) && t.refused == "" {
		c := t.in[t.at]
		switch {
		case c == '\\':
			t.escape()
		case t.class > 0:
			t.inClass(c)
		case c == '[':
			t.class++
			t.copy(1)
			if strings.HasPrefix(t.in[t.at:], "^") {
				t.copy(1)
			}
			if strings.HasPrefix(t.in[t.at:], "]") {
				t.refuse("the character class that begins with ]")
			}
		case c == '(':
			t.group()
		case c == '*' || c == '+' || c == '?' || c == '}':
			t.copy(1)
			if strings.HasPrefix(t.in[t.at:], "+") {
				t.refuse("the possessive quantifier " + string(c) + "+")
			}
		default:
			t.copy(1)
		}
	}
}

func (t *translation) inClass(c byte) {
	switch {
	case c == '[':
		t.refuse("the character class inside a character class")
	case strings.HasPrefix(t.in[t.at:], "&&"):
		t.refuse("the intersection && of character classes")
	case c == ']':
		t.class--
		t.copy(1)
	default:
		t.copy(1)
	}
}

// Groups that Go's engine does not have.
var groups = []struct{ prefix, name string }{
	{"(?=", "look-ahead (?="}, {"(?!", "look-ahead (?!"}, {"(?<=", "look-behind (?<="}, {"(?<!", "look-behind (?<!"}, {"(?>", "the atomic group (?>"},
}

func (t *translation) group() {
	rest := t.in[t.at:]
	for _, g := range groups {
		if strings.HasPrefix(rest, g.prefix) {
			t.refuse(g.name)
			return
		}
	}
	if !strings.HasPrefix(rest, "(?") || strings.HasPrefix(rest, "(?<") {
		t.copy(1)
		return
	}
	// Flags: i, m and s mean the same; U is Unicode classes in Java and swapped greed in Go.
	end := strings.IndexAny(rest, ":)")
	if end < 0 || strings.Trim(rest[2:end], "ims-") != "" {
		t.refuse("the flags " + rest[:min(len(rest), max(end, 3))])
		return
	}
	t.copy(end + 1)
}

// copy takes n bytes over as they are.
func (t *translation) copy(n int) {
	n = min(n, len(t.in)-t.at)
	t.out.WriteString(t.in[t.at : t.at+n])
	t.at += n
}

// replace writes other text for the next n bytes.
func (t *translation) replace(n int, text string) {
	t.out.WriteString(text)
	t.at += n
}
