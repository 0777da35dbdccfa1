package arch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestRepositoryKeepsItsRules(t *testing.T) {
	broken, err := Check(os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	for _, sentence := range broken {
		t.Error(sentence)
	}
}

// TestEachRuleCatches plants one offence at a time in a small repository that keeps all rules.
func TestEachRuleCatches(t *testing.T) {
	good := map[string]string{
		"go.mod":                      "module sluice.example\n",
		"shared/lease/lease.go":       "// Package lease is words.\npackage lease\nimport \"time\"\nvar _ time.Time\n",
		"shared/partition/rules.go":   "// Package partition is rules.\npackage partition\nimport _ \"sluice.example/shared/lease\"\n",
		"shared/task/task.go":         "// Package task is a verb.\npackage task\nimport _ \"sluice.example/shared/partition\"\n",
		"shared/kafka/kafka.go":       "// Package kafka adapts.\npackage kafka\nimport _ \"github.com/twmb/franz-go/pkg/kgo\"\n",
		"shared/task/task_test.go":    "package task\nimport _ \"sluice.example/local/firestorefake\"\n",
		"local/firestorefake/fake.go": "// Package firestorefake stands in.\npackage firestorefake\nimport _ \"cloud.google.com/go/firestore/apiv1/firestorepb\"\n",
		"functions/aws/main.go":       "// Command aws.\npackage main\nimport _ \"github.com/aws/aws-lambda-go/lambda\"\n",
		"shared/kafka/kafkatest/a.go": "// Package kafkatest is a suite.\npackage kafkatest\nimport _ \"testing\"\n",
		"shared/app/testdata/bad.go":  "package",
	}
	if broken, err := check(good, "", ""); err != nil || len(broken) != 0 {
		t.Fatalf("the good repository breaks %q, %v", broken, err)
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"word imports rule":        {"shared/lease/a.go", "package lease\nimport _ \"sluice.example/shared/partition\"", "they know nothing but the standard library"},
		"word imports library":     {"shared/lease/a.go", "package lease\nimport _ \"golang.org/x/sync/errgroup\"", "(words) imports golang.org/x/sync/errgroup"},
		"rule imports verb":        {"shared/partition/a.go", "package partition\nimport _ \"sluice.example/shared/task\"", "rules are pure"},
		"verb imports verb":        {"shared/task/a.go", "package task\nimport _ \"sluice.example/shared/scheduler\"", "a verb names what it needs"},
		"verb imports SDK":         {"shared/task/a.go", "package task\nimport _ \"github.com/twmb/franz-go/pkg/kmsg\"", "the Kafka client has one home"},
		"adapter imports adapter":  {"shared/kafka/a.go", "package kafka\nimport _ \"sluice.example/shared/firestoredb\"", "an adapter serves verbs"},
		"adapter imports two SDKs": {"shared/kafka/a.go", "package kafka\nimport _ \"cloud.google.com/go/spanner\"", "the Spanner client has one home"},
		"wiring imports edge":      {"shared/app/a.go", "// Package app.\npackage app\nimport _ \"sluice.example/local/firestorefake\"", "wiring knows all of shared"},
		"local imports platform":   {"local/firestorefake/a.go", "package firestorefake\nimport _ \"github.com/aws/aws-lambda-go/events\"", "only the entry points know the platform"},
		"product imports testing":  {"shared/kafka/a.go", "package kafka\nimport _ \"testing\"", "no part of what is deployed"},
		"product imports suite":    {"shared/kafka/a.go", "package kafka\nimport _ \"sluice.example/shared/kafka/kafkatest\"", "a suite of tests would be deployed"},
		"package without a place":  {"shared/utils/a.go", "// Package utils.\npackage utils\nimport _ \"fmt\"", "in no level of the import table"},
		"rule asks the time":       {"shared/partition/a.go", "package partition\nimport \"time\"\nvar now = time.Now", "uses time.Now"},
		"rule starts a goroutine":  {"shared/partition/a.go", "package partition\nfunc f() { go f() }", "starts a goroutine"},
		"test sleeps":              {"shared/lease/a_test.go", "package lease\nimport \"time\"\nfunc f() { time.Sleep(1) }", "sleeps"},
		"no package comment":       {"shared/offset/a.go", "package offset\n", "shared/offset has no package comment"},
		"package on a shelf":       {"shared/a.go", "// Package shared.\npackage shared\n", "holds packages and is none"},
		"package at the root":      {"a.go", "// Package sluice.\npackage sluice\n", "Google's builder"},
		"something at the top":     {"pkg/a/a.go", "// Package a.\npackage a\n", "pkg lies at the top"},
	} {
		t.Run(name, func(t *testing.T) {
			broken, err := check(good, c.file, c.text)
			if err != nil || !slices.ContainsFunc(broken, func(s string) bool { return strings.Contains(s, c.want) }) {
				t.Errorf("found %q, %v; want something with %q", broken, err, c.want)
			}
		})
	}
}

// check checks the files with one more.
func check(files map[string]string, name, text string) ([]string, error) {
	tree := fstest.MapFS{}
	for path, content := range files {
		tree[path] = &fstest.MapFile{Data: []byte(content)}
	}
	if name != "" {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Check(tree)
}
