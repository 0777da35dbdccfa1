package arch

import (
	"fmt"
	"slices"
	"strings"
)

// within reports whether name is parent or below it.
func within(name, parent string) bool {
	return name == parent || strings.HasPrefix(name, parent+"/")
}

// checkSDK holds for tests too, except for what serves tests: there is one adapter even for them. Of the SDKs of
// services a test may use what it likes, to look at the far side without the code under test.
func checkSDK(f source, imported string) []string {
	var broken []string
	if suite(imported) && !f.test && !within(f.dir, "tests") {
		broken = append(broken, fmt.Sprintf("%s imports %s: a suite of tests would be deployed with it", f.path, imported))
	}
	for _, s := range sdks {
		if !slices.ContainsFunc(s.prefixes, func(p string) bool { return within(imported, p) }) {
			continue
		}
		if f.test || slices.ContainsFunc(s.only, func(folder string) bool { return within(f.dir, folder) }) {
			continue
		}
		broken = append(broken, fmt.Sprintf("%s imports %s, which belongs to %s: %s", f.path, imported, strings.Join(s.only, ", "), s.reason))
	}
	return broken
}

// checkLevel looks at what is deployed. Tests may reach up for the stand-ins, which no deployed file does.
func checkLevel(f source, imported string) []string {
	if f.test || !within(f.dir, "shared") || f.dir == "shared" {
		return nil
	}
	at := levelOf(f.dir)
	if at < 0 {
		return []string{fmt.Sprintf("%s is in no level of the import table: place it in tests/arch/table.go, and the design with it", f.dir)}
	}
	rule := levels[at]
	allowed := true
	if ours := strings.TrimPrefix(imported, module+"/"); ours != imported {
		to := levelOf(ours)
		own := nameOf(ours) == nameOf(f.dir) // a package below another is part of it
		allowed = to >= 0 && (to < rule.below || to == at && (rule.peers || own))
	} else if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
		allowed = rule.libraries
	}
	if allowed {
		return nil
	}
	return []string{fmt.Sprintf("%s (%s) imports %s: %s", f.path, rule.name, imported, rule.reason)}
}

// nameOf is the first folder below shared of a package's folder.
func nameOf(dir string) string {
	below, ok := strings.CutPrefix(dir, "shared/")
	if !ok {
		return ""
	}
	first, _, _ := strings.Cut(below, "/")
	return first
}

// levelOf is the row of a package of shared, -1 when it is in none.
func levelOf(dir string) int {
	name := nameOf(dir)
	return slices.IndexFunc(levels, func(l level) bool { return name != "" && slices.Contains(l.packages, name) })
}
