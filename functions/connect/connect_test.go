package connect

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

type echo struct{}

func (echo) REST() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.EscapedPath()) })
}

func TestPathReachesTheAPIAsItWasSent(t *testing.T) {
	for path, want := range map[string]string{
		"/connectors/a%2Fb/status":         "/connectors/a%2Fb/status",
		"/connect/connectors/a%2Fb/status": "/connectors/a%2Fb/status",
		"/connect/":                        "/",
	} {
		handler := Handler(echo{})
		if len(path) > 8 && path[:9] == "/connect/" {
			handler = Below("/connect", echo{})
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Body.String() != want {
			t.Errorf("%s reached the API as %s, want %s", path, w.Body, want)
		}
	}
}
