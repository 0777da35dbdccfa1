package connector_test

import (
	"testing"

	"sluice.example/shared/connector"
)

// The vectors were printed by the peer.
func TestScale(t *testing.T) {
	t.Parallel()
	for _, v := range [][7]int{
		{2, 2, 10, 2, 4, 0, 2}, {2, 2, 10, 2, 5, 0, 3}, {2, 2, 10, 2, 100, 0, 10}, {10, 2, 10, 2, 3, 7, 5},
		{10, 2, 10, 2, 3, 5, 10}, {10, 2, 10, 2, 3, 6, 5}, {0, 2, 10, 2, 1, 0, 2}, {3, 2, 10, 2, 3, 2, 2},
		{20, 2, 10, 2, 0, 20, 5}, {5, 2, 100, 2, 50, 0, 27}, {100, 2, 100, 2, 0, 100, 50}, {6, 2, 10, 4, 0, 6, 4},
		{1, 1, 1, 1, 5, 0, 1}, {2, 2, 10, 11, 5, 0, 10}, {0, 2, 20, 2, 10, 0, 5}, {5, 2, 20, 2, 10, 0, 5},
		{5, 1, 100, 2, 300, 0, 100}, {20, 2, 20, 12, 8, 12, 12}, {10, 2, 20, 2, 8, 2, 10},
	} {
		if got := connector.Scale(v[0], v[1], v[2], v[3], v[4], v[5]); got != v[6] {
			t.Errorf("Scale%v = %d, want %d", v[:6], got, v[6])
		}
	}
	if got := connector.Scale(20, 2, 20, 2, 8, 12); got >= 20 {
		t.Errorf("twelve idle of twenty: %d, want fewer than 20", got)
	}
	if got := connector.Scale(0, 0, 0, 0, 3, 0); got != 1 {
		t.Errorf("no limits at all: %d, want 1", got)
	}
}
