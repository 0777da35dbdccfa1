package connectapi

import (
	"context"
	"net/http"
	"strings"

	"sluice.example/shared/connector"
	"sluice.example/shared/converter"
)

// Plugins are the classes that a configuration may name, for Worker.Plugins: the converters. There are no transformations
// yet, so that a configuration that names one is refused and not quietly followed in part.
func Plugins() []connector.Plugin {
	data, headers := converter.Classes()
	var all []connector.Plugin
	for _, c := range data {
		all = append(all, connector.Plugin{Class: c, Kind: connector.ConverterKind, Version: defaultVersion})
	}
	for _, c := range headers {
		all = append(all, connector.Plugin{Class: c, Kind: connector.HeaderConverterKind, Version: defaultVersion})
	}
	return all
}

type pluginBody struct {
	Class   string         `json:"class"`
	Type    connector.Kind `json:"type"`
	Version string         `json:"version,omitempty"`
}

// plugins is GET /connector-plugins: the connector, and with connectorsOnly=false whatever else a configuration may name.
func (s *server) plugins(_ context.Context, c *call) (answer, error) {
	body := []pluginBody{{connector.ClassName, connector.SourceKind, connector.PluginVersion}}
	if !c.query.Has("connectorsOnly") || c.flag("connectorsOnly") {
		return ok(body), nil
	}
	for _, kind := range []connector.Kind{connector.TransformationKind, connector.PredicateKind, connector.ConverterKind, connector.HeaderConverterKind} {
		for _, p := range s.Worker.Plugins {
			if p.Kind == kind {
				body = append(body, pluginBody{p.Class, p.Kind, p.Version})
			}
		}
	}
	return ok(body), nil
}

// pluginConfig is GET /connector-plugins/{p}/config: the table of keys.
func (s *server) pluginConfig(_ context.Context, c *call) (answer, error) {
	if !connector.IsClass(c.name()) {
		return answer{}, failf(http.StatusNotFound, "Unknown plugin %s.", c.name())
	}
	if v := c.query.Get("version"); v != "" && v != connector.PluginVersion {
		return answer{}, failf(http.StatusBadRequest, "Version %s of plugin %s is not available; the available version is %s", v, c.name(), connector.PluginVersion)
	}
	return ok(connector.Definitions()), nil
}

// validate is PUT /connector-plugins/{p}/config/validate. That the configuration is wrong is its answer and no error.
func (s *server) validate(ctx context.Context, c *call) (answer, error) {
	cfg, nulls, err := configMap(c.body, "The body")
	if err != nil {
		return answer{}, err
	}
	if class := cfg["connector.class"]; strings.TrimSpace(class) != "" && !sameType(class, c.name()) {
		return answer{}, failf(http.StatusBadRequest, "Included connector type %s does not match request type %s", class, c.name())
	}
	if err := checkClass(cfg); err != nil {
		return answer{}, err
	}
	v, err := s.judge(ctx, cfg)
	if err != nil {
		return answer{}, err
	}
	for _, key := range nulls {
		v.Add(key, nullValue)
	}
	return ok(v), nil
}

// sameType: the class ends with the type of the path, the word Connector aside.
func sameType(class, path string) bool {
	return strings.HasSuffix(strings.TrimSuffix(strings.TrimSpace(class), "Connector"), strings.TrimSuffix(path, "Connector"))
}
