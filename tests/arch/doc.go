// Package arch polices how the repository is put together: what lies at the top, which package may import which, which
// SDK has its one adapter, that pure packages neither ask the time nor start goroutines, and that every package says
// what it is. It reads source files and builds nothing. Every rule carries the reason that a failure prints.
package arch
