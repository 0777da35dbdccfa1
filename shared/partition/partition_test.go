package partition

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice.example/shared/changestream"
	"sluice.example/shared/lease"
	"sluice.example/shared/offset"
)

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, "2024-01-01T"+text+"Z")
	if err != nil {
		panic(err)
	}
	return t
}

func TestWindowHoldsTheNewestTimestampBack(t *testing.T) {
	t.Parallel()
	var w Window[string]
	type want struct {
		items   []string
		through time.Time
		ok      bool
	}
	for i, step := range []struct {
		ts   time.Time
		item string
		want want
	}{
		{at("12:00:01"), "a", want{}},
		{at("12:00:01"), "b", want{}},
		{at("12:00:02"), "c", want{[]string{"a", "b"}, at("12:00:01"), true}},
	} {
		c, ok, err := w.Add(step.ts, step.item)
		if err != nil {
			t.Fatal(err)
		}
		if ok != step.want.ok || ok && !cmp.Equal(c, Closed[string]{Items: step.want.items, Through: step.want.through}) {
			t.Errorf("step %d: %v %v", i, c, ok)
		}
	}
	if c := w.Close(at("12:00:03")); !cmp.Equal(c, Closed[string]{Items: []string{"c"}, Through: at("12:00:03")}) {
		t.Errorf("heartbeat closes: %v", c)
	}
	if _, _, err := w.Add(at("12:00:02"), "late"); err == nil {
		t.Error("a record before the last heartbeat was taken")
	}
}

// LC-01: a capped query that ends is not the same as a partition that ended.
func TestLC01NextQueryStartsWhereSomethingWasSeen(t *testing.T) {
	t.Parallel()
	p := &Partition{Token: "P", Start: at("12:00:00"), State: Ready}
	c := CursorOf(p)
	seen := at("12:00:05.000000001")
	c = c.Ended(at("12:00:10"), seen)
	if !c.Start.Equal(seen) || !c.Repeated(seen) {
		t.Fatalf("second query starts at %v; the seen record repeated: %v", c.Start, c.Repeated(seen))
	}
	if !c.Through.Equal(at("12:00:10")) {
		t.Errorf("closed through %v", c.Through)
	}
	// Only the known came again: look just behind it. Then nothing at all: from the end, and back when that is refused.
	c = c.Ended(at("12:00:11"), seen)
	if !c.Start.Equal(seen.Add(1)) {
		t.Errorf("third query starts at %v", c.Start)
	}
	c = c.Ended(at("12:00:12"), time.Time{})
	if !c.Start.Equal(at("12:00:12")) {
		t.Errorf("fourth query starts at %v", c.Start)
	}
	back, ok := c.Refused(c.Start)
	if !ok || !back.Start.Equal(seen) {
		t.Errorf("refused start goes back to %v, %v", back.Start, ok)
	}
	if _, ok := back.Refused(back.Start); ok {
		t.Error("a second refusal was not final")
	}
}

// A partition of which nothing ever came is known to exist at its start, one of Debezium's at its offset: a refused start
// goes back there before it fails the task.
func TestRefusedStartGoesBackToWhereThePartitionIsKnown(t *testing.T) {
	t.Parallel()
	for _, p := range []*Partition{
		{Token: "new", Start: at("12:00:00")},
		{Token: "idle", Start: at("12:00:00"), Position: offset.Position{Offset: at("12:00:09"), Closed: true, Next: at("12:00:09")}},
		{Token: "debezium's", Start: at("11:00:00"), Position: offset.Position{Offset: at("12:00:00")}},
	} {
		c := CursorOf(p).Ended(at("12:00:10"), time.Time{})
		if back, ok := c.Refused(c.Start); !ok || !back.Start.Equal(at("12:00:00")) {
			t.Errorf("%s: back to %v, %v", p.Token, back.Start, ok)
		}
	}
}

func TestEarlyEndClosesNothing(t *testing.T) {
	t.Parallel()
	c := CursorOf(&Partition{Token: "P", Start: at("12:00:00"), State: Ready}).Early(at("12:00:05"))
	if !c.Start.Equal(at("12:00:05")) || c.Repeated(at("12:00:05")) {
		t.Errorf("next query starts at %v, what it returns first is a repeat: %v", c.Start, c.Repeated(at("12:00:05")))
	}
}

func TestCursorSurvivesTheOffsetsTopic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := at("12:00:00")
		moment := rapid.Custom(func(t *rapid.T) time.Time { return base.Add(time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "ns"))) })
		p := &Partition{Token: "P", Start: base, Parents: []string{"A"}, State: Ready}
		c := CursorOf(p)
		for i := range rapid.IntRange(0, 6).Draw(t, "steps") {
			switch rapid.IntRange(0, 2).Draw(t, fmt.Sprint("kind", i)) {
			case 0:
				c = c.Broke(moment.Draw(t, "through"))
			case 1:
				c = c.Ended(later(c.Through, moment.Draw(t, "end")), later(c.Seen, moment.Draw(t, "last")))
			case 2:
				c, _ = c.Refused(c.Start)
			}
		}
		pos, err := offset.Parse(c.Position(p).Marshal())
		if err != nil {
			t.Fatal(err)
		}
		p.Position = pos
		back := CursorOf(p)
		if !back.Through.Equal(c.Through) || !back.Start.Equal(c.Start) || !back.Seen.Equal(c.Seen) {
			t.Fatalf("\n was %v\n now %v", c, back)
		}
	})
}

func TestDebeziumOffsetIsReadAgain(t *testing.T) {
	t.Parallel()
	pos, err := offset.Parse([]byte(`{"offset":"2024-01-01T00:00:05Z","queryStartedAt":"0001-01-01T00:00:00Z","startTime":"2024-01-01T00:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	c := CursorOf(&Partition{Start: pos.Start, Position: pos})
	if want := at("00:00:05"); !c.Start.Equal(want) || c.Repeated(want) {
		t.Errorf("start %v, its own timestamp repeated: %v", c.Start, c.Repeated(want))
	}
}

func TestChildrenWaitForAllParents(t *testing.T) {
	t.Parallel()
	var f Family
	f.Add("A", &changestream.ChildPartitions{StartTimestamp: at("12:00:08"), Children: []changestream.Child{{Token: "C", Parents: []string{"A", "B"}}}})
	f.Add("A", &changestream.ChildPartitions{StartTimestamp: at("12:00:09"), Children: []changestream.Child{{Token: "D", Parents: []string{"A"}}}})
	list := f.List(at("12:00:08"))
	if len(list) != 1 || list[0].Token != "C" {
		t.Fatalf("children up to the end time: %v", list)
	}
	c := Born(list[0], "A", at("12:00:10"))
	if c.State != Created {
		t.Errorf("a child of two parents is born %s when one has finished", c.State)
	}
	if only := Born(offset.Child{Token: "D", Parents: []string{"A"}}, "A", at("12:00:10")); only.State != Ready {
		t.Errorf("a child of the finished partition alone is born %s", only.State)
	}
	a, b := &Partition{Token: "A", State: Finished}, &Partition{Token: "B", State: Ready}
	if ok, waits, _ := MayStart(c, map[string]*Partition{"A": a, "B": b}); ok || len(waits) != 1 {
		t.Errorf("started with an unfinished parent: %v %v", ok, waits)
	}
	if ok, _, missing := MayStart(c, map[string]*Partition{"A": a}); ok || len(missing) != 1 {
		t.Errorf("started with a parent unknown: %v %v", ok, missing)
	}
	b.State = Finished
	if ok, _, _ := MayStart(c, map[string]*Partition{"A": a, "B": b}); !ok {
		t.Error("not started although all parents are finished")
	}
	a.Position.Children = list
	if MayForget(a, map[string]*Partition{"C": c}) {
		t.Error("a parent may be forgotten before its child has begun")
	}
	c.Position.Offset = at("12:00:11")
	if !MayForget(a, map[string]*Partition{"C": c}) {
		t.Error("a parent is kept although its child has begun")
	}
	c.State = Finished
	if MayForget(c, map[string]*Partition{"A": a}) {
		t.Error("forgotten before its parent, which would give birth to it again when the store is rebuilt")
	}
	if !MayForget(c, nil) {
		t.Error("kept although its parents are gone")
	}
}

func TestRebuildFromTheOffsetsTopicAlone(t *testing.T) {
	t.Parallel()
	child := offset.Child{Token: "C", Start: at("12:00:08"), Parents: []string{"A", "B"}}
	docs := Rebuild(map[string]offset.Position{
		"A": {Offset: at("12:00:08"), Closed: true, State: offset.Finished, Start: at("12:00:00"), Children: []offset.Child{child}},
		"B": {Offset: at("12:00:05"), Closed: true, State: offset.Running, Start: at("12:00:00")},
	}, at("13:00:00"))
	var got []string
	for _, d := range docs {
		got = append(got, fmt.Sprint(d.Token, " ", d.State, " ", d.Clean, " ", d.Checkpoint().Format("15:04:05.999999999")))
	}
	want := []string{"A FINISHED false 12:00:08", "B READY false 12:00:05", "C CREATED true 12:00:07.999999999"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// WM-01: the low watermark counts partitions that nobody owns.
func TestWM01LowWatermark(t *testing.T) {
	t.Parallel()
	owned := []lease.Slot{{Number: 0, Lowest: at("10:00:05"), Holds: 1}}
	if low, ok := LowWatermark(owned, at("10:00:00")); !ok || !low.Equal(at("10:00:00")) {
		t.Errorf("with an unclaimed partition: %v %v", low, ok)
	}
	if low, ok := LowWatermark(owned, at("10:00:09")); !ok || !low.Equal(at("10:00:05")) {
		t.Errorf("after it moved on: %v %v", low, ok)
	}
	if _, ok := LowWatermark([]lease.Slot{{Holds: 1}}, time.Time{}); ok {
		t.Error("a slot without a bound let the watermark advance")
	}
	if _, ok := LowWatermark(nil, time.Time{}); ok {
		t.Error("a watermark without partitions")
	}
}

// FS-01: real tokens begin and end with two underscores, which a document id may not.
func TestFS01TokensAreNotDocumentIDs(t *testing.T) {
	t.Parallel()
	id := IDOf("__8BAYEHAeZvPQAAAYLGOINy_example_AQf__")
	if len(id) != 32 || id == IDOf("__8BAYEHAeZvPQAAAYLGOINy_example_AQg__") {
		t.Errorf("id %q", id)
	}
}
