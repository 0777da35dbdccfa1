package main

import (
	"os"
	"os/exec"
	"testing"
)

func TestOnlyDeadProcessesOfThisHostAreGone(t *testing.T) {
	t.Parallel()
	dead := exec.Command(os.Args[0], "-test.run=^$")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	for worker, want := range map[string]bool{
		processName(dead.Process.Pid) + ":8083": true,
		processName(os.Getpid()) + ":8083":      false,
		"elsewhere-p1:8083":                     false,
		"localhost:8083":                        false,
		"nonsense":                              false,
	} {
		if got := gone(worker); got != want {
			t.Errorf("gone(%q) = %v", worker, got)
		}
	}
}

func TestLongFlagsMayHaveOneDash(t *testing.T) {
	t.Parallel()
	got := dashes([]string{"run", "-roles", "worker", "-v", "--x", "-n=3", "a-b"})
	want := []string{"run", "--roles", "worker", "-v", "--x", "-n=3", "a-b"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("argument %d: %q, want %q", i, got[i], want[i])
		}
	}
}
