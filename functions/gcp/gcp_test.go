package gcp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"

	"sluice.example/functions/instance"
	"sluice.example/shared/scheduler"
)

// stand is an app that says on standard output what it was asked to do.
type stand struct{}

func (stand) REST() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/connectors" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "[]")
	})
}

func (stand) RunSlot(_ context.Context, w scheduler.Wake) error {
	fmt.Println("ran", w.Connector, w.Slot)
	return nil
}

func (stand) Tick(context.Context) error { fmt.Println("ticked"); return nil }

// TestMain lets the test's own binary be the function's process: the framework reads its variables once, at start.
func TestMain(m *testing.M) {
	if port := os.Getenv("SLUICE_TEST_PORT"); port != "" {
		open = func(context.Context) (instance.App, error) { return stand{}, nil }
		fmt.Fprintln(os.Stderr, funcframework.StartHostPort("127.0.0.1", port))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// serve starts the process and answers its base address and its output.
func serve(t *testing.T, target string) (string, *bufio.Scanner) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	_, port, _ := net.SplitHostPort(address)
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), "SLUICE_TEST_PORT="+port, "FUNCTION_TARGET="+target)
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(20 * time.Second); ; {
		if connection, err := net.Dial("tcp", address); err == nil {
			connection.Close()
			return "http://" + address, bufio.NewScanner(out)
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatal("the functions do not answer")
		}
	}
}

func call(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// said reads output up to a line that begins with one of ours.
func said(out *bufio.Scanner) string {
	for out.Scan() {
		if line := out.Text(); strings.HasPrefix(line, "ran") || line == "ticked" {
			return line
		}
	}
	return ""
}

// The wake {"connector":"orders","slot":2} as a Pub/Sub message.
const event = `{"context":{"eventId":"7","timestamp":"2026-01-02T03:04:05Z","eventType":"google.pubsub.topic.publish"},
	"data":{"data":"eyJjb25uZWN0b3IiOiJvcmRlcnMiLCJzbG90IjoyfQ=="}}`

// TestTargetIsServedAtTheRoot is FN-07 (a).
func TestTargetIsServedAtTheRoot(t *testing.T) {
	t.Parallel()
	url, _ := serve(t, "connect")
	if code, body := call(t, "GET", url+"/connectors", ""); code != 200 || body != "[]" {
		t.Errorf("connect: %d %s", code, body)
	}
	url, out := serve(t, "worker")
	if code, body := call(t, "POST", url, `{"connector":"orders","slot":1}`); code != 204 || said(out) != "ran orders 1" {
		t.Errorf("worker: %d %s", code, body)
	}
	url, out = serve(t, "scheduler")
	if code, body := call(t, "POST", url, ""); code != 204 || said(out) != "ticked" {
		t.Errorf("scheduler: %d %s", code, body)
	}
	url, out = serve(t, "worker-event")
	if code, body := call(t, "POST", url, event); code != 200 || said(out) != "ran orders 2" {
		t.Errorf("worker-event: %d %s", code, body)
	}
}

// TestWithoutATargetEachHasItsName is FN-07 (b).
func TestWithoutATargetEachHasItsName(t *testing.T) {
	t.Parallel()
	url, out := serve(t, "")
	if code, body := call(t, "GET", url+"/connect/connectors", ""); code != 200 || body != "[]" {
		t.Errorf("connect: %d %s", code, body)
	}
	if code, body := call(t, "POST", url+"/worker", `{"connector":"orders","slot":1}`); code != 204 || said(out) != "ran orders 1" {
		t.Errorf("worker: %d %s", code, body)
	}
	if code, body := call(t, "POST", url+"/scheduler", ""); code != 204 || said(out) != "ticked" {
		t.Errorf("scheduler: %d %s", code, body)
	}
	if code, body := call(t, "POST", url+"/worker-event", event); code != 200 || said(out) != "ran orders 2" {
		t.Errorf("worker-event: %d %s", code, body)
	}
}

// TestUnknownTargetFailsAtStart is the last part of FN-07.
func TestUnknownTargetFailsAtStart(t *testing.T) {
	t.Parallel()
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), "SLUICE_TEST_PORT=0", "FUNCTION_TARGET=wroker")
	var out bytes.Buffer
	process.Stdout, process.Stderr = &out, &out
	if err := process.Run(); err == nil || !strings.Contains(out.String(), `"wroker"`) {
		t.Errorf("ended with %v, saying %s", err, out.String())
	}
}
