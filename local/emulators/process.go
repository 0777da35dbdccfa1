package emulators

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one running service as another process can know it.
type process struct {
	PID  int    `json:"pid"`
	Born string `json:"born"` // when it started, in the system's own words; tells it from a later owner of the id
}

// pollEvery is how often a wait for another process looks again: there is no signal to wait for across processes.
const pollEvery = 50 * time.Millisecond

// spawn starts argv in dir as the leader of a session of its own, with its output appended to log. It does not end
// with us. The returned channel is closed when it has ended and been reaped, which happens only while we live.
func spawn(argv []string, dir, log string) (process, <-chan struct{}, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return process{}, nil, fmt.Errorf("open log: %w", err)
	}
	defer out.Close() // the child has its own
	command := exec.Command(argv[0], argv[1:]...)
	command.Dir = dir
	command.Stdout, command.Stderr = out, out
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return process{}, nil, fmt.Errorf("start %s: %w", filepath.Base(argv[0]), err)
	}
	born, _ := bornAt(command.Process.Pid)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// The error is how it ended, which its log tells better. Reaping is the point: a dead child that nobody has
		// waited for looks alive to a signal.
		_ = command.Wait()
	}()
	return process{PID: command.Process.Pid, Born: born}, ended, nil
}

// alive reports whether the process runs: the same one, and not merely waiting to be reaped by somebody else.
func (p process) alive() bool {
	born, running := bornAt(p.PID)
	return running && born == p.Born
}

// signal sends to the whole group, and only if the leader is still the process we started.
func (p process) signal(sig syscall.Signal) error {
	if !p.alive() {
		return nil
	}
	if err := syscall.Kill(-p.PID, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal process group %d: %w", p.PID, err)
	}
	return nil
}

// end asks the group to end, waits up to grace, and then kills it. It returns when the leader is gone.
func (p process) end(grace time.Duration) error {
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if p.gone(ctx) == nil {
		return nil
	}
	return p.kill()
}

// kill is kill -9 of the group. It returns when the leader is gone.
func (p process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return p.gone(ctx)
}

// gone waits until the process has ended.
func (p process) gone(ctx context.Context) error {
	return poll(ctx, func() bool { return !p.alive() })
}

// poll asks until the answer is yes or ctx ends.
func poll(ctx context.Context, yes func() bool) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for !yes() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// bornAt says when the process with this id started and whether it runs. Linux tells it in /proc; elsewhere ps does.
func bornAt(pid int) (string, bool) {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		// The second field is the program's name in parentheses and may hold anything, so count from its end: the
		// state is the first field after it, the number of threads the eighteenth, and the start time, in ticks since
		// boot, the twentieth. A program whose first thread is a zombie still has its sockets open while others end.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 20 {
			return "", false
		}
		ended := fields[0] == "X" || fields[0] == "Z" && (fields[17] == "0" || fields[17] == "1")
		return fields[19], !ended
	}
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		return "", false // there is a /proc, and the process is not in it
	}
	out, err := exec.Command("ps", "-o", "stat=,lstart=", "-p", strconv.Itoa(pid)).Output()
	state, born, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
	return strings.TrimSpace(born), err == nil && ok && !strings.HasPrefix(state, "Z")
}
