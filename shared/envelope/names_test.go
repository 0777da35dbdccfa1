package envelope

import (
	"errors"
	"testing"
)

func TestUid(t *testing.T) {
	t.Parallel()
	for n, want := range map[uint64]string{0: "aaaaaaaa", 1: "aaaaaaab", 25: "aaaaaaaz", 26: "aaaaaaba", 26*26 + 1: "aaaaabab", 208827064575: "zzzzzzzz", 208827064576: "baaaaaaaa"} {
		if got := uidText(n); got != want {
			t.Errorf("%d is %s instead of %s", n, got, want)
		}
	}
	var u uids
	if a, b, c := u.take("x", 2), u.take("x", 1), u.take("y", 1); a != 0 || b != 2 || c != 0 {
		t.Error(a, b, c)
	}
	u.restart("x")
	if u.take("x", 1) != 0 {
		t.Error("the count went on")
	}
}

func TestAdjust(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ mode, name, want string }{
		{"none", "a-b.Ä", "a-b.Ä"}, {"", "1a", "1a"},
		{"avro", "c-1.my table.Envelope", "c_1.my_table.Envelope"}, {"avro", "1a.b_c", "_a.b_c"}, {"avro", "😀", "__"},
		{"avro_unicode", "c-1.T.Key", "c_u002d1.T.Key"}, {"avro_unicode", "1a_b", "_u0031a_u005fb"}, {"avro_unicode", "é顧", "_u00e9_u9867"},
	} {
		if got := adjust(test.mode, test.name); got != test.want {
			t.Errorf("%s %s: %s instead of %s", test.mode, test.name, got, test.want)
		}
	}
}

func TestSequenceNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"00000001": "1", "00000000": "0", "0": "0", "120": "120", "": "", "1a": "", "-1": ""} {
		if got, ok := sequenceNumber(in); got != want || ok != (want != "") {
			t.Errorf("%q: %q %v", in, got, ok)
		}
	}
}

func TestExpressions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		java string
		yes  []string
		no   []string
	}{
		{`a|bc`, []string{"a", "BC"}, []string{"ac", "abc"}},
		{`\p{Upper}x\P{Digit}`, []string{"axb"}, []string{"1xb", "ax1"}},
		{`[\p{Alnum}_]+`, []string{"a_1"}, []string{"a-1"}},
		{`\Qa.b\E+`, []string{"a.bb"}, []string{"axb"}},
		{`\Qa[b`, []string{"a[b"}, []string{"ab"}},
		{`\u0041\x42\s\h\e?`, []string{"ab  "}, []string{"ab "}},
		{`\p{IsLatin}+`, []string{"abc"}, []string{"顧"}},
		{`\p{L}\pN`, []string{"a1"}, []string{"1a"}},
		{`(?<name>a)(?:b)(?i:c)`, []string{"abc"}, []string{"ab"}},
		{`a{2,3}?b*?\.`, []string{"aab.", "aaa."}, []string{"ab."}},
		{`[^a\s]\S`, []string{"bb"}, []string{"ab", "b "}},
		{`\-\,\_?`[:4], []string{"-,"}, []string{"-"}},
	} {
		r, err := CompileExpression(test.java)
		if err != nil {
			t.Errorf("%s: %v", test.java, err)
			continue
		}
		for _, s := range test.yes {
			if !r.MatchString(s) {
				t.Errorf("%s does not match %q", test.java, s)
			}
		}
		for _, s := range test.no {
			if r.MatchString(s) {
				t.Errorf("%s matches %q", test.java, s)
			}
		}
	}
}

func TestExpressionsRefused(t *testing.T) {
	t.Parallel()
	for java, construct := range map[string]string{
		`a(?=b)`: "look-ahead (?=", `(?!a)b`: "look-ahead (?!", `(?<=a)b`: "look-behind (?<=", `(?<!a)b`: "look-behind (?<!", `(?>a)`: "the atomic group (?>",
		`(a)\1`: `the back-reference \1`, `(?<n>a)\k<n>`: `the back-reference \k`, `a++`: "the possessive quantifier ++", `a{2}+`: "the possessive quantifier }+",
		`[a-z&&[^b]]`: "the intersection && of character classes", `[a[bc]]`: "the character class inside a character class", `(?x)a b`: "the flags (?x",
		`\R`: `the escape \R`, `\Ga`: `the escape \G`, `\p{javaLowerCase}`: `the property \p{javaLowerCase}`, `\u12`: `the malformed escape \u`, `a\`: "the backslash at the end",
		`[]a]`: "the character class that begins with ]", `[\S]`: `the escape \S inside a character class`, `\p{L`: `the unfinished property \p{L`, `a[`: "", `*`: "",
	} {
		_, err := CompileExpression(java)
		var e *ExpressionError
		if !errors.As(err, &e) || e.Expression != java || construct != "" && e.Construct != construct || e.Construct == "" {
			t.Errorf("%s: %v", java, err)
		}
	}
}
