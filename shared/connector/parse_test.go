package connector_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice.example/shared/connector"
)

var worker = connector.Worker{GroupID: "g", OffsetsTopic: "offsets", ExactlyOnce: true}

func TestParseDefaults(t *testing.T) {
	t.Parallel()
	cfg := config()
	got, err := connector.Parse(cfg, worker)
	if err != nil {
		t.Fatal(err)
	}
	want := connector.Settings{
		Name: "c1", Config: cfg, Project: "p", Instance: "i", Database: "d", ChangeStream: "s", RPCPriority: "MEDIUM",
		Heartbeat: 5 * time.Minute, TasksMax: 10, TasksMin: 2, DesiredPartitions: 2, WatermarkPeriod: time.Second, StampInterval: 10 * time.Second,
		FinishedRetention: 2 * time.Hour, Tombstones: true, SkippedOperations: map[string]bool{"t": true},
		HeartbeatPrefix: "__debezium-heartbeat", TopicDelimiter: ".", ExtendedHeaders: true, SchemaAdjustment: "none", KeyOrder: "debezium-hash",
		ExactlyOnce: true, OffsetsTopic: "offsets", TransactionalBase: "g-c1-", Boundary: "poll", BoundaryInterval: time.Minute,
		SliceMode: "auto", Lease: 30 * time.Second,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestParseValues(t *testing.T) {
	t.Parallel()
	got, err := connector.Parse(config(
		"gcp.spanner.start.time", "2024-01-01T00:00:00+09:00", "gcp.spanner.end.time", "2024-01-01T00:00:00.5Z", "tables.include.list", ` a , b\,c ,d`,
		"table.exclude.list", "", "skipped.operations", "none", "tasks.max", " 3 ", "transaction.boundary", "INTERVAL", "transaction.boundary.interval.ms", "9223372036854775807",
		"offsets.storage.topic", "mine", "gcp.spanner.credentials.json", "${file:/x:k}", "sluice.rpc.priority", "low", "gcp.spanner.emulator.host", " h:1 ",
		"scaler.monitor.enabled", "True", "topic.delimiter", "_", "sluice.heartbeat.per.mod", "true",
	), connector.Worker{GroupID: "g", Now: now}) // the end has passed: what was accepted stays so
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2023, 12, 31, 15, 0, 0, 0, time.UTC); !got.StartTime.Equal(want) || got.StartTime.Location() != time.UTC {
		t.Errorf("start %v", got.StartTime)
	}
	if d := cmp.Diff(&[]string{"a", "b,c", "d"}, got.TableInclude); d != "" {
		t.Errorf("include: %s", d)
	}
	if got.TableExclude == nil || len(*got.TableExclude) != 0 {
		t.Errorf("a list set to nothing: %v", got.TableExclude)
	}
	if len(got.SkippedOperations) != 0 || got.TasksMax != 3 || got.Boundary != "interval" || got.BoundaryInterval <= 0 || got.OffsetsTopic != "mine" ||
		got.CredentialsJSON != "${file:/x:k}" || got.RPCPriority != "LOW" || got.EmulatorHost != "h:1" || !got.Scaler || got.TopicDelimiter != "_" || !got.HeartbeatPerMod {
		t.Errorf("got %+v", got)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range [][]string{
		{"tasks.max", "x"}, {"heartbeat.interval.ms", "${env:HB}"}, {"gcp.spanner.start.time", "${env:START}"}, {"sluice.key.order", "${env:O}"}, {"name", "-"},
	} {
		_, err := connector.Parse(config(c...), worker)
		var invalid *connector.InvalidError
		if !errors.As(err, &invalid) || len(invalid.Errors) != 1 || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
