package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdaurl"
	"go.uber.org/goleak"

	"sluice.example/functions/connect"
	"sluice.example/functions/instance"
	"sluice.example/shared/scheduler"
)

// stand is an app that says what it was asked to do.
type stand struct{ out io.Writer }

func (s stand) REST() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Method, " ", r.URL.EscapedPath()) })
}

func (s stand) RunSlot(_ context.Context, w scheduler.Wake) error {
	fmt.Fprintln(s.out, "ran", w.Connector, w.Slot)
	if w.Connector == "broken" {
		return errors.New("store is away")
	}
	return nil
}

func (s stand) Tick(context.Context) error { fmt.Fprintln(s.out, "ticked"); return nil }

func TestMain(m *testing.M) {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		open = func(context.Context) (instance.App, error) { return stand{os.Stdout}, nil }
		main()
	}
	os.Exit(m.Run())
}

// with puts a new stand in the place of the app and answers what it says.
func with(t *testing.T) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	was := app
	app = instance.New(func(context.Context) (instance.App, error) { return stand{&out}, nil })
	t.Cleanup(func() { app = was })
	return &out
}

func TestWakeAsItIs(t *testing.T) {
	out := with(t)
	if answer, err := runWorker(t.Context(), json.RawMessage(`{"connector":"orders","slot":1}`)); answer != nil || err != nil {
		t.Errorf("answered %v, %v", answer, err)
	}
	if _, err := runWorker(t.Context(), json.RawMessage(`{"connector":"broken","slot":1}`)); err == nil {
		t.Error("a failed slot was a success")
	}
	if _, err := runWorker(t.Context(), json.RawMessage(`{"time":"now"}`)); err == nil {
		t.Error("an event that is no wake was a success")
	}
	if want := "ran orders 1\nran broken 1\n"; out.String() != want {
		t.Errorf("did %q, want %q", out, want)
	}
}

func TestBatchAnswersTheMessagesThatFailed(t *testing.T) {
	with(t)
	event, err := json.Marshal(events.SQSEvent{Records: []events.SQSMessage{
		{MessageId: "1", Body: `{"connector":"orders","slot":1}`},
		{MessageId: "2", Body: `{"connector":"broken","slot":1}`},
		{MessageId: "3", Body: `no wake`},
	}})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := runWorker(t.Context(), event)
	text, _ := json.Marshal(answer)
	if want := `{"batchItemFailures":[{"itemIdentifier":"2"},{"itemIdentifier":"3"}]}`; err != nil || string(text) != want {
		t.Errorf("answered %s, %v; want %s", text, err, want)
	}
}

// TestNothingRunsAfterTheAnswer is the bootstrap's part of FN-03: no goroutine of its own outlives an invocation.
func TestNothingRunsAfterTheAnswer(t *testing.T) {
	before := goleak.IgnoreCurrent()
	with(t)
	rest := lambdaurl.Wrap(connect.Handler(app))
	for range 20 {
		request := &events.LambdaFunctionURLRequest{RawPath: "/connectors/a%2Fb"}
		request.RequestContext.DomainName = "url.example"
		request.RequestContext.HTTP.Method = http.MethodGet
		answer, err := rest(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != 200 || string(body) != "GET /connectors/a%2Fb" {
			t.Fatalf("answered %d %s, %v", answer.StatusCode, body, err)
		}
		if _, err := runWorker(t.Context(), json.RawMessage(`{"connector":"orders","slot":1}`)); err != nil {
			t.Fatal(err)
		}
		if err := runScheduler(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	goleak.VerifyNone(t, before)
}

// platform is the runtime interface of Lambda with one invocation to give; what the function answers comes out of the
// channel.
func platform(t *testing.T, event string, deadline time.Time) (string, <-chan string) {
	t.Helper()
	next, answers := make(chan struct{}, 1), make(chan string, 1)
	next <- struct{}{}
	const base = "/2018-06-01/runtime/"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+base+"invocation/next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-next:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
			w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(deadline.UnixMilli(), 10))
			fmt.Fprint(w, event)
		case <-r.Context().Done(): // there is no second one
		}
	})
	mux.HandleFunc("POST "+base, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusAccepted)
		answers <- strings.TrimPrefix(r.URL.Path, base) + " " + string(body)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://"), answers
}

// TestEachFunctionStartsAndAnswers runs the bootstrap as a process against the runtime interface.
func TestEachFunctionStartsAndAnswers(t *testing.T) {
	soon := time.Now().Add(time.Minute)
	request := `{"rawPath":"/connectors","requestContext":{"domainName":"url.example","http":{"method":"GET"}}}`
	for name, c := range map[string]struct {
		function, event string
		deadline        time.Time
		answer, did     string
	}{
		"connect":   {"connect", request, soon, "GET /connectors", ""},
		"worker":    {"worker", `{"connector":"orders","slot":4}`, soon, "invocation/1/response null", "ran orders 4"},
		"scheduler": {"scheduler", `{"source":"aws.scheduler"}`, soon, "invocation/1/response null", "ticked"},
		// FN-05 (b), as local runners do it.
		"deadline zero": {"worker", `{"connector":"orders","slot":4}`, time.UnixMilli(0), "invocation/1/response null", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api, answers := platform(t, c.event, c.deadline)
			process := exec.Command(os.Args[0])
			process.Env = append(os.Environ(), "AWS_LAMBDA_RUNTIME_API="+api, "SLUICE_FUNCTION="+c.function)
			var out bytes.Buffer
			process.Stdout = &out
			if err := process.Start(); err != nil {
				t.Fatal(err)
			}
			var answer string
			select {
			case answer = <-answers:
			case <-time.After(30 * time.Second):
			}
			_ = process.Process.Kill()
			_ = process.Wait()
			if !strings.Contains(answer, c.answer) || strings.TrimSpace(out.String()) != c.did {
				t.Errorf("answered %q and did %q, want %q and %q", answer, out.String(), c.answer, c.did)
			}
		})
	}
}

func TestUnknownFunctionFailsAtStartByName(t *testing.T) {
	for _, name := range []string{"", "wroker"} {
		if err := start(name); err == nil || !strings.Contains(err.Error(), strconv.Quote(name)) {
			t.Errorf("start(%q) = %v", name, err)
		}
	}
}
