package firestoredb

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	indexes "sluice.example/infra/firestore"
	"sluice.example/shared/connector"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

var update = flag.Bool("update", false, "write the golden documents anew")

// storedForm is a stored document for the tests below.
type storedForm struct {
	group  string // its collection's id
	names  []string
	fields map[string]any
	back   func(map[string]any) (any, error)
	value  any
}

// documents are all that are stored, each with every field set to something of its own.
func documents(t *testing.T) map[string]storedForm {
	return map[string]storedForm{
		"connector":  form(t, connectorCollection, codeConnector, full[connector.Connector](t)),
		"plan":       form(t, stateCollection, codePlan, full[partition.Plan](t)),
		"assignment": form(t, assignmentCollection, codeAssignment, full[partition.Assignment](t)),
		"slot":       form(t, slotCollection, codeSlot, full[lease.Slot](t)),
		"partition":  form(t, partitionCollection, codePartition, full[partition.Partition](t)),
	}
}

func form[T any](t *testing.T, group string, code func(*coder, *T), v T) storedForm {
	t.Helper()
	var c coder
	code(&c, &v)
	if c.err != nil {
		t.Fatal(c.err)
	}
	f := storedForm{group: group, value: v, fields: present(c.out, "commit-1")}
	f.names = []string{commitField}
	for _, u := range c.out {
		f.names = append(f.names, u.Path)
	}
	f.back = func(fields map[string]any) (any, error) {
		var v T
		c := coder{reading: true, in: fields}
		code(&c, &v)
		return v, c.err
	}
	return f
}

// TestNoFieldIsForgotten fails when a field is added to a stored type and not to the codec.
func TestNoFieldIsForgotten(t *testing.T) {
	t.Parallel()
	for kind, d := range documents(t) {
		got, err := d.back(d.fields)
		if diff := cmp.Diff(d.value, got); err != nil || diff != "" {
			t.Errorf("%s does not come back: error %v (-want +got):\n%s", kind, err, diff)
		}
	}
}

// TestGoldenDocuments holds the stored form to documents that are already out there, both ways.
func TestGoldenDocuments(t *testing.T) {
	t.Parallel()
	for kind, d := range documents(t) {
		path := filepath.Join("testdata", kind+".json")
		printed, err := json.MarshalIndent(typed(d.fields), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		printed = append(printed, '\n')
		if *update {
			if err := os.WriteFile(path, printed, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(golden), string(printed)); diff != "" {
			t.Errorf("%s is stored in another form than before (-before +now):\n%s", kind, diff)
		}
		var stored map[string]map[string]any
		if err := json.Unmarshal(golden, &stored); err != nil {
			t.Fatal(err)
		}
		got, err := d.back(untyped(t, stored))
		if diff := cmp.Diff(d.value, got); err != nil || diff != "" {
			t.Errorf("a stored %s is not understood: error %v (-want +got):\n%s", kind, err, diff)
		}
	}
}

// TestZeroIsAbsent keeps documents small, and queries from finding what has no value.
func TestZeroIsAbsent(t *testing.T) {
	t.Parallel()
	for kind, f := range map[string]storedForm{
		"connector": form(t, "", codeConnector, connector.Connector{}), "plan": form(t, "", codePlan, partition.Plan{}),
		"assignment": form(t, "", codeAssignment, partition.Assignment{}), "slot": form(t, "", codeSlot, lease.Slot{}),
	} {
		if len(f.fields) != 1 {
			t.Errorf("an empty %s is stored as %v", kind, f.fields)
		}
	}
}

// TestQueriedFieldsFollowTheState checks the fields that put a partition into the scheduler's queries, or keep it out.
func TestQueriedFieldsFollowTheState(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 6001, time.UTC)
	micro := start.Truncate(time.Microsecond)
	for what, c := range map[string]struct {
		p    partition.Partition
		want map[string]any
	}{
		"unheld":       {partition.Partition{State: partition.Ready, Start: start}, map[string]any{watermarkField: micro}},
		"due":          {partition.Partition{State: partition.Ready, Start: start, DueAt: start}, map[string]any{watermarkField: micro, dueField: micro}},
		"born at 0 ns": {partition.Partition{State: partition.Created, Start: micro}, map[string]any{watermarkField: micro.Add(-time.Microsecond)}},
		"held":         {partition.Partition{State: partition.Ready, Start: start, Held: true, Slot: 3}, map[string]any{heldField: int64(3)}},
		"held by 0":    {partition.Partition{State: partition.Ready, Start: start, Held: true}, map[string]any{heldField: int64(0)}},
		"finished":     {partition.Partition{State: partition.Finished, Start: start}, map[string]any{}},
		"finished, held, to be removed": {partition.Partition{State: partition.Finished, Start: start, Held: true, DueAt: start}, map[string]any{
			dueField: micro,
		}},
		"no start": {partition.Partition{State: partition.Ready}, map[string]any{watermarkField: (time.Time{}).Add(time.Microsecond)}},
	} {
		got := map[string]any{}
		for name, v := range form(t, "", codePartition, c.p).fields {
			if name == dueField || name == watermarkField || name == heldField {
				got[name] = v
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

func TestWhatIsNotUnderstoodIsAnError(t *testing.T) {
	t.Parallel()
	for want, in := range map[string]map[string]any{
		"field generation": {"generation": "1"},
		"field expiry":     {"expiry": "2026-01-01T00:00:00Z"},
		"field lowest":     {"lowest": "yesterday"},
	} {
		c := coder{reading: true, in: in}
		codeSlot(&c, &lease.Slot{})
		if c.err == nil || !strings.HasPrefix(c.err.Error(), want) {
			t.Errorf("%v: error %v, want one about %s", in, c.err, want)
		}
	}
}

func TestProseCannotKeepADocumentFromBeingWritten(t *testing.T) {
	t.Parallel()
	trace := "\xff" + strings.Repeat("é", 1<<20)
	got, ok := form(t, "", codeSlot, lease.Slot{Trace: trace}).fields["trace"].(string)
	if !ok || len(got) > longestProse+8 || !strings.HasPrefix(got, "\uFFFDé") {
		t.Errorf("a wild trace is stored as %d bytes beginning %.10q", len(got), got)
	}
}

// TestIndexesAreDeclared holds infra/firestore/indexes.json to the codec: the three fields of queries have an ascending
// index, every other field none.
func TestIndexesAreDeclared(t *testing.T) {
	t.Parallel()
	var declared struct {
		Indexes        []any `json:"indexes"`
		FieldOverrides []struct {
			CollectionGroup string              `json:"collectionGroup"`
			FieldPath       string              `json:"fieldPath"`
			Indexes         []map[string]string `json:"indexes"`
		} `json:"fieldOverrides"`
	}
	if err := json.Unmarshal(indexes.Indexes, &declared); err != nil {
		t.Fatal(err)
	}
	if len(declared.Indexes) != 0 {
		t.Errorf("composite indexes are declared though no query needs one: %v", declared.Indexes)
	}
	got, want := map[string]bool{}, map[string]bool{}
	for _, o := range declared.FieldOverrides {
		ascending := []map[string]string{{"order": "ASCENDING", "queryScope": "COLLECTION"}}
		got[o.CollectionGroup+"."+o.FieldPath] = cmp.Equal(o.Indexes, ascending)
		if len(o.Indexes) > 0 && !cmp.Equal(o.Indexes, ascending) {
			t.Errorf("%s.%s has indexes %v", o.CollectionGroup, o.FieldPath, o.Indexes)
		}
	}
	for _, d := range documents(t) {
		for _, name := range d.names {
			want[d.group+"."+name] = slices.Contains([]string{dueField, watermarkField, heldField}, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("declared indexes (-codec +declared):\n%s", diff)
	}
}

// full is a value with every field set, except those that are the document's own times. What a field is set to follows
// from its name alone, so that a new field leaves the rest of a golden document as it was.
func full[T any](t *testing.T) T {
	t.Helper()
	var v T
	fill(t, reflect.ValueOf(&v).Elem(), reflect.TypeFor[T]().Name())
	return v
}

func fill(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	n := crc32.ChecksumIEEE([]byte(name))%999 + 1
	if v.Type() == reflect.TypeFor[time.Time]() {
		at := time.Date(2026, 1, 1, 0, 0, 0, 1_000_000*int(n)+1_234, time.UTC)
		if strings.HasSuffix(name, ".Expiry") || strings.HasSuffix(name, ".DueAt") {
			at = at.Truncate(time.Microsecond)
		}
		v.Set(reflect.ValueOf(at))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(name)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), name+".0")
		fill(t, v.Index(1), name+".1")
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, name+".key")
		fill(t, value, name+".value")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i).Name; field != "Version" && field != "ReadAt" {
				fill(t, v.Field(i), name+"."+field)
			}
		}
	default:
		t.Fatalf("stored field %s has type %s, which the codec's test cannot fill", name, v.Type())
	}
}

// typed names each value's type in Firestore, as its REST form does.
func typed(fields map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	for name, v := range fields {
		switch v := v.(type) {
		case string:
			out[name] = map[string]any{"string": v}
		case int64:
			out[name] = map[string]any{"integer": v}
		case bool:
			out[name] = map[string]any{"boolean": v}
		case time.Time:
			out[name] = map[string]any{"timestamp": v}
		case []any:
			out[name] = map[string]any{"array": v}
		default:
			out[name] = map[string]any{"unknown": fmt.Sprintf("%T", v)}
		}
	}
	return out
}

func untyped(t *testing.T, stored map[string]map[string]any) map[string]any {
	t.Helper()
	out := map[string]any{}
	for name, v := range stored {
		for kind := range maps.Keys(v) {
			switch kind {
			case "integer":
				out[name] = int64(v[kind].(float64))
			case "timestamp":
				at, err := time.Parse(time.RFC3339Nano, v[kind].(string))
				if err != nil {
					t.Fatal(err)
				}
				out[name] = at
			default:
				out[name] = v[kind]
			}
		}
	}
	return out
}
