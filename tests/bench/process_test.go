//go:build real

package bench

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// worker starts the built program with one role and gives it back with a way to ask for its resident memory.
func start(b *testing.B, env []string, args ...string) *exec.Cmd {
	b.Helper()
	cmd := exec.Command("../../bin/sluice", append([]string{"run"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	if os.Getenv("BENCH_LOG") != "" {
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		b.Fatalf("bin/sluice: %v (make bench builds it)", err)
	}
	b.Cleanup(func() { stop(cmd) })
	return cmd
}

func stop(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

// resident is the resident memory of a process in MB, as Linux tells it.
func resident(b *testing.B, cmd *exec.Cmd) float64 {
	b.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kb / 1024
		}
	}
	b.Fatal("no resident memory in /proc")
	return 0
}
