package connectapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"sluice.example/shared/connectapi"
	"sluice.example/shared/connector"
)

func TestPutCreatesAndReplaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.do("PUT", "/connectors/c1/config", config(nil)).want(201)
	if r.Header().Get("Location") != "http://sluice.test/connectors/c1" {
		t.Errorf("Location %q", r.Header().Get("Location"))
	}
	b.do("PUT", "/connectors/c1/config", config(map[string]any{"tasks.max": json.Number("5"), "tombstones.on.delete": true, "x": json.Number("1.50")})).want(200)
	c := b.shelf.get("c1")
	if c.Config["tasks.max"] != "5" || c.Config["tombstones.on.delete"] != "true" || c.Config["x"] != "1.50" || c.Generation != 2 || c.Epoch != 2 {
		t.Errorf("stored %+v", c)
	}
	b.do("PUT", "/connectors/a/config", config(map[string]any{"name": "b"})).fails(400, "(b)", "(a)") // RE-15
	b.do("GET", "/connectors", "").json(`["c1"]`)
	b.do("PUT", "/connectors/c1/config", `{"heartbeat.interval.ms":null,"connector.class":"Spanner"}`).fails(400, "heartbeat.interval.ms", "Null value") // RE-13
	if got := b.shelf.get("c1"); got.Version != c.Version {
		t.Errorf("a refused change was stored: %+v", got)
	}
}

func TestRE21SameConfig(t *testing.T) {
	t.Parallel()
	b := created(t)
	before, writes := b.shelf.get("c1"), b.shelf.writes
	b.problems = map[string][]string{"gcp.spanner.change.stream": {"not there just now"}}
	for range 10 {
		b.do("PUT", "/connectors/c1/config", config(nil)).want(200)
	}
	if after := b.shelf.get("c1"); after.Epoch != before.Epoch || after.Generation != before.Generation || b.shelf.writes != writes {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	b := created(t)
	b.do("PATCH", "/connectors/c1/config", `{"tasks.max":3,"x":"y"}`).want(200)
	b.do("PATCH", "/connectors/c1/config", `{"x":null,"name":null}`).want(200)
	if c := b.shelf.get("c1"); c.Config["tasks.max"] != "3" || c.Config["name"] != "c1" || c.Generation != 3 {
		t.Errorf("stored %+v", c)
	} else if _, there := c.Config["x"]; there {
		t.Error("null did not take the key away")
	}
	b.do("PATCH", "/connectors/c1/config", `{"name":"other"}`).fails(400, "(other)")
	b.do("PATCH", "/connectors/c1/config", `{"tasks.max":0}`).fails(400)
	b.do("PATCH", "/connectors/no/config", `{}`).fails(404, "Connector no not found")
}

// A restart of one task must not hide a later change of the configuration from it.
func TestEpochPassesRestarts(t *testing.T) {
	t.Parallel()
	b := created(t)
	b.shelf.run("c1", 1)
	for range 3 {
		b.do("POST", "/connectors/c1/tasks/0/restart", "").want(204)
	}
	c := b.shelf.get("c1")
	restarted := c.EpochOf("0")
	b.do("PUT", "/connectors/c1/config", config(map[string]any{"tasks.max": 3})).want(200)
	if c = b.shelf.get("c1"); c.EpochOf("0") <= restarted || c.Restarts != nil {
		t.Errorf("restarted in epoch %d, changed in %d, restarts %v", restarted, c.EpochOf("0"), c.Restarts)
	}
}

const secretJSON = `{"private_key":"CANARY-PRIVATE-KEY"}`

func TestSE03MaskRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cfg := config(map[string]any{"gcp.spanner.credentials.json": secretJSON, "producer.override.sasl.jaas.config": "${env:JAAS}"})
	b.do("POST", "/connectors", creation("c1", cfg)).want(201)
	shown := b.do("GET", "/connectors/c1/config", "").want(200).Body.String()
	if !strings.Contains(shown, `"gcp.spanner.credentials.json":"[hidden]"`) || !strings.Contains(shown, "${env:JAAS}") {
		t.Errorf("shown: %s", shown)
	}
	before := b.shelf.get("c1")
	b.do("PUT", "/connectors/c1/config", shown).want(200)
	if after := b.shelf.get("c1"); after.Version != before.Version || after.Config["gcp.spanner.credentials.json"] != secretJSON {
		t.Errorf("after %+v", after)
	}
	b.do("PATCH", "/connectors/c1/config", `{"gcp.spanner.credentials.json":"[hidden]","tasks.max":1}`).want(200)
	if after := b.shelf.get("c1"); after.Config["gcp.spanner.credentials.json"] != secretJSON || after.Config["tasks.max"] != "1" {
		t.Errorf("after %+v", after)
	}
	b.do("PUT", "/connectors/c2/config", strings.Replace(shown, `"name":"c1"`, `"name":"c2"`, 1)).fails(400, "gcp.spanner.credentials.json") // nothing is stored that it could stand for
}

func TestMaskingOff(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *connectapi.Options) { o.Worker.Properties = map[string]string{"sluice.mask.secrets": "false"} })
	b.do("POST", "/connectors", creation("c1", config(map[string]any{"gcp.spanner.credentials.json": secretJSON}))).want(201)
	if got := b.do("GET", "/connectors/c1/config", "").want(200).Body.String(); !strings.Contains(got, "CANARY") {
		t.Errorf("shown: %s", got)
	}
}

// SE-01, RE-09: no answer and no line of the log repeats a secret, whatever goes wrong with it.
func TestSE01NoSecretAnywhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	good := config(map[string]any{"gcp.spanner.credentials.json": secretJSON})
	broken := config(map[string]any{"gcp.spanner.credentials.json": "{bad CANARY2"})
	noClass := `{"name":"c1","gcp.spanner.credentials.json":"CANARY-SECRET"}`
	otherClass := `{"connector.class":"FileStreamSource","gcp.spanner.credentials.json":"CANARY-SECRET"}`
	var seen strings.Builder
	for _, c := range [][3]string{
		{"POST", "/connectors", creation("c1", good)}, {"POST", "/connectors", creation("c1", good)}, {"POST", "/connectors", creation("c2", broken)},
		{"POST", "/connectors", creation("c2", noClass)}, {"POST", "/connectors", creation("c2", otherClass)}, {"POST", "/connectors", `{"name":"c2","config":` + good},
		{"PUT", "/connectors/c1/config", broken}, {"PUT", "/connectors/c1/config", config(map[string]any{"gcp.spanner.credentials.json": secretJSON, "tasks.max": 0})},
		{"GET", "/connectors?expand=info&expand=status", ""}, {"GET", "/connectors/c1", ""}, {"GET", "/connectors/c1/tasks", ""},
		{"PUT", "/connector-plugins/SpannerConnector/config/validate", good}, {"PUT", "/connector-plugins/SpannerConnector/config/validate", broken},
		{"PUT", "/connector-plugins/SpannerConnector/config/validate", noClass}, {"PUT", "/connector-plugins/SpannerConnector/config/validate", otherClass},
	} {
		seen.WriteString(b.do(c[0], c[1], c[2]).Body.String())
	}
	if all := seen.String() + b.log.String(); strings.Contains(all, "CANARY") {
		t.Errorf("a secret got out:\n%s", all)
	}
}

// References are looked up for judging and stored as written.
func TestReferences(t *testing.T) {
	t.Parallel()
	resolve := map[string]string{"${env:MAX}": "3", "${env:BAD}": "x"}
	b := setup(t, func(o *connectapi.Options) {
		o.Resolve = func(_ context.Context, cfg map[string]string) (map[string]string, error) {
			for k, v := range cfg {
				if v == "${env:NONE}" {
					return nil, errors.New("no such variable")
				}
				if r, ok := resolve[v]; ok {
					cfg[k] = r
				}
			}
			return cfg, nil
		}
	})
	b.do("POST", "/connectors", creation("c1", config(map[string]any{"tasks.max": "${env:MAX}"}))).want(201)
	if b.shelf.get("c1").Config["tasks.max"] != "${env:MAX}" || b.checked[0].TasksMax != 3 {
		t.Errorf("stored %v, checked %+v", b.shelf.get("c1").Config, b.checked)
	}
	b.do("POST", "/connectors", creation("c2", config(map[string]any{"tasks.max": "${env:BAD}"}))).fails(400, "The 'tasks.max' value is invalid")
	b.do("POST", "/connectors", creation("c2", config(map[string]any{"tasks.max": "${env:NONE}"}))).fails(400, "reference")

	b = setup(t)
	b.do("POST", "/connectors", creation("c1", config(map[string]any{"tasks.max": "${env:MAX}"}))).want(201)
}

func TestPlugins(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *connectapi.Options) {
		o.Worker.Plugins = []connector.Plugin{{Class: "x.Json", Kind: connector.ConverterKind, Version: "4.1.1"}, {Class: "x.Route", Kind: connector.TransformationKind}}
	})
	const spanner = `{"class":"io.debezium.connector.spanner.SpannerConnector","type":"source","version":"3.4.0.Final"}`
	b.do("GET", "/connector-plugins", "").want(200).json(`[` + spanner + `]`)
	b.do("GET", "/connector-plugins?connectorsOnly=TRUE", "").want(200).json(`[` + spanner + `]`)
	b.do("GET", "/connector-plugins?connectorsOnly=1", "").want(200).json(`[` + spanner + `,{"class":"x.Route","type":"transformation"},{"class":"x.Json","type":"converter","version":"4.1.1"}]`)
	for _, p := range []string{"Spanner", "SpannerConnector", connector.ClassName} {
		if r := b.do("GET", "/connector-plugins/"+p+"/config", "").want(200); !strings.HasPrefix(r.Body.String(), `[{"name":"gcp.spanner.project.id","type":"STRING","required":false,"default_value":null,"importance":"HIGH","documentation":`) {
			t.Errorf("%s: %.200s", p, r.Body)
		}
	}
	b.do("GET", "/connector-plugins/No/config", "").fails(404, "Unknown plugin No.")
	b.do("GET", "/connector-plugins/Spanner/config?version=1", "").fails(400, "3.4.0.Final")
}

// What the API knows of plugins is what the tasks can make, and a converter's own keys are judged by the converter.
func TestConverters(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *connectapi.Options) { o.Worker.Plugins = connectapi.Plugins() })
	r := b.do("GET", "/connector-plugins?connectorsOnly=false", "").want(200)
	for _, c := range []string{"org.apache.kafka.connect.json.JsonConverter", "org.apache.kafka.connect.storage.SimpleHeaderConverter"} {
		if !strings.Contains(r.Body.String(), c) {
			t.Errorf("%s is not listed: %s", c, r.Body)
		}
	}
	for _, good := range []string{"org.apache.kafka.connect.json.JsonConverter", "JsonConverter", "Json", "${env:C}"} {
		b.do("PUT", "/connectors/c1/config", config(map[string]any{"value.converter": good, "value.converter.schemas.enable": "false"}))
		if got := b.shelf.get("c1").Config["value.converter"]; got != good {
			t.Errorf("%s is refused", good)
		}
	}
	b.do("PUT", "/connectors/c1/config", config(map[string]any{"value.converter": "x.Y"})).fails(400, "1 error(s)", "Class x.Y could not be found.")
	b.do("PUT", "/connectors/c1/config", config(map[string]any{"value.converter": "Json", "value.converter.schemas.enable": "perhaps"})).fails(400, "1 error(s)", "value.converter", "schemas.enable")
	b.do("PUT", "/connectors/c1/config", config(map[string]any{"transforms": "a", "transforms.a.type": "x.Route"})).fails(400, "1 error(s)", "Class x.Route could not be found.")
}

func TestValidateEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/connector-plugins/SpannerConnector/config/validate"
	b.do("PUT", path, `{"name":"c1"}`).fails(400, "no connector type")                                                   // RE-09
	b.do("PUT", path, `{"connector.class":"FileStreamSource"}`).fails(400, "FileStreamSource", "does not match", "type") // RE-09
	b.do("PUT", path, `{`).fails(400)
	type infos struct {
		Name       string `json:"name"`
		ErrorCount int    `json:"error_count"`
		Configs    []struct {
			Value struct {
				Name   string   `json:"name"`
				Errors []string `json:"errors"`
			} `json:"value"`
		} `json:"configs"`
	}
	get := func(cfg string) (i infos) {
		if err := json.Unmarshal(b.do("PUT", path, cfg).want(200).Body.Bytes(), &i); err != nil {
			t.Fatal(err)
		}
		return i
	}
	if i := get(`{"connector.class":"Spanner"}`); i.ErrorCount != 5 || i.Name != "Spanner" { // the name and the four places
		t.Errorf("%d errors, name %q", i.ErrorCount, i.Name)
	}
	if i := get(config(map[string]any{"name": "c1"})); i.ErrorCount != 0 || len(b.checked) != 1 {
		t.Errorf("%d errors, %d checks", i.ErrorCount, len(b.checked))
	}
	if i := get(strings.Replace(config(map[string]any{"name": "c1"}), "{", `{"my.key":null,`, 1)); i.ErrorCount != 1 || i.Configs[0].Value.Name != "my.key" {
		t.Errorf("null: %d errors, first %+v", i.ErrorCount, i.Configs[0])
	}
}
