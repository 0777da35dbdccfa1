package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// source is one parsed file.
type source struct {
	path, dir string
	test      bool // not deployed: a test's file, or a file of a suite that several tests share (package ...test)
	tree      *ast.File
}

// Check reads every Go file below the root of fsys and answers what breaks a rule, one sentence or two each, sorted.
// An error is a file that cannot be read or parsed.
func Check(fsys fs.FS) ([]string, error) {
	files, err := sources(fsys)
	if err != nil {
		return nil, err
	}
	broken, err := checkTop(fsys)
	if err != nil {
		return nil, err
	}
	documented := make(map[string]bool)
	for _, f := range files {
		documented[f.dir] = documented[f.dir] || !strings.HasSuffix(f.path, "_test.go") && f.tree.Doc != nil
		for _, spec := range f.tree.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, fmt.Errorf("import in %s: %w", f.path, err)
			}
			broken = append(broken, checkSDK(f, imported)...)
			broken = append(broken, checkLevel(f, imported)...)
		}
		broken = append(broken, checkPure(f)...)
		broken = append(broken, checkSleep(f)...)
		if reason, ok := shelves[f.dir]; ok {
			broken = append(broken, fmt.Sprintf("%s: %s holds packages and is none: %s", f.path, f.dir, reason))
		}
	}
	for _, f := range files {
		if !strings.HasSuffix(f.path, "_test.go") && !documented[f.dir] {
			broken = append(broken, fmt.Sprintf("%s has no package comment: a newcomer reads that first, it says what the package is for", f.dir))
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken), nil
}

// sources parses all files that the go command would look at.
func sources(fsys fs.FS) ([]source, error) {
	var files []source
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		hidden := name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_"))
		if entry.IsDir() {
			if hidden || base == "testdata" || base == "vendor" {
				return fs.SkipDir
			}
			return nil
		}
		if hidden || path.Ext(base) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, source{path: name, dir: path.Dir(name), tree: tree,
			test: strings.HasSuffix(base, "_test.go") || suite(path.Dir(name))})
		return nil
	})
	return files, err
}

// suite reports whether the folder holds a suite of tests for others to run, which its name says as in the standard
// library: httptest, firestoretest.
func suite(dir string) bool { return strings.HasSuffix(dir, "test") }

func checkTop(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	var broken []string
	for _, entry := range entries {
		if name := entry.Name(); !strings.HasPrefix(name, ".") && !slices.Contains(top, name) {
			broken = append(broken, fmt.Sprintf("%s lies at the top: the top level is fixed, so that a newcomer sees the whole product in it", name))
		}
	}
	return broken, nil
}
