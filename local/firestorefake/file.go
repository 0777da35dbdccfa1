package firestorefake

import (
	"encoding/binary"
	"fmt"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	bolt "go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"
)

// file keeps the documents in a bbolt file: bucket documents holds each as a message by its name, bucket meta the
// time of the newest commit. bbolt writes a commit's pages before the page that makes them valid, so that a process
// killed in between leaves the commit before it; without Sync that holds for a kill, not for a loss of power.
type file struct{ db *bolt.DB }

var (
	documentBucket = []byte("documents")
	metaBucket     = []byte("meta")
	lastKey        = []byte("last_commit_micros")
)

// lockWait bounds the wait for another process to give the file up.
const lockWait = 2 * time.Second

func openFile(path string, sync bool) (*file, error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: lockWait, NoSync: !sync, NoGrowSync: !sync, FreelistType: bolt.FreelistMapType})
	if err != nil {
		return nil, fmt.Errorf("open file %s: %w", path, err)
	}
	return &file{db: db}, nil
}

func (f *file) close() error { return f.db.Close() }

// load hands every document to put and returns the newest commit's time.
func (f *file) load(put func(*pb.Document)) (last int64, err error) {
	err = f.db.Update(func(tx *bolt.Tx) error {
		meta, err := tx.CreateBucketIfNotExists(metaBucket)
		if err != nil {
			return err
		}
		if v := meta.Get(lastKey); len(v) == 8 {
			last = int64(binary.BigEndian.Uint64(v))
		}
		documents, err := tx.CreateBucketIfNotExists(documentBucket)
		if err != nil {
			return err
		}
		return documents.ForEach(func(name, stored []byte) error {
			d := &pb.Document{}
			if err := proto.Unmarshal(stored, d); err != nil {
				return fmt.Errorf("document %s: %w", name, err)
			}
			put(d)
			return nil
		})
	})
	if err != nil {
		return 0, fmt.Errorf("load file %s: %w", f.db.Path(), err)
	}
	return last, nil
}

// save writes one commit, all or nothing. A nil document is removed.
func (f *file) save(last int64, changed map[string]*pb.Document) error {
	return f.db.Update(func(tx *bolt.Tx) error {
		if err := tx.Bucket(metaBucket).Put(lastKey, binary.BigEndian.AppendUint64(nil, uint64(last))); err != nil {
			return err
		}
		documents := tx.Bucket(documentBucket)
		for name, d := range changed {
			if d == nil {
				if err := documents.Delete([]byte(name)); err != nil {
					return err
				}
				continue
			}
			stored, err := proto.Marshal(d)
			if err != nil {
				return err
			}
			if err := documents.Put([]byte(name), stored); err != nil {
				return err
			}
		}
		return nil
	})
}
