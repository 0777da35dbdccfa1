package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress shows what goes on, one line for each concern: redrawn in place on a terminal, plain lines elsewhere, and there
// only when something is said that was not said before. It is safe for concurrent use.
type progress struct {
	mu   sync.Mutex
	out  io.Writer
	live bool // a terminal: a line may be redrawn
	open bool // the cursor stands on a line that may be redrawn
	last time.Time
}

func newProgress(out *os.File) *progress {
	return &progress{out: out, live: term.IsTerminal(int(out.Fd()))}
}

// step replaces the current line.
func (p *progress) step(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.live {
		fmt.Fprintf(p.out, format+"\n", args...)
		return
	}
	fmt.Fprintf(p.out, "\r\x1b[K"+format, args...)
	p.open = true
}

// count is a step that is said often: where it cannot be redrawn it is said every few seconds only.
func (p *progress) count(format string, args ...any) {
	p.mu.Lock()
	quiet := !p.live && time.Since(p.last) < countEvery
	if !quiet {
		p.last = time.Now()
	}
	p.mu.Unlock()
	if !quiet {
		p.step(format, args...)
	}
}

const countEvery = 5 * time.Second

// done ends the current line with its last text.
func (p *progress) done(format string, args ...any) {
	p.step(format, args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open {
		fmt.Fprintln(p.out)
		p.open = false
	}
}
