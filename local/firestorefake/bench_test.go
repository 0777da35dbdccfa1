package firestorefake_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"sluice.example/local/firestorefake"
	"sluice.example/shared/firestoredb"
	"sluice.example/shared/lease"
	"sluice.example/shared/partition"
)

// BenchmarkSnapshot is a scheduler's look at a connector of 10 000 partitions.
func BenchmarkSnapshot(b *testing.B) {
	s := benchStore(b, "")
	at := time.Now()
	for block := range 10 {
		var change partition.Change
		for n := range 1000 {
			token := fmt.Sprintf("token-%d-%d-%0120d", block, n, 0)
			change.Partitions = append(change.Partitions, &partition.Partition{Token: token, Start: at, State: partition.Ready, DueAt: at.Add(time.Duration(n) * time.Second)})
		}
		if err := s.Commit(b.Context(), "c", change); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if v, err := s.Snapshot(b.Context(), "c"); err != nil || len(v.Due) != 500 {
			b.Fatal(len(v.Due), err)
		}
	}
}

// BenchmarkCommit is a holder's mirror of one slot and ten partitions, in memory and in a file.
func BenchmarkCommit(b *testing.B) {
	for _, kind := range []string{"memory", "file"} {
		b.Run(kind, func(b *testing.B) {
			path := ""
			if kind == "file" {
				path = filepath.Join(b.TempDir(), "store")
			}
			s := benchStore(b, path)
			slot := lease.Slot{Number: 1, Generation: 1}
			change := partition.Change{Slots: []*lease.Slot{&slot}}
			for n := range 10 {
				change.Partitions = append(change.Partitions, &partition.Partition{Token: fmt.Sprint(n), Start: time.Now(), State: partition.Ready, Held: true, Slot: 1})
			}
			for b.Loop() {
				if err := s.Commit(b.Context(), "c", change); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func benchStore(b *testing.B, path string) *firestoredb.Store {
	b.Helper()
	fake, err := firestorefake.New(firestorefake.Options{Path: path})
	if err != nil {
		b.Fatal(err)
	}
	conn, err := fake.Conn()
	if err != nil {
		b.Fatal(err)
	}
	s, err := firestoredb.New(b.Context(), firestoredb.Config{Project: "p", Group: "g", Conn: conn})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
		if err := fake.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}
