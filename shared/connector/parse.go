package connector

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// InvalidError says why a configuration cannot be used.
type InvalidError struct {
	Errors []string // one for each problem, in the order of the table
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("configuration has %d error(s): %s", len(e.Errors), strings.Join(e.Errors, "; "))
}

// Parse reads a configuration whose references have been looked up. What Validate would refuse, Parse refuses with an
// *InvalidError, and besides a reference where a number, a switch, a time, a list or a choice is needed; references in
// other places stay in the settings as written. The same configuration gives the same settings, whenever it is parsed.
func Parse(cfg map[string]string, w Worker) (Settings, error) {
	w.Now = time.Time{} // what was accepted stays acceptable when its time has passed
	if v := Validate(cfg, w); v.ErrorCount > 0 {
		return Settings{}, &InvalidError{Errors: v.Errors()}
	}
	folded, _ := Fold(cfg)
	r := reader{cfg: folded}
	s := Settings{
		Name: folded["name"], Config: cfg,

		Project: r.plain("gcp.spanner.project.id"), Instance: r.plain("gcp.spanner.instance.id"), Database: r.plain("gcp.spanner.database.id"),
		DatabaseRole: r.plain("gcp.spanner.database.role"), ChangeStream: r.plain("gcp.spanner.change.stream"),
		CredentialsJSON: folded["gcp.spanner.credentials.json"], CredentialsPath: r.plain("gcp.spanner.credentials.path"),
		Host: r.plain("gcp.spanner.host"), EmulatorHost: r.plain("gcp.spanner.emulator.host"),
		RPCPriority: strings.ToUpper(r.text("sluice.rpc.priority")),
		StartTime:   r.time("gcp.spanner.start.time"), EndTime: r.time("gcp.spanner.end.time"),
		Heartbeat: r.millis("heartbeat.interval.ms"),

		TasksMax: r.int("tasks.max"), TasksMin: r.int("tasks.min"), DesiredPartitions: r.int("tasks.desired.partitions"),
		Scaler: r.bool("scaler.monitor.enabled"), LowWatermark: r.bool("gcp.spanner.low-watermark.enabled"),
		WatermarkPeriod:   r.millis("gcp.spanner.low-watermark.update-period.ms"),
		StampInterval:     r.millis("gcp.spanner.low-watermark.stamp.interval"),
		FinishedRetention: time.Duration(r.int("connector.spanner.finished.partition.deletion.delay")) * time.Second,

		Tombstones: r.bool("tombstones.on.delete"), SkippedOperations: skipped(r.text("skipped.operations")),
		TableInclude: r.expressions("table.include.list"), TableExclude: r.expressions("table.exclude.list"),
		HeartbeatPrefix: r.text("topic.heartbeat.prefix"), TopicDelimiter: r.text("topic.delimiter"),
		ExtendedHeaders: r.bool("extended.headers.enabled"), SchemaAdjustment: r.text("schema.name.adjustment.mode"),
		KeyOrder: r.text("sluice.key.order"), HeartbeatPerMod: r.bool("sluice.heartbeat.per.mod"),

		ExactlyOnce: w.ExactlyOnce, OffsetsTopic: w.OffsetsTopic, TransactionalBase: w.GroupID + "-" + folded["name"] + "-",
		Boundary: strings.ToLower(r.text("transaction.boundary")), BoundaryInterval: r.boundaryInterval(w),

		SliceMode: r.text("sluice.slice.mode"), Lease: r.millis("sluice.lease.duration.ms"),
	}
	if t := r.plain("offsets.storage.topic"); t != "" {
		s.OffsetsTopic = t
	}
	if len(r.errors) > 0 {
		return Settings{}, &InvalidError{Errors: r.errors}
	}
	return s, nil
}

func skipped(list string) map[string]bool {
	ops := map[string]bool{}
	for _, op := range SplitList(list) {
		if op != "none" {
			ops[op] = true
		}
	}
	return ops
}

// reader reads values in force and notes those that cannot be.
type reader struct {
	cfg    map[string]string
	errors []string
}

// plain is free text, in which a reference may still stand.
func (r *reader) plain(name string) string { return strings.TrimSpace(inForce(r.cfg, name)) }

// text is a value that the row's own check has to accept.
func (r *reader) text(name string) string {
	k, v := byName[name], inForce(r.cfg, name)
	_, given := r.cfg[name]
	if what := k.fault(v); given && what != "" {
		r.errors = append(r.errors, k.problem(v, what))
	}
	return v
}

func (r *reader) int(name string) int { return int(number(r.text(name))) }

func (r *reader) millis(name string) time.Duration { return millis(number(r.text(name))) }

// millis stops at the longest duration there is: some users write the largest long for "never".
func millis(n int64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}

func (r *reader) time(name string) time.Time { return timeOf(r.text(name)) }

func (r *reader) bool(name string) bool {
	v, _ := boolean(r.text(name))
	return v
}

// expressions is nil when the list is not set, and empty when it is set to nothing.
func (r *reader) expressions(name string) *[]string {
	if _, given := r.cfg[name]; !given {
		return nil
	}
	return new(SplitExpressions(r.text(name)))
}

func (r *reader) boundaryInterval(w Worker) time.Duration {
	if _, given := r.cfg["transaction.boundary.interval.ms"]; given {
		return r.millis("transaction.boundary.interval.ms")
	}
	return millis(number(w.property("offset.flush.interval.ms", "60000")))
}
