package main

import (
	"strings"
	"testing"
)

func TestWhatCannotBeUnderstoodIsSaid(t *testing.T) {
	for args, want := range map[string]string{
		"":               `unknown command ""`,
		"begin kafka":    `unknown command "begin"`,
		"start oracle":   `unknown service "oracle"`,
		"stop oracle":    `unknown service "oracle"`,
		"kill":           "name the services",
		"restart":        "name the services",
		"restart kafka":  "it was never started",
		"with kafka":     "-- and a command",
		"with kafka --":  "-- and a command",
		"with x -- true": `unknown service "x"`,
	} {
		err := run(t.Context(), append([]string{"-dir", t.TempDir()}, strings.Fields(args)...))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want something with %q", args, err, want)
		}
	}
}
