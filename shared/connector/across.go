package connector

import (
	"strings"
	"time"
)

// Rules across several keys of the connector itself. Their texts stand alone, without the name of a key, as the peer's do.

// places: one endpoint at most, and nothing of the kind of Spanner that is not supported.
func (r *report) places() {
	if strings.TrimSpace(r.value("gcp.spanner.host")) != "" && strings.TrimSpace(r.value("gcp.spanner.emulator.host")) != "" {
		const text = "A host of Cloud Spanner and a host of the emulator cannot be used together"
		r.add("gcp.spanner.host", text)
		r.add("gcp.spanner.emulator.host", text)
	}
	plaintext, _ := boolean(r.value("spanner.omni.use.plaintext"))
	if r.sound("spanner.type") && (plaintext || r.value("spanner.omni.client.key.path") != "" || r.value("spanner.omni.client.cert.path") != "") {
		r.add("spanner.type", "Omni properties are only allowed when spanner.type is OMNI, which is not supported")
	}
}

// times: the end is not before the start. A start that is not given is now (RE-11).
func (r *report) times() {
	const start, end = "gcp.spanner.start.time", "gcp.spanner.end.time"
	if !r.sound(start, end) || r.value(end) == "" {
		return
	}
	last := timeOf(r.value(end))
	switch {
	case r.value(start) != "":
		if last.Before(timeOf(r.value(start))) {
			r.add(end, "End time must be after start time")
		}
	case !r.w.Now.IsZero() && last.Before(r.w.Now):
		r.add(end, "End time must be after start time, which is now when none is given")
	}
}

// timeOf is a text that instant has let through; anything else is the zero time.
func timeOf(v string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, v)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func (r *report) queues() {
	const queue, batch = "max.queue.size", "max.batch.size"
	if r.sound(queue, batch) && number(r.value(queue)) <= number(r.value(batch)) {
		r.add(queue, byName[queue].problem("", "Must be larger than the maximum batch size"))
	}
}

// delivery: what this connector and this worker can promise (I9).
func (r *report) delivery() {
	if strings.EqualFold(r.value("exactly.once.support"), "required") && !r.w.ExactlyOnce {
		r.add("exactly.once.support", "This worker does not have exactly-once support for sources enabled.")
	}
	if strings.EqualFold(r.value("transaction.boundary"), "connector") {
		r.add("transaction.boundary", "The connector does not define boundaries of transactions; use poll or interval.")
	}
}

// overrides: which settings of Kafka clients a connector may change is the worker's policy.
func (r *report) overrides() {
	policy := r.w.property("connector.client.config.override.policy", "All")
	policy = policy[strings.LastIndexByte(policy, '.')+1:]
	policy = strings.TrimSuffix(policy, "ConnectorClientConfigOverridePolicy")
	for _, name := range sortedKeys(r.written) {
		for _, prefix := range []string{"producer.override.", "admin.override.", "consumer.override."} {
			setting, ok := strings.CutPrefix(name, prefix)
			if !ok {
				continue
			}
			r.trailing = append(r.trailing, name)
			if !allowed(policy, setting) {
				r.add(name, "The '"+policy+"' policy does not allow '"+setting+"' to be overridden in the connector configuration.")
			}
		}
	}
}

func allowed(policy, setting string) bool {
	switch policy {
	case "None":
		return false
	case "Principal":
		return setting == "sasl.jaas.config" || setting == "sasl.mechanism" || setting == "security.protocol"
	default:
		return true
	}
}
