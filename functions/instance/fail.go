package instance

import (
	"encoding/json"
	"net/http"
)

// Fail answers an error in the form in which the REST API gives its own.
func Fail(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A write that fails means that nobody is there to read it.
	_ = json.NewEncoder(w).Encode(map[string]any{"error_code": status, "message": err.Error()})
}
