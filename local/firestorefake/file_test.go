package firestorefake_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"

	"sluice.example/local/firestorefake"
)

// start is a fake and a client of it, both ended with the test.
func start(t *testing.T, o firestorefake.Options) (*firestorefake.Server, *firestore.Client) {
	t.Helper()
	fake, err := firestorefake.New(o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client(t.Context(), fake)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), fake.Close()); err != nil {
			t.Error(err)
		}
	})
	return fake, c
}

func client(ctx context.Context, fake *firestorefake.Server) (*firestore.Client, error) {
	conn, err := fake.Conn()
	if err != nil {
		return nil, err
	}
	return firestore.NewClient(ctx, "p", option.WithGRPCConn(conn))
}

func TestFileKeepsDocumentsAndTimes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	var kept, removed *firestore.WriteResult
	t.Run("before", func(t *testing.T) {
		_, c := start(t, firestorefake.Options{Path: path, Sync: true})
		for id, result := range map[string]**firestore.WriteResult{"kept": &kept, "removed": &removed} {
			var err error
			if *result, err = c.Doc("c/"+id).Create(t.Context(), map[string]any{"n": 1}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Doc("c/removed").Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("after", func(t *testing.T) {
		fake, c := start(t, firestorefake.Options{Path: path})
		fake.Advance(-24 * time.Hour) // a clock that went back must not make an update time twice
		all, err := c.Collection("c").Documents(t.Context()).GetAll()
		if err != nil || len(all) != 1 || !all[0].UpdateTime.Equal(kept.UpdateTime) {
			t.Fatalf("found %v, error %v; want the kept one, updated at %v", all, err, kept.UpdateTime)
		}
		again, err := c.Doc("c/kept").Update(t.Context(), []firestore.Update{{Path: "n", Value: 2}}, firestore.LastUpdateTime(kept.UpdateTime))
		if err != nil || !again.UpdateTime.After(removed.UpdateTime) {
			t.Errorf("update at %v, error %v; want later than %v", again, err, removed.UpdateTime)
		}
	})
}

func TestFileHasOneProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	start(t, firestorefake.Options{Path: path})
	if second, err := firestorefake.New(firestorefake.Options{Path: path}); err == nil {
		t.Errorf("a second server has the file too; its end: %v", second.Close())
	}
}

func TestFileThatIsNoStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(path, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := firestorefake.New(firestorefake.Options{Path: path}); err == nil {
		t.Errorf("a file of zeros was opened as a store; its end: %v", s.Close())
	}
}

const victimEnv = "FIRESTOREFAKE_VICTIM"

// victim writes documents 0, 1, 2, ... in pairs and says so after each, until it is killed.
func victim(path string) error {
	fake, err := firestorefake.New(firestorefake.Options{Path: path})
	if err != nil {
		return err
	}
	ctx := context.Background()
	c, err := client(ctx, fake)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		//lint:ignore SA1019 the one way to an atomic commit without a transaction
		batch := c.Batch()
		batch.Create(c.Doc("a/"+strconv.Itoa(n)), map[string]any{"n": n})
		batch.Create(c.Doc("b/"+strconv.Itoa(n)), map[string]any{"n": n})
		if _, err := batch.Commit(ctx); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// TestKilledProcessLosesNothing kills a process that uses the store, in the midst of its commits.
func TestKilledProcessLosesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), victimEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged := -1
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if acknowledged, err = strconv.Atoi(lines.Text()); err != nil {
			t.Fatal(err)
		}
		if acknowledged == 300 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed

	_, c := start(t, firestorefake.Options{Path: path})
	counts := map[string]int{}
	for _, name := range []string{"a", "b"} {
		all, err := c.Collection(name).Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		counts[name] = len(all)
	}
	if counts["a"] <= acknowledged || counts["a"] != counts["b"] {
		t.Errorf("%d commits were acknowledged; found %v documents", acknowledged+1, counts)
	}
}
