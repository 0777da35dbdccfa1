package connectapi

import (
	"context"
	"net/http"
	"time"
)

// root is GET /. Clients use it to see whether anybody is there, so a Kafka that does not answer is null and no error.
func (s *server) root(ctx context.Context, _ *call) (answer, error) {
	return ok(struct {
		Version string  `json:"version"`
		Commit  string  `json:"commit"`
		Cluster *string `json:"kafka_cluster_id"`
	}{s.Version, s.Commit, s.clusterID(ctx)}), nil
}

func (s *server) clusterID(ctx context.Context) *string {
	if known := s.cluster.Load(); known != nil || s.ClusterID == nil {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, s.Timeout/2)
	defer cancel()
	id, err := s.ClusterID(ctx)
	if err != nil {
		s.Logger.Warn("the Kafka cluster's id is not known", "error", err)
		return nil
	}
	s.cluster.Store(&id)
	return &id
}

// health is GET /health: whether the store answers. Its body is not the form of errors, also when it is one.
func (s *server) health(ctx context.Context, _ *call) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, min(s.Timeout, 10*time.Second))
	defer cancel()
	type body struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	}
	if _, err := s.Store.Connector(ctx, "health"); err != nil {
		s.Logger.Warn("the store does not answer", "error", err)
		return answer{status: http.StatusServiceUnavailable, body: body{"unhealthy", "Worker was unable to handle this request and may be unable to handle other requests: the store does not answer."}}, nil
	}
	return ok(body{"healthy", "Worker has completed startup and is ready to handle requests."}), nil
}
