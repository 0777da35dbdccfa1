package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"sluice.example/shared/scheduler"
	"sluice.example/shared/task"
)

// What stands in for the cloud's timers and queues when everything runs in processes: a loop that ticks the scheduler, and
// a pool that runs slots back to back. Several processes may do both at once; the store decides who holds what.

const (
	tickEvery  = 250 * time.Millisecond
	lookEvery  = 250 * time.Millisecond
	retryFirst = 200 * time.Millisecond
	retryMost  = 5 * time.Second
)

// bell wakes a loop before its time. The zero bell is not usable; rings while one is pending are one ring.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// tickLoop ticks until ctx ends.
func tickLoop(ctx context.Context, tick func(context.Context) error, changed bell, log *slog.Logger) {
	timer := time.NewTicker(tickEvery)
	defer timer.Stop()
	said := ""
	for {
		bounded, cancel := context.WithTimeout(ctx, 30*time.Second)
		err := tick(bounded)
		cancel()
		switch {
		case err == nil:
			said = ""
		case ctx.Err() == nil && err.Error() != said: // the same trouble is said once
			said = err.Error()
			log.Warn("tick", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-changed:
		}
	}
}

// pool runs slots, each in a goroutine of its own, back to back while it is held.
type pool struct {
	find  func(context.Context) ([]scheduler.Wake, error) // slots that nobody holds
	run   func(context.Context, scheduler.Wake) (task.Outcome, error)
	nudge func(scheduler.Wake)
	log   *slog.Logger

	mu      sync.Mutex
	running map[scheduler.Wake]bool
	wakes   bell
	wg      sync.WaitGroup
}

// Wake implements scheduler.Waker: a slot that runs here looks at its documents, otherwise the pool looks for work.
func (p *pool) Wake(_ context.Context, w scheduler.Wake) error {
	p.nudge(w)
	p.wakes.ring()
	return nil
}

// loop looks for free slots until ctx ends, then waits for the slots that run.
func (p *pool) loop(ctx context.Context) {
	defer p.wg.Wait()
	timer := time.NewTicker(lookEvery)
	defer timer.Stop()
	for {
		free, err := p.find(ctx)
		if err != nil && ctx.Err() == nil {
			p.log.Warn("look for work", "error", err)
		}
		for _, w := range free {
			p.start(ctx, w)
		}
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-p.wakes:
		}
	}
}

// start runs a slot until it is not kept. A process that runs many slots already hesitates, so that an idler one comes
// first.
func (p *pool) start(ctx context.Context, w scheduler.Wake) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running[w] {
		return
	}
	hesitate := time.Duration(len(p.running)) * 30 * time.Millisecond
	p.running[w] = true
	p.wg.Add(1)
	go func() {
		defer p.wg.Done()
		defer func() {
			p.mu.Lock()
			delete(p.running, w)
			p.mu.Unlock()
		}()
		if !pause(ctx, hesitate) {
			return
		}
		wait := retryFirst
		for ctx.Err() == nil {
			out, err := p.run(ctx, w)
			if err == nil {
				wait = retryFirst
				if !out.Kept {
					return
				}
				continue
			}
			if ctx.Err() != nil {
				return
			}
			p.log.Warn("slice", "connector", w.Connector, "task", w.Slot, "error", err)
			if !pause(ctx, wait) {
				return
			}
			wait = min(2*wait, retryMost)
		}
	}()
}

// pause waits; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
