package firestoretest

import (
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"
)

func statusOfEachPrecondition(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	first := r.commit(exists(r.set("c/a", fields{"n": integer(1)}), false)).WriteResults[0].UpdateTime
	second := r.commit(updatedAt(r.set("c/a", fields{"n": integer(2)}), first)).WriteResults[0].UpdateTime
	if !second.AsTime().After(first.AsTime()) {
		t.Errorf("update time went from %v to %v", first.AsTime(), second.AsTime())
	}

	r.refused(codes.AlreadyExists, "create of an existing document", exists(r.set("c/a", nil), false))
	r.refused(codes.NotFound, "update of a missing document", exists(r.set("c/none", nil), true))
	r.refused(codes.FailedPrecondition, "update with a stale time", updatedAt(r.set("c/a", nil), first))
	r.refused(codes.FailedPrecondition, "removal with a stale time", updatedAt(r.remove("c/a"), first))
	r.refused(codes.NotFound, "removal of a missing document that must exist", exists(r.remove("c/none"), true))
	if _, err := r.tryCommit(r.remove("c/none")); err != nil {
		t.Errorf("removal of a missing document without a condition: %v", err)
	}
	r.refused(codes.FailedPrecondition, "update of a missing document with a time", updatedAt(r.set("c/none", nil), first))
	r.refused(codes.FailedPrecondition, "removal of a missing document with a time", updatedAt(r.remove("c/none"), first))

	r.commit(updatedAt(r.remove("c/a"), second))
	third := r.commit(exists(r.set("c/a", fields{"n": integer(2)}), false)).WriteResults[0].UpdateTime
	if !third.AsTime().After(second.AsTime()) {
		t.Errorf("update time of a document made again went from %v to %v", second.AsTime(), third.AsTime())
	}
}

func commitIsAtomic(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	r.commit(r.set("c/a", fields{"n": integer(1)}))
	r.refused(codes.AlreadyExists, "one bad write of three",
		r.set("c/b", fields{"n": integer(1)}), exists(r.set("c/a", nil), false), r.remove("c/a"))
	found, _, err := r.get(nil, "c/a", "c/b")
	if err != nil {
		t.Fatal(err)
	}
	if found[r.name("c/a")] == nil || found[r.name("c/b")] != nil {
		t.Errorf("something of a refused commit was applied: %v", found)
	}
}

func writeWithoutEffectKeepsItsTime(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	first := r.commit(r.set("c/a", fields{"n": integer(1)})).WriteResults[0].UpdateTime
	again := r.commit(r.set("c/a", fields{"n": integer(1)})).WriteResults[0].UpdateTime
	if !again.AsTime().Equal(first.AsTime()) {
		t.Errorf("a write without effect moved the update time from %v to %v", first.AsTime(), again.AsTime())
	}
	if got := r.one("c/a").UpdateTime; !got.AsTime().Equal(first.AsTime()) {
		t.Errorf("the document's update time is %v, want %v", got.AsTime(), first.AsTime())
	}
}

func commitHasOneTime(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	answer := r.commit(r.set("c/a", fields{"n": integer(1)}), r.set("d/b", fields{"n": integer(1)}))
	at := answer.WriteResults[0].UpdateTime.AsTime()
	if other := answer.WriteResults[1].UpdateTime.AsTime(); !other.Equal(at) {
		t.Errorf("two documents of one commit have times %v and %v", at, other)
	}
	if !answer.CommitTime.AsTime().Equal(at) {
		t.Errorf("commit time is %v, update time %v", answer.CommitTime.AsTime(), at)
	}
	if got := r.one("d/b").UpdateTime.AsTime(); !got.Equal(at) {
		t.Errorf("stored update time is %v, the answer said %v", got, at)
	}
}

func timesAreMicroseconds(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	at := time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC)
	w := r.set("c/a", fields{"at": timestamp(at)})
	w.UpdateTransforms = []*pb.DocumentTransform_FieldTransform{{
		FieldPath:     "now",
		TransformType: &pb.DocumentTransform_FieldTransform_SetToServerValue{SetToServerValue: pb.DocumentTransform_FieldTransform_REQUEST_TIME},
	}}
	updated := r.commit(w).WriteResults[0].UpdateTime
	d := r.one("c/a")
	if got, want := d.Fields["at"].GetTimestampValue().AsTime(), at.Truncate(time.Microsecond); !got.Equal(want) {
		t.Errorf("stored timestamp is %v, want %v", got, want)
	}
	for what, got := range map[string]*timestamppb.Timestamp{"update time": updated, "create time": d.CreateTime} {
		if got.Nanos%1000 != 0 {
			t.Errorf("%s %v is finer than a microsecond", what, got.AsTime())
		}
	}
	if now := d.Fields["now"].GetTimestampValue(); now.Nanos%1_000_000 != 0 || now.AsTime().After(updated.AsTime()) {
		t.Errorf("server timestamp is %v, update time %v", now.AsTime(), updated.AsTime())
	}
}

func maskReplacesAndRemoves(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	inner := &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: fields{"x": integer(1), "y.z": integer(2)}}}}
	r.commit(r.set("c/a", fields{"keep": text("k"), "replace": text("old"), "remove": text("r"), "inner": inner}))
	half := &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: fields{"y.z": integer(3)}}}}
	r.commit(masked(r.set("c/a", fields{"replace": text("new"), "unnamed": text("u"), "inner": half}), "replace", "remove", "inner.`y.z`"))
	want := fields{"keep": text("k"), "replace": text("new"), "inner": {ValueType: &pb.Value_MapValue{
		MapValue: &pb.MapValue{Fields: fields{"x": integer(1), "y.z": integer(3)}},
	}}}
	if diff := cmp.Diff(want, r.one("c/a").Fields, protocmp.Transform()); diff != "" {
		t.Errorf("document after an update with a mask (-want +got):\n%s", diff)
	}
}

func batchWriteTellsEachOutcome(t *testing.T, dial Dial) {
	r := newRaw(t, dial)
	r.commit(r.set("c/a", fields{"n": integer(1)}))
	answer, err := r.api.BatchWrite(t.Context(), &pb.BatchWriteRequest{Database: r.database, Writes: []*pb.Write{
		r.set("c/b", fields{"n": integer(1)}), exists(r.set("c/a", nil), false),
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []codes.Code
	for _, s := range answer.Status {
		got = append(got, codes.Code(s.GetCode()))
	}
	if want := []codes.Code{codes.OK, codes.AlreadyExists}; !cmp.Equal(got, want) {
		t.Errorf("outcomes %v, want %v", got, want)
	}
	r.one("c/b")
}
