// Package spannerdb reads change streams and their schema with the Cloud Spanner client; it is the only importer of its SDK.
//
// A partition query is single use, read only and strong, as Spanner demands of change stream functions, and always has an
// end. It sets no deadline of its own below the slice's: a deadline would throw away work (the caller stops the loop instead).
package spannerdb
