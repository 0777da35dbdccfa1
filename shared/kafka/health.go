package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// pingWithin is how long a ping may take.
const pingWithin = 10 * time.Second

// ClusterID is the id of the cluster that the worker's bootstrap.servers lead to.
func (k *Kafka) ClusterID(ctx context.Context) (string, error) {
	cl, c, err := k.shared(adminKind, nil)
	if err != nil {
		return "", err
	}
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // none; nil would be all
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return "", c.explain("ask for the Kafka cluster's id", err)
	}
	if resp.ClusterID == nil {
		return "", fmt.Errorf("the Kafka cluster at %s has no id", c.bootstrap)
	}
	return *resp.ClusterID, nil
}

// Ping tells within ten seconds, or the context's time if that is shorter, whether a broker answers.
func (k *Kafka) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingWithin)
	defer cancel()
	_, err := k.ClusterID(ctx)
	return err
}
