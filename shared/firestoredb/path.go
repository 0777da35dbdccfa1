package firestoredb

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"cloud.google.com/go/firestore"

	"sluice.example/shared/partition"
)

// The names of the collections, which infra/firestore/indexes.json repeats.
const (
	rootCollection       = "connect"
	connectorCollection  = "connectors"
	stateCollection      = "state"
	slotCollection       = "slots"
	assignmentCollection = "assignments"
	partitionCollection  = "partitions"

	planID = "scheduler"
)

func (s *Store) connectors() *firestore.CollectionRef {
	return s.client.Collection(s.root + "/" + connectorCollection)
}

func (s *Store) connector(name string) *firestore.DocumentRef {
	return s.connectors().Doc(safeID(name))
}

func (s *Store) plan(name string) *firestore.DocumentRef {
	return s.connector(name).Collection(stateCollection).Doc(planID)
}

func (s *Store) slots(name string) *firestore.CollectionRef {
	return s.connector(name).Collection(slotCollection)
}

func (s *Store) slot(name string, n int) *firestore.DocumentRef {
	return s.slots(name).Doc(strconv.Itoa(n))
}

func (s *Store) assignments(name string) *firestore.CollectionRef {
	return s.connector(name).Collection(assignmentCollection)
}

func (s *Store) assignment(name string, n int) *firestore.DocumentRef {
	return s.assignments(name).Doc(strconv.Itoa(n))
}

func (s *Store) partitions(name string) *firestore.CollectionRef {
	return s.connector(name).Collection(partitionCollection)
}

func (s *Store) partition(name string, id partition.ID) *firestore.DocumentRef {
	return s.partitions(name).Doc(string(id))
}

// longestID keeps a whole path of four levels far below Firestore's 6 KiB.
const longestID = 400

// safeID is a document id for a name that people chose: the name itself where Firestore allows it, so that the Google
// Cloud console stays readable, and never the same id for two names. Firestore refuses slashes, "." and "..", ids of
// the form __*__, and anything that is not UTF-8 of 1 to 1500 bytes
// (https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields).
func safeID(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && size == 1, r < ' ', r == 0x7f, r == '/', r == '%',
			i == 0 && r == '.' && strings.Trim(name, ".") == "",
			i == 0 && strings.HasPrefix(name, "__"):
			for _, c := range []byte(name[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		default:
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	id := b.String()
	if id != "" && len(id) <= longestID {
		return id
	}
	// A percent sign is otherwise followed by two hexadecimal digits, so that no short name has this form.
	sum := sha256.Sum256([]byte(name))
	return strings.ToValidUTF8(id[:min(len(id), 100)], "") + "%-" + hex.EncodeToString(sum[:])
}
