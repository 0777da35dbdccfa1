package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPropertiesAsTheConnectImagesReadThem(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "worker.properties")
	text := "# worker\nbootstrap.servers = a:9092,\\\n  b:9092\ngroup.id: g1\nsasl.jaas.config=x ${file:/x:pw};\n! another\nname=\\u00e9\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := LoadProperties(path, []string{"CONNECT_GROUP_ID=g2", "CONNECT_PRODUCER_MAX___X__Y=1", "HOME=/", "CONNECT_=no"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, k := range []string{"bootstrap.servers", "group.id", "sasl.jaas.config", "name", "producer.max-x_y", "listeners"} {
		got[k] = p.Get(k)
	}
	want := map[string]string{
		"bootstrap.servers": "a:9092,b:9092", "group.id": "g2", "sasl.jaas.config": "x ${file:/x:pw};",
		"name": "é", "producer.max-x_y": "1", "listeners": "http://:8083",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if p.Origin["group.id"] != "CONNECT_GROUP_ID" || p.Origin["listeners"] != "default" || p.Origin["bootstrap.servers"] != path {
		t.Errorf("origins: %v", p.Origin)
	}
}
