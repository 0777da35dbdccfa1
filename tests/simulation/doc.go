// Package simulation runs the real workers and schedulers, with the real adapters, against servers in the process (kfake,
// firestorefake, spannerfake) under faults drawn from a seed: kills at any call, pauses past the lease, clocks that are
// wrong, store writes whose answers are lost, splits and merges. Then a read_committed consumer is asked what it saw, and
// the invariants are judged by number.
//
// A fault that a simulation cannot catch proves nothing, so the same runs are made with the fence taken out, and with a
// producer that is made anew inside a slice (S6): they must fail.
//
// `make sim SEED=7` runs one seed; the plain test runs a few.
package simulation
