// Package kafka is Sluice's side of Kafka: it delivers batches, fences producers, reads and forgets offsets, makes topics.
// It is the only importer of franz-go.
//
// A sink is one producer of one worker slot. Its life:
//
//	Open -- InitProducerID answered --> ready --Deliver--> ready
//	          (whoever had the id        |  \
//	           before is fenced, what    |   too large: aborted, ready again
//	           it had open is aborted)   |
//	                                     +-- fenced ----------> dead: delivery.ErrFenced from now on
//	                                     +-- any other error -> dead: the outcome is in the offsets topic
//
// A dead sink has closed its client and never opens another: only Open takes a producer id with an empty hand, and whoever
// calls Open has first taken the slot anew (S0, S6). That is why a fenced worker cannot fence its successor back.
//
// In one delivery with exactly-once support, messages and offset records share a Kafka transaction (KIP-98, KIP-618). The
// offsets topic is an ordinary compacted topic, so nothing but produce and EndTxn is needed. Under transaction.version 2
// (KIP-890) the broker moves the producer's epoch at every end, so a late request of an old transaction cannot slip into
// the next one.
//
// Who is asked through which client:
//
//	producer of a slot   its own client; it also describes and creates the topics it writes to, so that a warm worker
//	                     holds at most two connections to a broker
//	everything else      one client for each distinct way of reaching brokers, as a rule one in all; made at first use
//
// Settings are the Java client's: worker properties, over them those with the prefix of the client (producer., admin.,
// consumer.), over them the connector's (producer.override. and so on, as far as the worker's policy allows).
//
// Every call ends when its context does, also when the brokers swallow everything that is sent to them.
package kafka
