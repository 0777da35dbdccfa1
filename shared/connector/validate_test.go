package connector_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice.example/shared/connector"
)

// config is a good configuration with changes; a value of "-" takes the key away.
func config(changes ...string) map[string]string {
	cfg := map[string]string{
		"name": "c1", "connector.class": connector.ClassName, "gcp.spanner.project.id": "p", "gcp.spanner.instance.id": "i",
		"gcp.spanner.database.id": "d", "gcp.spanner.change.stream": "s",
	}
	for i := 0; i+1 < len(changes); i += 2 {
		cfg[changes[i]] = changes[i+1]
		if changes[i+1] == "-" {
			delete(cfg, changes[i])
		}
	}
	return cfg
}

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// TestValidate lists changes to a good configuration and the errors by key that follow; an error is given by a part of it.
func TestValidate(t *testing.T) {
	t.Parallel()
	const hb, start, end, groups = "heartbeat.interval.ms", "gcp.spanner.start.time", "gcp.spanner.end.time", "topic.creation.groups"
	const factor, parts = "topic.creation.default.replication.factor", "topic.creation.default.partitions"
	for _, c := range []struct {
		name    string
		changes []string
		want    []string // key, part of its error
	}{
		{"good", nil, nil},
		{"empty", []string{"gcp.spanner.project.id", "-", "gcp.spanner.instance.id", " ", "gcp.spanner.database.id", "", "gcp.spanner.change.stream", "-"}, []string{
			"gcp.spanner.project.id", "The 'gcp.spanner.project.id' value is invalid: The field is not specified",
			"gcp.spanner.instance.id", "The field is not specified", "gcp.spanner.database.id", "The field is not specified",
			"gcp.spanner.change.stream", "The field is not specified"}},
		{"no name", []string{"name", "-"}, []string{"name", `Missing required configuration "name" which has no default value.`}},

		{"RE-12 99", []string{hb, "99"}, []string{hb, "between 100 and 300000"}},
		{"RE-12 100", []string{hb, "100"}, nil},
		{"RE-12 300000", []string{hb, " 300000 "}, nil},
		{"RE-12 300001", []string{hb, "300001"}, []string{hb, "between 100 and 300000"}},
		{"RE-12 abc", []string{hb, "abc"}, []string{hb, "The 'heartbeat.interval.ms' value is invalid: An integer is expected"}},
		{"RE-12 zulu", []string{start, "2023-01-01T00:00:00Z"}, nil},
		{"RE-12 offset", []string{start, "2023-01-01T09:00:00+09:00"}, nil},
		{"RE-12 nanos", []string{start, "2023-01-01T00:00:00.123456789Z"}, nil},
		{"RE-12 no zone", []string{start, "2023-01-01T00:00:00"}, []string{start, "Invalid date"}},
		{"RE-12 day", []string{start, "2023-01-01"}, []string{start, "Invalid date"}},
		{"RE-12 nothing", []string{start, ""}, []string{start, "Invalid date"}},
		{"year one", []string{start, "0001-01-01T00:00:00Z"}, []string{start, "Invalid date"}},

		{"RE-11 end alone", []string{end, "2026-01-02T04:04:05Z"}, nil},
		{"RE-11 end in the past", []string{end, "2020-01-01T00:00:00Z"}, []string{end, "End time must be after start time"}},
		{"RE-11 start later", []string{start, "2023-01-02T00:00:00Z", end, "2023-01-01T00:00:00Z"}, []string{end, "End time must be after start time"}},
		{"RE-11 equal", []string{start, "2023-01-01T00:00:00Z", end, "2023-01-01T00:00:00Z"}, nil},
		{"end unreadable", []string{start, "2023-01-01T00:00:00Z", end, "x"}, []string{end, "Invalid date"}},

		{"credentials ok", []string{"gcp.spanner.credentials.json", "42"}, nil},
		{"credentials broken", []string{"gcp.spanner.credentials.json", "{bad CANARY2"}, []string{"gcp.spanner.credentials.json", "not valid JSON"}},
		{"credentials blank", []string{"gcp.spanner.credentials.json", ""}, []string{"gcp.spanner.credentials.json", "not valid JSON"}},
		{"credentials reference", []string{"gcp.spanner.credentials.json", "${file:/x:k}"}, nil},
		{"path blank", []string{"gcp.spanner.credentials.path", " "}, []string{"gcp.spanner.credentials.path", "does not name a file"}},
		{"hosts", []string{"gcp.spanner.host", "a", "gcp.spanner.emulator.host", "b"}, []string{"gcp.spanner.host", "cannot be used together", "gcp.spanner.emulator.host", "cannot be used together"}},
		{"omni key", []string{"spanner.omni.use.plaintext", "true"}, []string{"spanner.type", "only allowed when spanner.type is OMNI"}},
		{"omni", []string{"spanner.type", "omni"}, []string{"spanner.type", "Only cloud"}},
		{"cloud", []string{"spanner.type", "CLOUD"}, nil},
		{"capture mode", []string{"gcp.spanner.value.capture.mode", "NEW_VALUES"}, []string{"gcp.spanner.value.capture.mode", "Only OLD_AND_NEW_VALUES is allowed"}},

		{"queue not larger", []string{"max.queue.size", "2048"}, []string{"max.queue.size", "larger than the maximum batch size"}},
		{"queue zero", []string{"max.queue.size", "0"}, []string{"max.queue.size", "A positive queue size is required"}},
		{"skip none", []string{"skipped.operations", "none"}, nil},
		{"skip none and c", []string{"skipped.operations", "none,c"}, []string{"skipped.operations", "'none' cannot be specified"}},
		{"skip z", []string{"skipped.operations", "z"}, []string{"skipped.operations", "Invalid operation"}},
		{"skip r", []string{"skipped.operations", "r"}, nil},
		{"include broken", []string{"table.include.list", "a["}, []string{"table.include.list", "valid regular expressions is expected"}},
		{"alias broken", []string{"tables.include.list", "a["}, []string{"table.include.list", "valid regular expressions is expected"}},
		{"both spellings", []string{"tables.include.list", "a", "table.include.list", "b"}, []string{"table.include.list", "also given as tables.include.list"}},
		{"both lists", []string{"table.include.list", "a", "table.exclude.list", "b"}, nil},
		{"tombstones", []string{"tombstones.on.delete", "maybe"}, []string{"tombstones.on.delete", "Either 'true' or 'false' is expected"}},
		{"boolean case", []string{"tombstones.on.delete", " FALSE "}, nil},
		{"tasks zero", []string{"tasks.max", "0"}, []string{"tasks.max", "positive"}},
		{"tasks slip", []string{"tasks.max", "100000"}, []string{"tasks.max", "At most 1000"}},
		{"int overflow", []string{"tasks.min", "2147483648"}, []string{"tasks.min", "An integer is expected"}},
		{"prefix", []string{"topic.heartbeat.prefix", ""}, []string{"topic.heartbeat.prefix", "at least one"}},
		{"unknown key", []string{"my.own.key", "anything"}, nil},
		{"reference for number", []string{hb, "${env:HB}"}, nil},

		{"connect number", []string{"errors.retry.timeout", "x"}, []string{"errors.retry.timeout", "Invalid value x for configuration errors.retry.timeout: Not a number of type LONG"}},
		{"connect boolean", []string{"errors.log.enable", "x"}, []string{"errors.log.enable", "Expected value to be either true or false"}},
		{"tolerance", []string{"errors.tolerance", "some"}, []string{"errors.tolerance", "String must be one of: none, all"}},
		{"eos required", []string{"exactly.once.support", "REQUIRED"}, []string{"exactly.once.support", "exactly-once"}},
		{"boundary connector", []string{"transaction.boundary", "connector"}, []string{"transaction.boundary", "poll or interval"}},
		{"offsets topic", []string{"offsets.storage.topic", ""}, []string{"offsets.storage.topic", "String must be non-empty"}},

		{"name space", []string{"name", "a b"}, []string{"name", "Invalid value a b for configuration name: "}},
		{"RE-03 tab", []string{"name", "a\tb"}, []string{"name", "ASCII chars: 9"}},
		{"RE-03 empty", []string{"name", ""}, []string{"name", "Invalid value  for configuration name: String may not be empty"}},
		{"name dots", []string{"name", ".."}, []string{"name", "path"}},
		{"name slash", []string{"name", "a/b"}, []string{"name", "letters"}},
		{"name long", []string{"name", strings.Repeat("n", 121)}, []string{"name", "at most 120"}},
		{"name fits", []string{"name", strings.Repeat("n", 120)}, nil},

		{"topics incomplete", []string{"topic.creation.default.cleanup.policy", "compact"}, []string{
			factor, `Missing required configuration "` + factor + `"`, parts, `Missing required configuration "` + parts + `"`}},
		{"topics complete", []string{factor, "-1", parts, "3"}, nil},
		{"topics wrong", []string{factor, "0", parts, "x"}, []string{factor, "positive", parts, "An integer is expected"}},
		{"topic groups twice", []string{groups, "a,a", factor, "1", parts, "1"}, []string{groups, "Duplicate alias provided."}},
		{"topic group", []string{groups, "a", factor, "1", parts, "1", "topic.creation.a.include", "x[", "topic.creation.a.partitions", "0"},
			[]string{"topic.creation.a.include", "Invalid regex", "topic.creation.a.partitions", "positive"}},

		{"transform without class", []string{"transforms", "a"}, []string{"transforms.a.type", `Missing required configuration "transforms.a.type"`}},
		{"transform unknown", []string{"transforms", "a", "transforms.a.type", "No"}, []string{"transforms.a.type", "Class No could not be found."}},
		{"transform known", []string{"transforms", "a", "transforms.a.type", "org.x.Route"}, nil},
		{"transforms twice", []string{"transforms", "a, a"}, []string{"transforms", "Duplicate alias provided."}},
		{"negate alone", []string{"transforms", "a", "transforms.a.type", "Route", "transforms.a.negate", "true"}, []string{"transforms.a.negate", "without"}},
		{"predicate missing", []string{"transforms", "a", "transforms.a.type", "Route", "transforms.a.predicate", "p"}, []string{"transforms.a.predicate", "No predicate"}},
		{"predicate", []string{"transforms", "a", "transforms.a.type", "Route", "transforms.a.predicate", "p", "predicates", "p", "predicates.p.type", "Is"}, nil},
		{"converter", []string{"key.converter", "x.Y"}, []string{"key.converter", "Class x.Y could not be found."}},
		{"override", []string{"producer.override.linger.ms", "1"}, []string{"producer.override.linger.ms", "The 'Principal' policy does not allow 'linger.ms'"}},
		{"override allowed", []string{"producer.override.sasl.mechanism", "PLAIN"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := connector.Validate(config(c.changes...), connector.Worker{Now: now, Plugins: plugins, Properties: map[string]string{
				"connector.client.config.override.policy": "Principal", "key.converter": "org.x.Json"}})
			got := map[string]string{}
			for _, i := range v.Configs {
				if len(i.Value.Errors) > 0 {
					got[i.Value.Name] = strings.Join(i.Value.Errors, " / ")
				}
			}
			for i := 0; i+1 < len(c.want); i += 2 {
				if !strings.Contains(got[c.want[i]], c.want[i+1]) {
					t.Errorf("%s: error %q, want %q", c.want[i], got[c.want[i]], c.want[i+1])
				}
				delete(got, c.want[i])
			}
			if len(got) > 0 {
				t.Errorf("unexpected errors: %v", got)
			}
			if v.ErrorCount != len(c.want)/2 || len(v.Errors()) != v.ErrorCount {
				t.Errorf("%d errors counted, %d listed, want %d", v.ErrorCount, len(v.Errors()), len(c.want)/2)
			}
			if strings.Contains(strings.Join(v.Errors(), ""), "CANARY") {
				t.Error("SE-01: an error repeats a secret")
			}
		})
	}
}

var plugins = []connector.Plugin{
	{Class: "org.x.Json", Kind: connector.ConverterKind}, {Class: "org.x.Route", Kind: connector.TransformationKind}, {Class: "org.x.Is", Kind: connector.PredicateKind},
}

func TestValidationValues(t *testing.T) {
	t.Parallel()
	cfg := config("gcp.spanner.credentials.json", `{"key":"CANARY"}`, "producer.override.sasl.jaas.config", "CANARY", "tasks.max", "x", "value.converter", "${env:V}")
	resolved := maps.Clone(cfg)
	resolved["value.converter"] = "org.x.Json"
	v := connector.ValidateResolved(cfg, resolved, connector.Worker{Plugins: plugins, Properties: map[string]string{"key.converter": "org.x.Json"}})
	got := map[string]string{}
	for _, c := range v.Configs {
		if c.Value.Value == nil {
			got[c.Value.Name] = "<null>"
		} else {
			got[c.Value.Name] = *c.Value.Value
		}
	}
	for key, want := range map[string]string{
		"gcp.spanner.credentials.json": "[hidden]", "producer.override.sasl.jaas.config": "[hidden]", "tasks.max": "<null>",
		"heartbeat.interval.ms": "300000", "key.converter": "org.x.Json", "value.converter": "${env:V}", "gcp.spanner.host": "<null>", "name": "c1",
		"header.converter": "org.apache.kafka.connect.storage.SimpleHeaderConverter",
	} {
		if got[key] != want {
			t.Errorf("%s = %q, want %q", key, got[key], want)
		}
	}
	if v.Add("gcp.spanner.change.stream", "not there"); !v.Failed("gcp.spanner.change.stream") || v.ErrorCount != 2 {
		t.Errorf("an added error is lost: %d errors", v.ErrorCount)
	}
	if v.Add("nowhere", "x"); v.Configs[0].Value.Name != "nowhere" || v.Configs[0].Definition != nil {
		t.Errorf("an error of a key that is not listed: %+v", v.Configs[0])
	}
}

func FuzzValidate(f *testing.F) {
	f.Add("table.include.list", "a,b\\,c")
	f.Add("transforms", "a,${x:y}")
	f.Add("topic.creation.groups", "default,,x")
	f.Add("gcp.spanner.end.time", "9999-12-31T23:59:59Z")
	f.Fuzz(func(t *testing.T, key, value string) {
		cfg := config(key, value)
		v := connector.Validate(cfg, connector.Worker{Now: now})
		_, err := connector.Parse(cfg, connector.Worker{Now: now})
		again := connector.Validate(cfg, connector.Worker{Now: now})
		if d := cmp.Diff(v, again); d != "" {
			t.Errorf("two validations differ: %s", d)
		}
		if v.ErrorCount == 0 && err != nil && !connector.HasReference(value) {
			t.Errorf("valid, but not parsed: %v", err)
		}
	})
}
