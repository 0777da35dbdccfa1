package envelope

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// tree builds what encoding/json builds, out of the scanner's tokens. Not ok: half of a surrogate pair, which the
// scanner refuses and encoding/json replaces.
func tree(tok token) (v any, ok bool) {
	switch tok.kind {
	case nullToken:
		return nil, true
	case trueToken, falseToken:
		return tok.kind == trueToken, true
	case numberToken:
		return json.Number(tok.text), true
	case stringToken:
		return tok.string()
	case arrayToken:
		list := []any{}
		s := scanner{text: tok.text, at: 1}
		for s.next(']') {
			e, ok := tree(s.value())
			if !ok {
				return nil, false
			}
			list = append(list, e)
		}
		return list, s.fault == ""
	}
	object := map[string]any{}
	s := scanner{text: tok.text, at: 1}
	for {
		name, more := s.member()
		if !more {
			return object, s.fault == ""
		}
		e, ok := tree(s.value())
		if !ok {
			return nil, false
		}
		object[name] = e
	}
}

func scan(text string) (v any, ok bool) {
	s := scanner{text: text}
	tok := s.value()
	s.end()
	if s.fault != "" {
		return nil, false
	}
	return tree(tok)
}

func reference(text string) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if !json.Valid([]byte(text)) || d.Decode(&v) != nil {
		return nil, false
	}
	return v, true
}

var jsonSeeds = []string{
	`{"a":"1","b":[null,true,false,-1.5e+10,""],"c":{"d":"\u00e9\n\/\\\"😀"}}`, `{}`, `[]`, ` [ 1 , 2 ] `, `"plain text longer than eight bytes"`, `"\ud83d\ude00"`,
	`"\ud83d"`, `"\ud83dx"`, `"\udc00\ud83d"`, `"a` + "\n" + `"`, `01`, `-`, `-0`, `1.`, `1e`, `.5`, `+1`, `{"a"}`, `{"a":1,}`, `[1,]`, `[,1]`, `{,}`, `nul`, `truex`, `"\x"`,
	`"\u12"`, `"\u+123"`, `"open`, `[1`, `{"a":`, `1 2`, ``, ` `, `{"a":1,"a":2}`, `{"\u0061":1}`, strings.Repeat("[", 60) + strings.Repeat("]", 60), `"` + "\x7f\u2028" + `"`,
}

// FuzzScan holds the scanner against encoding/json: both take the same texts and read the same from them.
func FuzzScan(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // a change's texts are UTF-8, see scanner
		}
		got, ok := scan(text)
		want, valid := reference(text)
		switch {
		case ok != valid && !ok && (loneSurrogate(text) || strings.Count(text, "[")+strings.Count(text, "{") > maxDepth):
		case ok != valid:
			t.Fatalf("%q: scanner %v, encoding/json %v", text, ok, valid)
		case ok && !reflect.DeepEqual(got, want):
			t.Fatalf("%q: %#v instead of %#v", text, got, want)
		}
	})
}

// loneSurrogate tells whether encoding/json replaced something, or might have.
func loneSurrogate(text string) bool { return strings.Contains(strings.ToLower(text), `\ud`) }

func TestDepthIsBounded(t *testing.T) {
	t.Parallel()
	if _, ok := scan(strings.Repeat("[", 100000) + strings.Repeat("]", 100000)); ok {
		t.Error("a hundred thousand arrays were read")
	}
}

func TestPlainTextIsNotCopied(t *testing.T) { // not parallel: it counts allocations
	s := scanner{text: `"some text of a column"`}
	if n := testing.AllocsPerRun(100, func() { s.at = 0; s.value().string() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
