// Package firestore declares the indexes of Sluice's documents, once: Terraform and the fake server read the same file.
// Every query of package firestoredb is served by a single field, so that there are no composite indexes; a field that no
// query uses is exempt, because each index entry costs time and storage with every write.
package firestore

import _ "embed"

// Indexes is the declaration, in the form of the Firebase command's firestore.indexes.json.
//
//go:embed indexes.json
var Indexes []byte
