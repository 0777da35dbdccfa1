package connector_test

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice.example/shared/connector"
)

//go:embed testdata/peer-keys.txt
var peerKeys string

// Every key that the peer lists is listed with the same facts, in the same order; only what is said about it is ours.
func TestKeysAreThePeers(t *testing.T) {
	t.Parallel()
	ours := map[string]string{}
	var ourOrder, peerOrder []string
	for _, d := range connector.Definitions() {
		if d.Documentation == "" || d.DisplayName == "" {
			t.Errorf("%s: no documentation or no display name", d.Name)
		}
		fallback := "<null>"
		if d.DefaultValue != nil {
			fallback = *d.DefaultValue
		}
		ours[d.Name] = strings.Join([]string{d.Name, string(d.Type), fmt.Sprint(d.Required), fallback, d.Importance, d.Group, d.Width, d.DisplayName, fmt.Sprint(d.Order)}, "|")
		ourOrder = append(ourOrder, d.Name)
	}
	for line := range strings.Lines(peerKeys) {
		line = strings.TrimSpace(line)
		name, rest, _ := strings.Cut(line, "|")
		if strings.HasPrefix(line, "#") || name == "order" || name == "groups" {
			continue
		}
		peerOrder = append(peerOrder, name)
		if name == "gcp.spanner.credentials.json" { // later releases, and we, know it for a secret
			rest = strings.Replace(rest, "STRING", "PASSWORD", 1)
		}
		if want := name + "|" + rest; ours[name] != want {
			t.Errorf("got  %s\nwant %s", ours[name], want)
		}
	}
	ourOrder = slices.DeleteFunc(ourOrder, func(n string) bool { return !slices.Contains(peerOrder, n) })
	if d := cmp.Diff(peerOrder, ourOrder); d != "" {
		t.Errorf("order (-peer +ours):\n%s", d)
	}
}

// A validation lists the peer's keys and groups in the peer's order.
func TestValidationOrderIsThePeers(t *testing.T) {
	t.Parallel()
	var order, groups []string
	for line := range strings.Lines(peerKeys) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "order|"); ok {
			order = strings.Split(rest, ",")
		}
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "groups|"); ok {
			groups = strings.Split(rest, ",")
		}
	}
	v := connector.Validate(map[string]string{"connector.class": connector.ClassName}, connector.Worker{})
	var got []string
	for _, c := range v.Configs {
		if slices.Contains(order, c.Value.Name) {
			got = append(got, c.Value.Name)
		}
	}
	if d := cmp.Diff(order, got); d != "" {
		t.Errorf("keys (-peer +ours):\n%s", d)
	}
	if d := cmp.Diff(append(groups, "Sluice"), v.Groups); d != "" {
		t.Errorf("groups (-peer +ours):\n%s", d)
	}
}

func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range connector.Keys() {
		for _, n := range append([]string{k.Name}, k.Aliases...) {
			if seen[n] {
				t.Errorf("%s stands twice in the table", n)
			}
			seen[n] = true
		}
		if k.Default != nil && k.Check != nil {
			if what := k.Check(*k.Default); what != "" {
				t.Errorf("%s: its own default is refused: %s", k.Name, what)
			}
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	got, lost := connector.Fold(map[string]string{
		"tables.include.list": "a", "connector.spanner.rebalancing.task.waiting.timeout": "7",
		"connector.spanner.sync.commit.offset.interval.ms": "1", "connector.spanner.sync.commit.offsets.interval.ms": "2",
		"other": "x",
	})
	want := map[string]string{
		"table.include.list": "a", "connector.spanner.rebalancing.task.wait.timeout": "7",
		"connector.spanner.sync.commit.offset.interval.ms": "1", "other": "x",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"connector.spanner.sync.commit.offsets.interval.ms"}, lost); d != "" {
		t.Error(d)
	}
}
