package envelope

import (
	"strconv"

	"sluice.example/shared/record"
	"sluice.example/shared/tableschema"
)

// convert writes what a JSON value stands for in a column of the given type (3). The reason is "" when it fits; nothing
// that does not fit is guessed at.
func (w *work) convert(v *record.Value, of tableschema.Type, tok token) (reason string) {
	if tok.kind == nullToken {
		*v = record.Null
		return ""
	}
	if of.Array {
		return w.array(v, of.Kind, tok)
	}
	switch of.Kind {
	case tableschema.Bool:
		return boolean(v, tok)
	case tableschema.Int64:
		return integer(v, tok)
	case tableschema.Float64, tableschema.Float32:
		return float(v, of.Kind, tok)
	case tableschema.Bytes:
		return w.base64(v, tok)
	case tableschema.Numeric:
		if tok.kind == numberToken {
			*v = record.StringOf(tok.text) // digit for digit, as if it had been text
			return ""
		}
	case tableschema.JSON:
		if tok.kind != stringToken { // not wrapped in a string: it is the text itself
			*v = record.StringOf(tok.text)
			return ""
		}
	}
	if tok.kind != stringToken {
		return "not a string"
	}
	text, ok := tok.string()
	if !ok {
		return "half of a surrogate pair in the text"
	}
	*v = record.StringOf(text)
	return ""
}

func (w *work) array(v *record.Value, kind tableschema.Kind, tok token) string {
	if tok.kind != arrayToken {
		return "not an array"
	}
	elems := w.elems[:0]
	s := scanner{text: tok.text, at: 1} // checked when the token was read
	for s.next(']') {
		elems = append(elems, record.Null)
		if reason := w.convert(&elems[len(elems)-1], tableschema.Type{Kind: kind}, s.value()); reason != "" {
			return "element " + strconv.Itoa(len(elems)-1) + ": " + reason
		}
	}
	list := w.values(len(elems))
	copy(list, elems)
	*v = record.ArrayOf(list)
	clear(elems) // so that the scratch keeps no text alive
	w.elems = elems
	return ""
}

func boolean(v *record.Value, tok token) string {
	switch {
	case tok.kind == trueToken, tok.kind == stringToken && tok.text == "true":
		*v = record.BoolOf(true)
	case tok.kind == falseToken, tok.kind == stringToken && tok.text == "false":
		*v = record.BoolOf(false)
	default:
		return "neither true nor false"
	}
	return ""
}

func integer(v *record.Value, tok token) string {
	if tok.kind != stringToken && tok.kind != numberToken {
		return "not an integer"
	}
	n, err := strconv.ParseInt(tok.text, 10, 64)
	if err != nil {
		return "not an integer of 64 bits"
	}
	*v = record.Int64Of(n)
	return ""
}

func float(v *record.Value, kind tableschema.Kind, tok token) string {
	switch {
	case tok.kind == stringToken && (tok.text == "NaN" || tok.text == "Infinity" || tok.text == "-Infinity"):
	case tok.kind == stringToken && numeric(tok.text):
	case tok.kind != numberToken:
		return "not a number"
	}
	f, err := strconv.ParseFloat(tok.text, 64)
	if err != nil {
		return "a number out of range"
	}
	if kind == tableschema.Float32 {
		*v = record.Float32Of(float32(f))
		return ""
	}
	*v = record.Float64Of(f)
	return ""
}

func numeric(text string) bool {
	s := scanner{text: text}
	tok := s.value()
	return s.fault == "" && s.at == len(text) && tok.kind == numberToken && tok.text == text
}
