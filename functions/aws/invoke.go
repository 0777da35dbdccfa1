package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"sluice.example/functions/scheduler"
	"sluice.example/functions/worker"
)

// runWorker takes a wake as it is, or a batch of SQS messages that each hold one. Of a batch it answers the messages
// that failed, so that the queue brings back those alone; a message that is no wake is among them and ends in the dead
// letter queue. Messages run one after another: a batch larger than one is for queues that cannot be set otherwise.
func runWorker(ctx context.Context, event json.RawMessage) (any, error) {
	var batch events.SQSEvent
	if err := json.Unmarshal(event, &batch); err != nil {
		return nil, fmt.Errorf("%w: %w", worker.ErrWake, err)
	}
	if batch.Records == nil {
		return nil, runWake(ctx, event)
	}
	answer := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
	for _, m := range batch.Records {
		if err := runWake(ctx, []byte(m.Body)); err != nil {
			slog.ErrorContext(ctx, "message failed", "message", m.MessageId, "error", err)
			answer.BatchItemFailures = append(answer.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
		}
	}
	return answer, nil
}

func runWake(ctx context.Context, body []byte) error {
	wake, err := worker.Decode(body)
	if err != nil {
		return err
	}
	return worker.Run(ctx, app, wake)
}

// runScheduler ticks, whatever the event.
func runScheduler(ctx context.Context, _ json.RawMessage) error {
	return scheduler.Run(ctx, app)
}
