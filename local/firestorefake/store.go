package firestorefake

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// store is the documents. A document that is in it is never changed, only replaced; so is a collection that a snapshot
// shares.
type store struct {
	clock   func() time.Time
	ahead   atomic.Int64 // nanoseconds that clock is put forward
	indexes Indexes
	file    *file // nil: memory only

	mu           sync.RWMutex
	now          moment       // what a read sees; replaced piece by piece under mu
	last         atomic.Int64 // microseconds of the newest commit or read; grows only, and by a read under mu for reading
	transactions map[string]transaction
	begun        uint64
}

// moment is all documents at one time, by the name of their collection.
type moment map[string]*collection

type collection struct {
	documents map[string]*pb.Document // by name
	shared    bool                    // by a snapshot: to be copied before it is written
}

func openStore(o Options) (*store, error) {
	s := &store{clock: o.Clock, indexes: o.Indexes, now: moment{}, transactions: map[string]transaction{}}
	if o.Path == "" {
		return s, nil
	}
	var err error
	s.file, err = openFile(o.Path, o.Sync)
	if err != nil {
		return nil, err
	}
	last, err := s.file.load(s.put)
	if err != nil {
		_ = s.file.close()
		return nil, err
	}
	s.last.Store(last)
	return s, nil
}

func (s *store) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.close()
}

// tick is the time of the next commit: later than every commit and every read before it, so that an update time names
// one version of a document and a read time says which commits were seen. The caller holds mu for writing.
func (s *store) tick() int64 {
	micros := max(s.micros(), s.last.Load()+1)
	s.last.Store(micros)
	return micros
}

// glance is the time of a read. The caller holds mu, for reading at least.
func (s *store) glance() *timestamppb.Timestamp {
	for {
		last := s.last.Load()
		now := max(s.micros(), last)
		if s.last.CompareAndSwap(last, now) {
			return stamp(now)
		}
	}
}

func (s *store) micros() int64 {
	return s.clock().Add(time.Duration(s.ahead.Load())).UnixMicro()
}

func stamp(micros int64) *timestamppb.Timestamp { return timestamppb.New(time.UnixMicro(micros)) }

func (s *store) put(d *pb.Document) {
	c := s.writable(parent(d.Name))
	c.documents[d.Name] = d
}

func (s *store) drop(name string) {
	c := s.writable(parent(name))
	delete(c.documents, name)
}

// writable is the collection of that name, made or copied when need be. The caller holds mu for writing.
func (s *store) writable(name string) *collection {
	c := s.now[name]
	switch {
	case c == nil:
		c = &collection{documents: map[string]*pb.Document{}}
	case c.shared:
		c = &collection{documents: maps.Clone(c.documents)}
	default:
		return c
	}
	s.now[name] = c
	return c
}

// snapshot is the present moment, to be kept. The caller holds mu for writing.
func (s *store) snapshot() moment {
	for _, c := range s.now {
		c.shared = true
	}
	return maps.Clone(s.now)
}

// document finds one by name; nil: there is none.
func (m moment) document(name string) *pb.Document {
	if c := m[parent(name)]; c != nil {
		return c.documents[name]
	}
	return nil
}
