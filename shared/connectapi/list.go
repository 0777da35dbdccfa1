package connectapi

import (
	"context"
	"fmt"
	"sync"

	"sluice.example/shared/connector"
)

// readers is how many connectors are read at once for a list with statuses.
const readers = 8

// list is GET /connectors: names, or with expand an object of what was asked for.
func (s *server) list(ctx context.Context, c *call) (answer, error) {
	all, err := s.Store.Connectors(ctx)
	if err != nil {
		return answer{}, fmt.Errorf("read connectors: %w", err)
	}
	if _, expanded := c.query["expand"]; !expanded {
		names := make([]string, 0, len(all))
		for i := range all {
			names = append(names, all[i].Name)
		}
		return ok(names), nil
	}
	type entry struct {
		Info   *infoBody   `json:"info,omitempty"`
		Status *statusBody `json:"status,omitempty"`
	}
	entries := make(map[string]entry, len(all))
	info, status := c.expands("info"), c.expands("status")
	if !info && !status {
		for i := range all {
			entries[all[i].Name] = entry{}
		}
		return ok(entries), nil
	}
	views, err := s.views(ctx, all)
	if err != nil {
		return answer{}, err
	}
	for _, v := range views {
		var e entry
		if info {
			e.Info = new(s.infoOf(v))
		}
		if status {
			e.Status = new(v.status())
		}
		entries[v.connector.Name] = e
	}
	return ok(entries), nil
}

// views reads the tasks of many connectors, some at a time. The first error ends it.
func (s *server) views(ctx context.Context, all []connector.Connector) ([]view, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	views := make([]view, len(all))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(readers, len(all)) {
		wg.Go(func() {
			for i := range next {
				v, err := s.view(ctx, all[i])
				if err != nil {
					cancel(err)
				}
				views[i] = v
			}
		})
	}
	for i := range all {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	return views, context.Cause(ctx)
}
