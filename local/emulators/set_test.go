package emulators

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test's own binary play the service: `serve ADDRESS` accepts until it is told to end, and has a
// child, as the emulators of the SDK do; `die` ends at once.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "serve":
			os.Exit(serve(os.Args[2]))
		case "idle":
			<-asked()
			os.Exit(0)
		case "die":
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func asked() <-chan os.Signal {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	return end
}

func serve(address string) int {
	end := asked()
	child := exec.Command(os.Args[0], "idle")
	if err := child.Start(); err != nil {
		fmt.Println(err)
		return 1
	}
	if err := os.WriteFile("child", fmt.Append(nil, child.Process.Pid), 0o644); err != nil {
		fmt.Println(err)
		return 1
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer listener.Close()
	fmt.Println("serving")
	<-end
	_ = child.Wait()
	return 0
}

// play puts the test's binary in Spanner's place.
func play(t *testing.T, arguments func(address string) []string) {
	t.Helper()
	real := services[Spanner]
	t.Cleanup(func() { services[Spanner] = real })
	played := real
	played.command = func(_ context.Context, _ string, addresses []string, _ Options) ([]string, error) {
		return append([]string{os.Args[0]}, arguments(addresses[0])...), nil
	}
	services[Spanner] = played
}

func started(t *testing.T) *Set {
	t.Helper()
	play(t, func(address string) []string { return []string{"serve", address} })
	set, err := Start(t.Context(), t.TempDir(), []string{Spanner}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := set.Stop(); err != nil {
			t.Error(err)
		}
	})
	return set
}

func TestStartedServiceAnswersWhereTheEnvironmentSays(t *testing.T) {
	set := started(t)
	want := "SPANNER_EMULATOR_HOST=" + set.Address(Spanner)
	if got := strings.Join(set.Env(), " "); got != want {
		t.Errorf("Env() = %q, want %q", got, want)
	}
	if err := accepts(t.Context(), set.Address(Spanner)); err != nil {
		t.Error(err)
	}
}

func TestStartOfARunningServiceLeavesIt(t *testing.T) {
	set := started(t)
	before, _, _ := set.read(Spanner)
	again, err := Start(t.Context(), set.dir, []string{Spanner}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if after, _, _ := again.read(Spanner); after.process != before.process {
		t.Errorf("a second start replaced %v by %v", before.process, after.process)
	}
}

func TestKilledServiceComesBackAtItsAddress(t *testing.T) {
	set := started(t)
	address := set.Address(Spanner)
	if err := set.Kill(Spanner); err != nil {
		t.Fatal(err)
	}
	if set.Running(Spanner) || accepts(t.Context(), address) == nil {
		t.Error("it answers after Kill")
	}
	if err := set.Restart(t.Context(), Spanner); err != nil {
		t.Fatal(err)
	}
	if set.Address(Spanner) != address || accepts(t.Context(), address) != nil {
		t.Errorf("after Restart it does not answer at %s", address)
	}
}

func TestStopEndsTheGroupAndKeepsOnlyTheLog(t *testing.T) {
	set := started(t)
	child := childOf(t, set)
	for range 2 { // a repeat does nothing
		if err := set.Stop(Spanner); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := child.gone(ctx); err != nil {
		t.Errorf("the service's child still runs: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(set.folder(Spanner), "*"))
	if err != nil || len(left) != 1 || left[0] != set.LogPath(Spanner) {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
	if len(set.Env()) != 0 {
		t.Errorf("Env() after Stop = %v", set.Env())
	}
}

func childOf(t *testing.T, set *Set) process {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(set.folder(Spanner), "child"))
	if err != nil {
		t.Fatal(err)
	}
	var child process
	if _, err := fmt.Sscan(string(text), &child.PID); err != nil {
		t.Fatal(err)
	}
	child.Born, _ = bornAt(child.PID)
	return child
}

func TestProcessIDOfSomebodyElseIsNotSignalled(t *testing.T) {
	stranger := exec.Command(os.Args[0], "idle")
	stranger.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stranger.Process.Kill()
		_ = stranger.Wait()
	})
	set, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(set.folder(Spanner), 0o755); err != nil {
		t.Fatal(err)
	}
	was := state{process: process{PID: stranger.Process.Pid, Born: "long ago"}, Addresses: []string{"127.0.0.1:1"}}
	if err := set.write(Spanner, was); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(set.Kill(Spanner), set.Stop(Spanner)); err != nil {
		t.Fatal(err)
	}
	if _, runs := bornAt(stranger.Process.Pid); !runs {
		t.Error("a process that only has the old id was ended")
	}
}

func TestServiceThatEndsIsAnErrorThatNamesItsLog(t *testing.T) {
	play(t, func(string) []string { return []string{"die"} })
	set, _ := Open(t.TempDir())
	_, err := Start(t.Context(), set.dir, []string{Spanner}, Options{})
	if !errors.Is(err, errEnded) || !strings.Contains(err.Error(), set.LogPath(Spanner)) {
		t.Errorf("Start = %v, want %v with the log's path", err, errEnded)
	}
}

func TestServiceThatNeverAnswersIsStopped(t *testing.T) {
	play(t, func(string) []string { return []string{"idle"} })
	set, _ := Open(t.TempDir())
	_, err := Start(t.Context(), set.dir, []string{Spanner}, Options{Wait: 100 * time.Millisecond})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Start = %v, want a deadline", err)
	}
	if set.Address(Spanner) != "" {
		t.Error("it was left behind")
	}
}

func TestMissingPiecesSayHowToInstallThem(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CLOUDSDK_ROOT", "")
	for name, want := range map[string]string{
		Kafka:     "apt-get install maven",
		Spanner:   "gcloud components install cloud-spanner-emulator",
		Firestore: "gcloud components install cloud-firestore-emulator",
	} {
		if _, err := Start(t.Context(), t.TempDir(), []string{name}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Start(%s) = %v, want it to say %q", name, err, want)
		}
	}
	if _, err := Start(t.Context(), t.TempDir(), []string{"oracle"}, Options{}); err == nil {
		t.Error("an unknown service was accepted")
	}
}
