// Package cases holds the worker to the cases that other products taught: each test is named by the case's id. The real
// worker, scheduler and adapters run against servers in the process; what a case breaks, it breaks there or at a port.
package cases
