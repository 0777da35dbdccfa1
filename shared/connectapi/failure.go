package connectapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"sluice.example/shared/lease"
)

// failure is an error with its place on the wire: every other error is given one by failed.
type failure struct {
	status  int
	message string
	allow   string // of 405
}

func (f *failure) Error() string { return f.message }

func failf(status int, format string, args ...any) error {
	return &failure{status: status, message: fmt.Sprintf(format, args...)}
}

// routerFailure has the words of Connect's router.
func routerFailure(status int) error { return failf(status, "HTTP %d %s", status, reasons[status]) }

var reasons = map[int]string{
	http.StatusNotFound:             "Not Found",
	http.StatusMethodNotAllowed:     "Method Not Allowed",
	http.StatusNotAcceptable:        "Not Acceptable",
	http.StatusUnsupportedMediaType: "Unsupported Media Type",
}

// errBusy is the other meaning of 409; clients that retry on it must not see it for a connector that exists (RE-04).
var errBusy = failf(http.StatusConflict, "Cannot complete request because of a conflicting operation: the connector is being changed by others at the same time")

type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

func panicked(value any) error { return &panicError{value: value, stack: debug.Stack()} }

// failed decides, for every kind of error, what the client sees, and logs what is not the client's doing. Messages of the
// last kinds are not passed on: nobody has looked at them for secrets.
func (s *server) failed(r *http.Request, err error) answer {
	var (
		f *failure
		p *panicError
	)
	switch {
	case errors.As(err, &f):
	case errors.Is(err, lease.ErrConflict):
		errors.As(errBusy, &f)
	case errors.Is(err, lease.ErrStore), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		f = &failure{status: http.StatusServiceUnavailable, message: "The store did not answer in time or cannot be reached; the request may or may not have taken effect. Try again later."}
	default:
		f = &failure{status: http.StatusInternalServerError, message: "Internal server error; the log of this worker has the details."}
	}
	gone := r.Context().Err() != nil // then nobody reads the answer, and the error is that they left
	if f.status >= http.StatusInternalServerError && !gone {
		attrs := []any{"method", r.Method, "path", r.URL.EscapedPath(), "status", f.status, "error", err}
		if errors.As(err, &p) {
			attrs = append(attrs, "stack", string(p.stack))
		}
		s.Logger.Error("request failed", attrs...)
	}
	return answer{status: f.status, allow: f.allow, body: errorBody{Code: f.status, Message: f.message}}
}

// errorBody is the form of every error.
type errorBody struct {
	Code    int    `json:"error_code"`
	Message string `json:"message"`
}
