package connectapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"sluice.example/shared/connector"
	"sluice.example/shared/converter"
)

// judge validates a configuration as it would be stored: what can be known by itself, and then, if nothing is wrong with
// that, what needs a network, within CheckTimeout. It is an error only where that could not be asked at all.
func (s *server) judge(ctx context.Context, cfg map[string]string) (connector.Validation, error) {
	resolved := cfg
	if s.Resolve != nil {
		var err error
		if resolved, err = s.Resolve(ctx, maps.Clone(cfg)); err != nil {
			s.Logger.Warn("references are not resolved", "connector", cfg["name"], "error", err)
			return connector.Validation{}, failf(http.StatusBadRequest, "A reference of the configuration cannot be looked up; the log of this worker says which")
		}
	}
	w := s.Worker
	w.Now = s.Clock.Now()
	v := connector.ValidateResolved(cfg, resolved, w)
	checkConverters(&v, resolved)
	if v.ErrorCount > 0 || s.Checker == nil {
		return v, nil
	}
	settings, err := connector.Parse(resolved, w)
	if err != nil {
		// What is left to refuse is a reference that nobody looked up. It is judged where it is resolved.
		var invalid *connector.InvalidError
		if errors.As(err, &invalid) {
			return v, nil
		}
		return v, fmt.Errorf("parse configuration: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.CheckTimeout)
	defer cancel()
	problems := s.Checker.Check(ctx, settings)
	for _, key := range slices.Sorted(maps.Keys(problems)) {
		v.Add(key, problems[key]...)
	}
	return v, nil
}

// checkConverters makes the converters that the connector names, as its tasks would, and keeps what they say. Each is made
// alone, so that what it says is about its own key.
func checkConverters(v *connector.Validation, cfg map[string]string) {
	for _, key := range []string{"key.converter", "value.converter", "header.converter"} {
		own := map[string]string{}
		references := false
		for name, value := range cfg {
			if name == key || strings.HasPrefix(name, key+".") {
				own[name] = value
				references = references || connector.HasReference(value)
			}
		}
		if own[key] == "" || references || v.Failed(key) {
			continue
		}
		if _, err := converter.NewSet(own, nil); err != nil {
			v.Add(key, "Invalid value "+own[key]+" for configuration "+key+": "+err.Error())
		}
	}
}

// approve is judge as a condition: anything wrong is a 400 that lists it all (WM-05).
func (s *server) approve(ctx context.Context, cfg map[string]string) error {
	if err := checkClass(cfg); err != nil {
		return err
	}
	v, err := s.judge(ctx, cfg)
	if err != nil {
		return err
	}
	if v.ErrorCount == 0 {
		return nil
	}
	return failf(http.StatusBadRequest, "Connector configuration is invalid and contains the following %d error(s):\n%s\nPUT `/connector-plugins/{connectorType}/config/validate` tells the same key by key",
		v.ErrorCount, strings.Join(v.Errors(), "\n"))
}

// checkClass wants a class, and this one. Unlike the peer it does not print the configuration (RE-09).
func checkClass(cfg map[string]string) error {
	class := strings.TrimSpace(cfg["connector.class"])
	switch {
	case class == "":
		return failf(http.StatusBadRequest, "Connector config contains no connector type (connector.class)")
	case !connector.IsClass(class):
		return failf(http.StatusBadRequest, "Failed to find any class that implements Connector and which name matches %s, available connectors are: %s", class, connector.ClassName)
	default:
		return nil
	}
}
