package connectapi_test

import (
	"sync"
	"testing"

	"sluice.example/local/firestorefake"
	"sluice.example/shared/connectapi"
	"sluice.example/shared/connector"
	"sluice.example/shared/firestoredb"
)

// The life of a connector once more, through the store that production has.
func TestWithFirestore(t *testing.T) {
	t.Parallel()
	fake, err := firestorefake.New(firestorefake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fake.Close() })
	conn, err := fake.Conn()
	if err != nil {
		t.Fatal(err)
	}
	store, err := firestoredb.New(t.Context(), firestoredb.Config{Project: "p", Group: "g", Conn: conn})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	b := setup(t, func(o *connectapi.Options) { o.Store = store })
	read := func() connector.Connector {
		c, err := store.Connector(t.Context(), "c1")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}

	b.do("GET", "/health", "").want(200)
	b.do("GET", "/connectors", "").want(200).json(`[]`)
	var wg sync.WaitGroup
	codes := make([]int, 8)
	for i := range codes {
		wg.Go(func() { codes[i] = b.do("POST", "/connectors", creation("c1", config(nil))).Code })
	}
	wg.Wait()
	count := map[int]int{}
	for _, c := range codes {
		count[c]++
	}
	if count[201] != 1 || count[409] != len(codes)-1 {
		t.Errorf("concurrent creations: %v", count)
	}
	b.do("GET", "/connectors/c1/status", "").want(200).json(statusJSON(part("UNASSIGNED", "w:443", "")))
	b.do("PUT", "/connectors/c1/config", config(nil)).want(200)
	if c := read(); c.Epoch != 1 || c.Generation != 1 {
		t.Errorf("RE-21: %+v", c)
	}
	b.do("PUT", "/connectors/c1/config", config(map[string]any{"tasks.max": 2, "__odd.key__": "`x.y`"})).want(200)
	b.do("PUT", "/connectors/c1/stop", "").want(204)
	if c := read(); c.Epoch != 2 || c.Config["__odd.key__"] != "`x.y`" || c.Target != connector.Stopped {
		t.Errorf("stored %+v", c)
	}
	for _, odd := range []string{"__x__", "%2E", "a%2Fb", "%00"} {
		b.do("GET", "/connectors/"+odd, "").fails(404)
	}
	b.do("DELETE", "/connectors/c1", "").want(204)
	b.do("DELETE", "/connectors/c1", "").fails(404, "Connector c1 not found")
	b.do("POST", "/connectors", creation("c1", config(nil))).want(201)
}
