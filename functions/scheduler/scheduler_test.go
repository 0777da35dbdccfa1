package scheduler

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"
)

type ticks struct {
	n   int
	err error
}

func (t *ticks) Tick(context.Context) error { t.n++; return t.err }

func TestEveryRequestIsOneTick(t *testing.T) {
	app := &ticks{}
	for _, method := range []string{"GET", "POST"} {
		w := httptest.NewRecorder()
		Handler(app).ServeHTTP(w, httptest.NewRequest(method, "/", nil))
		if w.Code != 204 {
			t.Errorf("%s answered %d", method, w.Code)
		}
	}
	app.err = errors.New("store is away")
	w := httptest.NewRecorder()
	Handler(app).ServeHTTP(w, httptest.NewRequest("POST", "/", nil))
	if w.Code != 500 || app.n != 3 {
		t.Errorf("failed tick answered %d after %d ticks", w.Code, app.n)
	}
}

func TestSpentDeadlineIsNoTickAndNoError(t *testing.T) {
	app := &ticks{}
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if err := Run(ctx, app); err != nil || app.n != 0 {
		t.Errorf("Run = %v after %d ticks", err, app.n)
	}
}
