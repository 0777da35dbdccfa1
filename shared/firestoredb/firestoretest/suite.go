// Package firestoretest says what Sluice relies on in Firestore, as tests that any server of its API can be held to: the
// fake always, the emulator when it is there. What they agree on here is what the fake may be trusted for.
package firestoretest

import (
	"crypto/rand"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"sluice.example/shared/firestoredb"
)

// Dial connects to the server under test, with more options. Whoever is given the connection closes it.
type Dial func(t *testing.T, opts ...grpc.DialOption) *grpc.ClientConn

// Run holds a server to everything. Each case has a project of its own, so that cases run beside each other on one server
// and a server may be used again.
func Run(t *testing.T, dial Dial) {
	for name, test := range map[string]func(*testing.T, Dial){
		"StatusOfEachPrecondition":        statusOfEachPrecondition,
		"CommitIsAtomic":                  commitIsAtomic,
		"WriteWithoutEffectKeepsItsTime":  writeWithoutEffectKeepsItsTime,
		"CommitHasOneTime":                commitHasOneTime,
		"TimesAreMicroseconds":            timesAreMicroseconds,
		"MaskReplacesAndRemoves":          maskReplacesAndRemoves,
		"BatchWriteTellsEachOutcome":      batchWriteTellsEachOutcome,
		"MissingDocumentHasReadTime":      missingDocumentHasReadTime,
		"EmptyQueryHasReadTime":           emptyQueryHasReadTime,
		"OrderLeavesOutAbsentFields":      orderLeavesOutAbsentFields,
		"FilterByEquality":                filterByEquality,
		"Count":                           count,
		"ReadOnlyTransactionSeesOneTime":  readOnlyTransactionSeesOneTime,
		"Identifiers":                     identifiers,
		"Sizes":                           sizes,
		"DocumentsComeBackAsTheyWere":     documentsComeBackAsTheyWere,
		"NothingThere":                    nothingThere,
		"ConnectorsHaveOneWriterAtATime":  connectorsHaveOneWriterAtATime,
		"FS-01 TokensThatAreReserved":     tokensThatAreReserved,
		"FS-03 ClaimRace":                 claimRace,
		"ForeignWriteBreaksTheChain":      foreignWriteBreaksTheChain,
		"MergeParentsCreateOneChild":      mergeParentsCreateOneChild,
		"LostReplyIsAdopted":              lostReplyIsAdopted,
		"LostReplyIsAdoptedThoughChanged": lostReplyIsAdoptedThoughChanged,
		"FS-05 AbortedThreeTimes":         abortedThreeTimes,
		"FS-05 AbortedForEver":            abortedForEver,
		"UnavailableIsNoConflict":         unavailableIsNoConflict,
		"ExhaustedIsNoConflict":           exhaustedIsNoConflict,
		"RefusedBeforeItIsSent":           refusedBeforeItIsSent,
		"SnapshotIsOfOneMoment":           snapshotIsOfOneMoment,
		"SnapshotOrdersWhatIsDue":         snapshotOrdersWhatIsDue,
		"HeldByLeavesOutFinished":         heldByLeavesOutFinished,
		"GroupsDoNotMeet":                 groupsDoNotMeet,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, dial)
		})
	}
}

// project is a project id that nobody else uses.
func project() string { return "suite-" + strings.ToLower(rand.Text()) }

// open is a store on a project, closed with the test.
func open(t *testing.T, dial Dial, project, group string, opts ...grpc.DialOption) *firestoredb.Store {
	t.Helper()
	s, err := firestoredb.New(t.Context(), firestoredb.Config{Project: project, Group: group, Conn: dial(t, opts...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
