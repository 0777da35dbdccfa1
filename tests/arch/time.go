package arch

import (
	"fmt"
	"go/ast"
	"slices"
)

// clocks are the functions of package time that read or wait for the machine's clock.
var clocks = []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"}

// checkPure holds words and rules to being given the time, and to leaving goroutines to whoever calls them.
func checkPure(f source) []string {
	if at := levelOf(f.dir); f.test || at < 0 || at > 1 {
		return nil
	}
	var broken []string
	ast.Inspect(f.tree, func(node ast.Node) bool {
		if _, ok := node.(*ast.GoStmt); ok {
			broken = append(broken, fmt.Sprintf("%s starts a goroutine: words and rules are values and functions; who calls them decides what runs at once", f.path))
		}
		if name := clockUsed(node); name != "" && impure[f.dir] == "" {
			broken = append(broken, fmt.Sprintf("%s uses time.%s: words and rules are given now, or a test could not choose it and two answers could differ", f.path, name))
		}
		return true
	})
	return broken
}

// checkSleep holds tests to waiting for what they wait for, but for those that are paced.
func checkSleep(f source) []string {
	if !f.test || slices.ContainsFunc(paced, func(folder string) bool { return within(f.dir, folder) }) {
		return nil
	}
	var broken []string
	ast.Inspect(f.tree, func(node ast.Node) bool {
		if clockUsed(node) == "Sleep" && !inSynctest(f) {
			broken = append(broken, fmt.Sprintf("%s sleeps: a test waits for a signal, or runs in testing/synctest; a duration is too short on a busy machine and too long on any other", f.path))
		}
		return true
	})
	return broken
}

// inSynctest reports whether the file's tests may run on virtual time, where a sleep costs and risks nothing.
func inSynctest(f source) bool {
	return slices.ContainsFunc(f.tree.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"testing/synctest"` })
}

// clockUsed names the function of clocks that the node is, "" when it is none.
func clockUsed(node ast.Node) string {
	selector, ok := node.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if from, ok := selector.X.(*ast.Ident); !ok || from.Name != "time" || !slices.Contains(clocks, selector.Sel.Name) {
		return ""
	}
	return selector.Sel.Name
}
