// Package golden holds the product's output against what the real peer printed: Apache Kafka Connect 4.1.1 hosting
// Debezium's Spanner connector 3.4.0.Final. testdata/events has whole records; vectors of single facts stand in the
// tests. Tests of a case are named by its id.
package golden
