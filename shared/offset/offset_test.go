package offset

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestKeysAreConnects(t *testing.T) {
	t.Parallel()
	key := Key("c<1>", "tok")
	if got, want := string(key), `["c<1>",{"partitionToken":"tok"}]`; got != want {
		t.Errorf("key %s, want %s", got, want)
	}
	if c, token, ok := ParseKey(key); c != "c<1>" || token != "tok" || !ok {
		t.Errorf("parsed %q %q %v", c, token, ok)
	}
	for _, other := range []string{`["c",null]`, `["c",{"filename":"/x"}]`, `["c",{"partitionToken":"t","x":1}]`, `x`, `{}`, `["c",{"partitionToken":5}]`} {
		if _, _, ok := ParseKey([]byte(other)); ok {
			t.Errorf("key %s was taken for a partition's", other)
		}
	}
}

func TestPositionGolden(t *testing.T) {
	t.Parallel()
	base := time.Date(2024, 1, 1, 0, 0, 5, 0, time.UTC)
	p := Position{
		Offset: base.Add(500 * time.Millisecond), Closed: true, LastSeen: base, Next: base.Add(1), State: Finished, Start: base,
		Parents: []string{"a"}, Children: []Child{{Token: "c", Start: base, Parents: []string{"a", "b"}}},
	}
	want := `{"offset":"2024-01-01T00:00:05.500000000Z","startTime":"2024-01-01T00:00:05Z","queryStartedAt":"0001-01-01T00:00:00Z","state":"FINISHED","lastSeen":"2024-01-01T00:00:05Z","next":"2024-01-01T00:00:05.000000001Z","parents":"[\"a\"]","children":"[{\"token\":\"c\",\"start\":\"2024-01-01T00:00:05Z\",\"parents\":[\"a\",\"b\"]}]"}`
	if d := cmp.Diff(want, string(p.Marshal())); d != "" {
		t.Error(d)
	}
	back, err := Parse(p.Marshal())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p, back); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{``, `{}`, `null`, `[]`, `{"offset":5}`, `{"offset":"yesterday"}`, `{"offset":"2024-01-01T00:00:05Z","parents":"x"}`} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("offset value %s was taken", bad)
		}
	}
}
