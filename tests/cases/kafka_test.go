package cases

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sluice.example/shared/delivery"
	"sluice.example/shared/lease"
)

// TestOffsetsUnreachable is LC-09: an offset that cannot be read is not an offset that does not exist.
func TestOffsetsUnreachable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{"sluice.lease.duration.ms": "1500"}, users, forAll)
	token := w.token()
	a := w.start("a", 10*time.Second, 0).loop()
	w.await("A holds P", func() bool { return w.held(token) })
	w.insert(1, "a")
	w.arrived(1)
	w.await("the offset is stored", func() bool { return !w.stored(token).IsZero() })
	a.kill()
	stored := w.stored(token)
	b := w.start("b", 2*time.Second, 0)
	broken := true
	b.onTail = func(ctx context.Context) error {
		if !broken {
			return nil
		}
		pause(ctx, 200*time.Millisecond)
		return errors.New("broker: request timed out")
	}
	var err error
	began := time.Now()
	w.await("B fails to read the offsets topic", func() bool {
		began = time.Now()
		_, err = b.run()
		return err != nil
	})
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the slice took %v", took)
	}
	if !strings.Contains(err.Error(), "offsets topic") {
		t.Errorf("error %v does not say what could not be read", err)
	}
	if n := len(b.asked(token)); n != 0 {
		t.Errorf("%d queries of P without knowing its offset", n)
	}
	if now := w.stored(token); !now.Equal(stored) {
		t.Errorf("offset went from %v to %v", stored, now)
	}
	broken = false
	b.loop()
	w.await("P is asked", func() bool { return len(b.asked(token)) > 0 })
	if q := b.asked(token)[0]; q.Start.Before(stored) {
		t.Errorf("the next query starts at %v, stored was %v", q.Start, stored)
	}
	w.insert(2, "b")
	w.arrived(2)
	w.once(2)
	w.forward(token)
}

// TestAcknowledgedOnly is OF-05: what Kafka did not acknowledge is not covered by a checkpoint.
func TestAcknowledgedOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{"sluice.lease.duration.ms": "1500"}, users, forAll)
	token := w.token()
	a := w.start("a", 10*time.Second, 0)
	caught := make(chan struct{}, 1)
	a.onDeliver = func(_ context.Context, b delivery.Batch) error {
		for _, m := range b.Messages {
			if strings.Contains(string(m.Value), `"id":2`) {
				a.freeze()
				caught <- struct{}{}
			}
		}
		return nil
	}
	a.loop()
	w.await("A holds P", func() bool { return w.held(token) })
	first := w.insert(1, "a")
	w.arrived(1)
	second := w.insert(2, "a")
	w.insert(3, "a")
	<-caught
	a.kill()
	<-a.done
	if s := w.stored(token); s.Before(first) || !s.Before(second) {
		t.Errorf("stored offset is %v, rows 1 and 2 are of %v and %v", s, first, second)
	}
	b := w.start("b", time.Second, 0).loop()
	w.arrived(3)
	if s := b.asked(token)[0].Start; s.After(second) {
		t.Errorf("the next query starts at %v, after row 2 of %v", s, second)
	}
	b.end()
	w.once(3)
	w.forward(token)
}

// TestTooLarge is KF-05: a row that Kafka does not take stops the task and says which row it is.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, users, forAll)
	token := w.token()
	w.start("a", time.Second, 0).loop()
	w.await("P is held", func() bool { return w.held(token) })
	w.insert(1, "a")
	second := w.insert(2, strings.Repeat("secret", 400_000))
	w.insert(3, "a")
	w.await("the task fails", func() bool { return w.slot().State == lease.Failed })
	trace := w.slot().Trace
	for _, want := range []string{"c1.Users", `{"id":2}`, "2401"} {
		if !strings.Contains(trace, want) {
			t.Errorf("trace %.300q lacks %q", trace, want)
		}
	}
	if strings.Contains(trace, "secret") {
		t.Error("trace has the value")
	}
	w.once(1)
	if s := w.stored(token); !s.Before(second) {
		t.Errorf("stored offset %v covers row 2 of %v", s, second)
	}
	cl := must(kgo.NewClient(kgo.SeedBrokers(w.cluster.ListenAddrs()...)))(t)
	defer cl.Close()
	size := "4194304"
	if _, err := kadm.NewClient(cl).AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "max.message.bytes", Value: &size}}, "c1.Users"); err != nil {
		t.Fatal(err)
	}
	w.reconfigure(settings{"producer.override.max.request.size": size})
	w.arrived(3)
	w.once(3)
	w.forward(token)
	if s := w.slot(); s.State != lease.Running || s.Trace != "" {
		t.Errorf("task is %s: %s", s.State, s.Trace)
	}
}
