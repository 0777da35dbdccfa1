package firestoretest

import (
	"strings"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
)

func identifiers(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	for _, id := range []string{"a", "_", "__", "___", "_a_", "__a", "a__", "...", "a b", "%2F", "ü", "日本", "a:b", strings.Repeat("i", 1500)} {
		if _, err := r.tryCommit(r.set("c/"+id, fields{"n": integer(1)})); err != nil {
			t.Errorf("document id %.20q: %v", id, err)
		}
	}
	for _, id := range []string{"__a__", "__8BAYEHAeZvPQAAAYLGOINy_example_AQf__", ".", "..", strings.Repeat("i", 1501), "", "a/b"} {
		r.refused(codes.InvalidArgument, "document id "+id[:min(20, len(id))], r.set("c/"+id, fields{"n": integer(1)}))
	}
	r.refused(codes.InvalidArgument, "reserved field name", r.set("c/a", fields{"__n__": integer(1)}))
	r.refused(codes.InvalidArgument, "reserved collection id", r.set("__c__/a", fields{"n": integer(1)}))
}

func sizes(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	const most = 1<<20 - 89
	// The fields are two that are exempt from indexes, which keep less of a value.
	r.refused(codes.InvalidArgument, "a value that is too large", r.set("partitions/a", fields{"token": text(strings.Repeat("x", most+1))}))
	half := text(strings.Repeat("x", 1<<19))
	r.refused(codes.InvalidArgument, "a document that is too large", r.set("partitions/a", fields{"token": half, "start": half}))
	var writes []*pb.Write
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"} {
		writes = append(writes, r.set("partitions/"+id, fields{"token": text(strings.Repeat("x", 1_000_000))}))
	}
	r.refused(codes.ResourceExhausted, "a request that is too large", writes...)
	r.commit(writes[:2]...)
}
