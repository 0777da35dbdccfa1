//go:build real

package emulators

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TestTwoRealSetsSideBySide starts everything twice, kills one broker, and reads from it after its restart what a
// transaction wrote before.
func TestTwoRealSetsSideBySide(t *testing.T) {
	// An interrupted test still stops what it started; what a killed one leaves lies where .ci/run and make clean look.
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 4*time.Minute)
	defer cancel()
	build := filepath.Join("..", "..", ".build")
	opts := Options{
		Jars:         filepath.Join(build, "jars"),
		KafkaHeap:    "256m",
		SpannerFlags: []string{"-override_change_stream_partition_token_alive_seconds=1"},
	}
	var sets []*Set
	for _, name := range []string{"side-a", "side-b"} {
		set, err := Open(filepath.Join(build, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Stop(); err != nil { // of a run that was killed
			t.Fatal(err)
		}
		if set, err = Start(ctx, set.dir, nil, opts); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := set.Stop(); err != nil {
				t.Error(err)
			}
		})
		sets = append(sets, set)
	}
	for i, line := range sets[0].Env() {
		if line == sets[1].Env()[i] {
			t.Errorf("both sets have %s", line)
		}
	}
	broker := sets[0].Address(Kafka)
	commit(ctx, t, broker)
	if err := sets[0].Kill(Kafka); err != nil {
		t.Fatal(err)
	}
	if !sets[1].Running(Kafka) || kafkaReady(ctx, sets[1].Address(Kafka)) != nil {
		t.Error("killing one set's broker ended the other's")
	}
	if err := sets[0].Restart(ctx, Kafka); err != nil {
		t.Fatal(err)
	}
	reader, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics("kept"),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	fetched := reader.PollFetches(ctx)
	if err := fetched.Err(); err != nil || fetched.NumRecords() != 1 {
		t.Errorf("after the restart: %d records, %v", fetched.NumRecords(), err)
	}
}

func commit(ctx context.Context, t *testing.T, broker string) {
	t.Helper()
	writer, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.TransactionalID("emulators-test"))
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err := kadm.NewClient(writer).CreateTopic(ctx, 1, 1, nil, "kept"); err != nil {
		t.Fatal(err)
	}
	if err := writer.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := writer.ProduceSync(ctx, &kgo.Record{Topic: "kept", Value: []byte("v")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := writer.EndTransaction(ctx, kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
}
