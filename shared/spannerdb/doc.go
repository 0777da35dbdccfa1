// Package spannerdb reads change streams and what information_schema says about them with the Cloud Spanner client; it is
// the only importer of its SDK.
//
// A partition query is single use, read only and strong, as Spanner demands of change stream functions, and always has an
// end. No deadline is set for it: one below the slice's would throw away what was read (apache/beam's soft timeout exists for
// that), so the caller leaves the loop instead, which cancels the stream. What stands in for a deadline is silence: Spanner
// promises a heartbeat at least every heartbeat interval, so a query that says nothing for much longer is cut off and
// reported as transient.
//
// The client retries a broken stream by itself, with the resume token of the last row it gave out; a reader sees the rows
// of one unbroken query.
//
// # Memory
//
// One slot may read hundreds of partitions at once, in a function with little memory. All queries share one multiplexed
// session and few connections (a connection carries a hundred streams), and the flow-control windows are fixed: left alone
// they grow to 16 MB for each stream that is read slower than it could be sent.
package spannerdb
