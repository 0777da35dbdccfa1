// Package converter turns records into bytes, as Connect's converters do. A Set is the three converters of a connector
// (key, value, header), chosen by the Java class names of its configuration; Set.Message makes of a record what package
// delivery sends.
//
// All converters append to a buffer of the caller, so that messages are cut from a few large pieces of memory. What
// depends only on a schema is worked out once and found by the schema's pointer.
//
// Bytes are those of Apache Kafka Connect 4.1, down to Java's way to print a double and Jackson's way to escape a
// string: keys decide Kafka partitions, and consumers compare.
package converter
