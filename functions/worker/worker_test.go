package worker

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sluice.example/shared/scheduler"
)

type recorder struct {
	wakes []scheduler.Wake
	err   error
}

func (r *recorder) RunSlot(_ context.Context, w scheduler.Wake) error {
	r.wakes = append(r.wakes, w)
	return r.err
}

func post(app App, method, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	Handler(app).ServeHTTP(w, httptest.NewRequest(method, "/", strings.NewReader(body)))
	return w
}

func TestWakeRunsItsSlot(t *testing.T) {
	app := &recorder{}
	w := post(app, http.MethodPost, `{"connector":"orders","slot":3,"later":true}`)
	if w.Code != http.StatusNoContent || len(app.wakes) != 1 || app.wakes[0] != (scheduler.Wake{Connector: "orders", Slot: 3}) {
		t.Errorf("answered %d, ran %v", w.Code, app.wakes)
	}
}

func TestWhatIsNoWakeRunsNothing(t *testing.T) {
	for _, body := range []string{
		``, `{`, `[]`, `{"slot":1}`, `{"connector":"","slot":1}`, `{"connector":"c"}`, `{"connector":"c","slot":-1}`,
		`{"connector":"c","slot":"1"}`, `{"connector":"` + strings.Repeat("c", maxWake) + `","slot":1}`,
	} {
		app := &recorder{}
		w := post(app, http.MethodPost, body)
		if w.Code != http.StatusBadRequest || len(app.wakes) != 0 || !strings.Contains(w.Body.String(), `"error_code":400`) {
			t.Errorf("%.40q: answered %d %s, ran %v", body, w.Code, w.Body, app.wakes)
		}
	}
	if w := post(&recorder{}, http.MethodGet, ""); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
		t.Errorf("GET answered %d", w.Code)
	}
}

func TestFailedSlotIsAFailedRequest(t *testing.T) {
	w := post(&recorder{err: errors.New("store is away")}, http.MethodPost, `{"connector":"c","slot":0}`)
	if want := `{"error_code":500,"message":"store is away"}` + "\n"; w.Code != http.StatusInternalServerError || w.Body.String() != want {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
}

// TestNothingRunsAfterTheAnswer is the function's part of FN-03: no goroutine of its own outlives a call.
func TestNothingRunsAfterTheAnswer(t *testing.T) {
	before := goleak.IgnoreCurrent()
	app := &recorder{}
	for range 20 {
		post(app, http.MethodPost, `{"connector":"c","slot":0}`)
	}
	goleak.VerifyNone(t, before)
}
