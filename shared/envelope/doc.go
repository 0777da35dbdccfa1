// Package envelope turns changes into the records that Debezium's Spanner connector would send: one data record for each
// changed row, a tombstone after a delete, heartbeats, low-watermark stamps; with its topic names, schemas, headers and
// table filter. Consumers must not notice the difference: bytes are compared with the peer's in tests/golden.
//
// Where the peer is silently wrong this package is not (I7): text that is no INT64 is an error and not 0, a member that
// the change's own column list does not name is an error and not dropped, and on a delete each header comes once.
//
// A Maker is made for each run of a task. What depends only on the version of a table (topic, schemas, constant parts of
// the source block) is worked out once and found by the version's pointer; a change then costs a scan of its JSON and a
// handful of allocations.
//
// Source of the facts: Debezium reference 2 and 3; its numbers stand in the comments.
package envelope
