package connectapi

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// handler answers one call.
type handler func(ctx context.Context, c *call) (answer, error)

// route is a path and what it answers to. A segment {} stands for any one that is not empty.
type route struct {
	path    []string
	methods map[string]handler
}

// table is the whole API. Package net/http's own router is not used: it redirects and cleans paths, and a name may hold
// what it would clean (RE-01).
func (s *server) table() []route {
	const (
		get, put, post, patch, del = http.MethodGet, http.MethodPut, http.MethodPost, http.MethodPatch, http.MethodDelete
	)
	at := func(path string, methods map[string]handler) route {
		return route{path: strings.FieldsFunc(path, func(r rune) bool { return r == '/' }), methods: methods}
	}
	return []route{
		at("/", map[string]handler{get: s.root}),
		at("/health", map[string]handler{get: s.health}),
		at("/connector-plugins", map[string]handler{get: s.plugins}),
		at("/connector-plugins/{}/config", map[string]handler{get: s.pluginConfig}),
		at("/connector-plugins/{}/config/validate", map[string]handler{put: s.validate}),
		at("/connectors", map[string]handler{get: s.list, post: s.create}),
		at("/connectors/{}", map[string]handler{get: s.info, del: s.remove}),
		at("/connectors/{}/config", map[string]handler{get: s.config, put: s.putConfig, patch: s.patchConfig}),
		at("/connectors/{}/status", map[string]handler{get: s.status}),
		at("/connectors/{}/pause", map[string]handler{put: s.pause}),
		at("/connectors/{}/resume", map[string]handler{put: s.resume}),
		at("/connectors/{}/stop", map[string]handler{put: s.stop}),
		at("/connectors/{}/restart", map[string]handler{post: s.restart}),
		at("/connectors/{}/tasks", map[string]handler{get: s.tasks}),
		at("/connectors/{}/tasks/{}/status", map[string]handler{get: s.taskStatus}),
		at("/connectors/{}/tasks/{}/restart", map[string]handler{post: s.restartTask}),
	}
}

// route finds the handler of a request and reads its body. The order of refusals is the peer's: path, method, type of
// the body, type of the answer.
func (s *server) route(w http.ResponseWriter, r *http.Request) (*call, handler, error) {
	segments, ok := split(r.URL.EscapedPath())
	if !ok {
		return nil, nil, routerFailure(http.StatusNotFound)
	}
	for _, rt := range s.routes {
		params, ok := rt.match(segments)
		if !ok {
			continue
		}
		if r.Method == http.MethodOptions {
			allow := rt.allow()
			return nil, func(context.Context, *call) (answer, error) { return answer{text: allow, allow: allow}, nil }, nil
		}
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		handle := rt.methods[method]
		if handle == nil {
			return nil, nil, &failure{status: http.StatusMethodNotAllowed, message: "HTTP 405 Method Not Allowed", allow: rt.allow()}
		}
		if method != http.MethodGet && method != http.MethodDelete && !consumes(r) {
			return nil, nil, routerFailure(http.StatusUnsupportedMediaType)
		}
		if !accepts(r) {
			return nil, nil, routerFailure(http.StatusNotAcceptable)
		}
		body, err := readBody(w, r)
		if err != nil {
			return nil, nil, err
		}
		return &call{params: params, query: r.URL.Query(), body: body, request: r}, handle, nil
	}
	return nil, nil, routerFailure(http.StatusNotFound)
}

// split takes a path, still escaped, apart. One slash at the end does not count; a matrix part (;x=y) is dropped; an
// escaped slash belongs to its segment.
func split(path string) ([]string, bool) {
	path = strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/")
	if path == "" {
		return nil, true
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		s, _, _ = strings.Cut(s, ";")
		plain, err := url.PathUnescape(s)
		if err != nil || plain == "" || !utf8.ValidString(plain) {
			return nil, false
		}
		segments[i] = plain
	}
	return segments, true
}

func (rt *route) match(segments []string) (params []string, ok bool) {
	if len(segments) != len(rt.path) {
		return nil, false
	}
	for i, want := range rt.path {
		switch {
		case want == "{}":
			params = append(params, segments[i])
		case want != segments[i]:
			return nil, false
		}
	}
	return params, true
}

func (rt *route) allow() string {
	allowed := []string{http.MethodOptions}
	for m := range rt.methods {
		allowed = append(allowed, m)
		if m == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	slices.Sort(allowed)
	return strings.Join(allowed, ", ")
}

// consumes: no body and no type is fine; any other type than JSON is not, even without a body.
func consumes(r *http.Request) bool {
	kind := r.Header.Get("Content-Type")
	if kind == "" {
		return r.ContentLength == 0
	}
	media, _, err := mime.ParseMediaType(kind)
	return err == nil && media == "application/json"
}

func accepts(r *http.Request) bool {
	asked := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(asked) == "" {
		return true
	}
	for part := range strings.SplitSeq(asked, ",") {
		media, params, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil {
			continue
		}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil && q == 0 {
			continue
		}
		switch media {
		case "*/*", "*", "application/*", "application/json":
			return true
		}
	}
	return false
}
