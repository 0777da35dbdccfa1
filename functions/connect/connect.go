// Package connect is the REST function: one invocation answers one request of the Kafka Connect REST API.
package connect

import "net/http"

// App is what the function needs of the app.
type App interface {
	REST() http.Handler
}

// Handler serves the API at the root: /connectors and so on.
func Handler(app App) http.Handler { return app.REST() }

// Below serves the API below a prefix such as /connect, where a platform or a local server gives each function a path
// of its own (FN-07). An escaped slash in a name stays escaped.
func Below(prefix string, app App) http.Handler {
	return http.StripPrefix(prefix, Handler(app))
}
