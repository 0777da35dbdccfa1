package envelope

import "sluice.example/shared/record"

// work is the scratch of one call. Values and headers are cut from slabs, which are never used twice: a slab goes with
// the records cut from it, and only its unused rest stays here for the next call.
type work struct {
	freeValues  []record.Value
	freeHeaders []record.Header
	elems       []record.Value // of the array being read
	bytes       []byte         // of the BYTES being read
}

// Slabs stay below 32 KiB, up to which the runtime allocates from size classes.
const (
	valueSlab  = 512
	headerSlab = 128
)

// values cuts n null values.
func (w *work) values(n int) []record.Value {
	if n > len(w.freeValues) {
		w.freeValues = make([]record.Value, max(n, valueSlab))
	}
	cut := w.freeValues[:n:n]
	w.freeValues = w.freeValues[n:]
	return cut
}

// headers cuts n headers.
func (w *work) headers(n int) []record.Header {
	if n > len(w.freeHeaders) {
		w.freeHeaders = make([]record.Header, max(n, headerSlab))
	}
	cut := w.freeHeaders[:n:n]
	w.freeHeaders = w.freeHeaders[n:]
	return cut
}
