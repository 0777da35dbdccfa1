package connectapi_test

import (
	"strings"
	"testing"

	"sluice.example/shared/lease"
)

const spannerVersion = `"version":"3.4.0.Final"`

func part(state, worker, trace string) string {
	p := `"state":"` + state + `","worker_id":"` + worker + `",` + spannerVersion
	if trace != "" {
		p += `,"trace":"` + trace + `"`
	}
	return p
}

func statusJSON(connector string, tasks ...string) string {
	return `{"name":"c1","connector":{` + connector + `},"tasks":[` + strings.Join(tasks, ",") + `],"type":"source"}`
}

func TestWM05Status(t *testing.T) {
	t.Parallel()
	b := created(t)
	b.shelf.run("c1", 4,
		lease.Slot{Number: 3, Owner: "x:1", State: lease.Running, Life: "an earlier one"},
		lease.Slot{Number: 1, Owner: "b:443", State: lease.Failed, Trace: "table gone", Epoch: 1},
		lease.Slot{Number: 0, Owner: "a:443", State: lease.Running, Trace: "retrying", Epoch: 1},
	)
	b.do("GET", "/connectors/c1/status", "").want(200).json(statusJSON(part("RUNNING", "w:443", ""),
		`{"id":0,`+part("RUNNING", "a:443", "retrying")+`}`, `{"id":1,`+part("FAILED", "b:443", "table gone")+`}`,
		`{"id":2,`+part("UNASSIGNED", "w:443", "")+`}`, `{"id":3,`+part("UNASSIGNED", "w:443", "")+`}`))
	b.do("GET", "/connectors/c1/tasks/1/status", "").want(200).json(`{"id":1,` + part("FAILED", "b:443", "table gone") + `}`)
	b.do("GET", "/connectors/c1/tasks/4/status", "").fails(404, "No status found for task c1-4")
	b.do("GET", "/connectors/c1/tasks/-1/status", "").fails(404)
	b.do("GET", "/connectors/no/status", "").fails(404, "No status found for connector no")
	b.do("GET", "/connectors/no/tasks/0/status", "").fails(404, "No status found for task no-0")
	b.do("GET", "/connectors/no/tasks", "").fails(404, "Connector no not found")
	r := b.do("GET", "/connectors/c1/tasks", "").want(200)
	if !strings.HasPrefix(r.Body.String(), `[{"id":{"connector":"c1","task":0},"config":{`) || !strings.Contains(r.Body.String(), `"task.class":"io.debezium.connector.spanner.SpannerConnectorTask"`) {
		t.Errorf("tasks: %s", r.Body)
	}

	b.do("PUT", "/connectors/c1/pause", "").want(202)
	b.do("GET", "/connectors/c1/status", "").json(statusJSON(part("PAUSED", "w:443", ""),
		`{"id":0,`+part("PAUSED", "a:443", "retrying")+`}`, `{"id":1,`+part("FAILED", "b:443", "table gone")+`}`,
		`{"id":2,`+part("PAUSED", "w:443", "")+`}`, `{"id":3,`+part("PAUSED", "w:443", "")+`}`))

	b.do("PUT", "/connectors/c1/stop", "").want(204)
	b.do("GET", "/connectors/c1/status", "").json(statusJSON(part("STOPPED", "w:443", "")))
	b.do("GET", "/connectors/c1/tasks", "").json(`[]`)
}

// RE-17: stop wins over failed, pause does not.
func TestRE17FailedConnector(t *testing.T) {
	t.Parallel()
	b := created(t)
	b.shelf.run("c1", 0)
	p := b.shelf.plans["c1"]
	p.Trouble = "database not found"
	b.shelf.plans["c1"] = p
	failed := statusJSON(part("FAILED", "w:443", "database not found"))
	b.do("GET", "/connectors/c1/status", "").json(failed)
	b.do("PUT", "/connectors/c1/pause", "").want(202)
	b.do("GET", "/connectors/c1/status", "").json(failed)
	b.do("PUT", "/connectors/c1/stop", "").want(204)
	b.do("GET", "/connectors/c1/status", "").json(statusJSON(part("STOPPED", "w:443", "")))
}

func TestRE25InitialState(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{"stopped": "STOPPED", "PAUSED": "PAUSED", "RUNNING": "UNASSIGNED"} {
		b := setup(t)
		b.do("POST", "/connectors", `{"name":"c1","initial_state":"`+asked+`","config":`+config(nil)+`}`).want(201)
		b.do("GET", "/connectors/c1/status", "").json(statusJSON(part(want, "w:443", "")))
	}
}

// Asking again for the state that is there writes nothing, and wakes again.
func TestTargetIsIdempotent(t *testing.T) {
	t.Parallel()
	b := created(t)
	for path, status := range map[string]int{"pause": 202, "resume": 202, "stop": 204} {
		b.do("PUT", "/connectors/c1/"+path, "").want(status)
		writes, wakes := b.shelf.writes, b.wakes("c1")
		if r := b.do("PUT", "/connectors/c1/"+path, "").want(status); r.Body.Len() > 0 {
			t.Errorf("%s: body %s", path, r.Body)
		}
		if b.shelf.writes != writes || b.wakes("c1") != wakes+1 {
			t.Errorf("%s twice: %d writes, %d wakes", path, b.shelf.writes-writes, b.wakes("c1")-wakes)
		}
		b.do("PUT", "/connectors/no/"+path, "").fails(404, "Unknown connector no")
	}
}

func TestRE19Restart(t *testing.T) {
	t.Parallel()
	b := created(t)
	b.shelf.run("c1", 2,
		lease.Slot{Number: 0, Owner: "a:443", State: lease.Running, Epoch: 1},
		lease.Slot{Number: 1, Owner: "b:443", State: lease.Failed, Trace: "bad", Epoch: 1})
	healthy := `{"id":0,` + part("RUNNING", "a:443", "") + `}`
	before := b.shelf.get("c1")

	b.do("POST", "/connectors/c1/restart", "").want(204)
	b.do("POST", "/connectors/c1/restart?onlyFailed=true", "").want(202).json(statusJSON(part("RUNNING", "w:443", ""), healthy, `{"id":1,`+part("FAILED", "b:443", "bad")+`}`))
	if after := b.shelf.get("c1"); after.Version != before.Version {
		t.Errorf("a restart of the connector alone changed %+v", after)
	}

	restarting := `{"id":1,` + part("RESTARTING", "b:443", "bad") + `}`
	b.do("POST", "/connectors/c1/restart?includeTasks=true&onlyFailed=true", "").want(202).json(statusJSON(part("RUNNING", "w:443", ""), healthy, restarting))
	b.do("GET", "/connectors/c1/status", "").json(statusJSON(part("RUNNING", "w:443", ""), healthy, restarting))
	if c := b.shelf.get("c1"); c.EpochOf("0") != 1 || c.EpochOf("1") != 2 || c.Generation != 1 {
		t.Errorf("stored %+v", c)
	}

	b.do("POST", "/connectors/c1/restart?includeTasks=TRUE", "").want(202).json(statusJSON(part("RESTARTING", "w:443", ""), `{"id":0,`+part("RESTARTING", "a:443", "")+`}`, restarting))
	if c := b.shelf.get("c1"); c.EpochOf("0") != 3 || c.EpochOf("1") != 3 {
		t.Errorf("stored %+v", c)
	}

	b.do("POST", "/connectors/c1/tasks/0/restart", "").want(204)
	b.do("POST", "/connectors/c1/tasks/2/restart", "").fails(404, "Unknown task: c1-2")
	b.do("POST", "/connectors/no/tasks/0/restart", "").fails(404, "Unknown connector: no")
	for _, q := range []string{"", "?includeTasks=true", "?onlyFailed=true", "?includeTasks=true&onlyFailed=true"} {
		b.do("POST", "/connectors/no/restart"+q, "").fails(404, "Unknown connector: no")
	}
	b.do("PUT", "/connectors/c1/stop", "").want(204)
	b.do("POST", "/connectors/c1/restart?includeTasks=true", "").want(202).json(statusJSON(part("RESTARTING", "w:443", "")))
	if c := b.shelf.get("c1"); c.Target != "STOPPED" {
		t.Errorf("a restart of a stopped connector made it %s", c.Target)
	}
}

// As in Connect, stopping takes the tasks away: those of the next start are new ones, also where one had failed. A pause
// keeps them, and their failures.
func TestTasksThatFailedRunAgainAfterAStop(t *testing.T) {
	t.Parallel()
	b := created(t)
	b.do("PUT", "/connectors/c1/pause", "").want(202)
	b.do("PUT", "/connectors/c1/resume", "").want(202)
	if c := b.shelf.get("c1"); c.Epoch != 1 {
		t.Errorf("epoch %d after a pause", c.Epoch)
	}
	b.do("PUT", "/connectors/c1/stop", "").want(204)
	b.do("PUT", "/connectors/c1/resume", "").want(202)
	if c := b.shelf.get("c1"); c.Epoch != 2 {
		t.Errorf("epoch %d after a stop", c.Epoch)
	}
}
