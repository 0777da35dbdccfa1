package spannerfake

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the emulator answered is kept in testdata. The fake must answer the same; so must the emulator still, when there
// is one (emulator_test.go, which writes the file anew with -update).

const goldenFile = "emulator.json"

// answers is what the scenario got to hear.
type answers struct {
	Shape    string                      // the type of ChangeRecord
	Streams  map[string][]answeredRecord // by stream, in order of commit, then by table and kind
	Refusals map[string]string           // by what was asked
	Views    map[string][]string         // of information_schema: columns, then rows in order
	Commits  map[string]string           // why mutations were refused
	DDL      []string                    // GetDatabaseDdl
	Select   string                      // literals
}

type answeredRecord struct {
	Txn                                int // counted from 0
	Table, Kind, Capture               string
	Columns                            []string
	Mods                               [][3]string
	Records, Partitions                string
	LastSeen                           bool // exactly one of the transaction's records was the last in its partition
	Sequences                          int  // different sequences in the transaction
	SystemTransaction, TransactionSame bool
}

func golden(t *testing.T) answers {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", goldenFile))
	if err != nil {
		t.Fatal(err)
	}
	var want answers
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

// normalized goes through JSON, so that nil and empty are the same, as they are in the file.
func (a answers) normalized(t *testing.T) answers {
	t.Helper()
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var out answers
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAnswersAreTheEmulators compares every answer with the emulator's.
func TestAnswersAreTheEmulators(t *testing.T) {
	t.Parallel()
	w := setup(t, Options{Partitions: 1}, scenarioDDL...)
	conn, err := w.Conn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	got := play(t.Context(), t, testDB, conn, w.client, w.statements()).normalized(t)
	if diff := cmp.Diff(golden(t), got); diff != "" {
		t.Errorf("the emulator's answers (-), the fake's (+):\n%s", diff)
	}
}
