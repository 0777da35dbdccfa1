package connectapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// answer is what a handler has to say. The zero status is 200; a nil body is an empty one.
type answer struct {
	status   int
	body     any
	text     string // in place of a body, as text/plain
	location string
	allow    string
}

func ok(body any) answer { return answer{body: body} }

// write puts the answer on the wire. It is the only place that writes.
func (a answer) write(w http.ResponseWriter, r *http.Request) {
	status, kind := a.status, "application/json"
	if status == 0 {
		status = http.StatusOK
	}
	content := []byte(a.text)
	if a.text != "" {
		kind = "text/plain"
	}
	if a.body != nil {
		var err error
		if content, err = encode(a.body); err != nil { // our own types always encode; Connect's form even if not
			status, content = http.StatusInternalServerError, []byte(`{"error_code":500,"message":"The answer cannot be encoded"}`)
		}
	}
	h := w.Header()
	if len(content) > 0 {
		h.Set("Content-Type", kind)
	}
	if a.location != "" {
		h.Set("Location", a.location)
	}
	if a.allow != "" {
		h.Set("Allow", a.allow)
	}
	if status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(content)))
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) // the client is gone; there is nobody to tell
	}
}

// encode writes JSON as Connect does: angle brackets and ampersands as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
