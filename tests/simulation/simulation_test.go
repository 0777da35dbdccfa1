package simulation

import (
	"testing"
)

// TestInvariants rages over the intact product. With SEED only that one.
func TestInvariants(t *testing.T) {
	seeds := []uint64{1, 2, 3}
	if one, ok := seedOf(t); ok {
		seeds = []uint64{one}
	}
	for _, seed := range seeds {
		v := newStorm(t, seed, intact).run()
		t.Logf("seed %d: %v", seed, v)
		if !v.clean() {
			t.Errorf("seed %d: %v; again with `make sim SEED=%d`", seed, v, seed)
		}
	}
}

// TestRulesAreNeeded takes rules out: the same storms must then break the promise, or they prove nothing.
func TestRulesAreNeeded(t *testing.T) {
	for name, what := range map[string]sabotage{"the fence of S2": withoutFence, "rule 6, no new producer under an old claim": producerAnew} {
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); seed <= 6; seed++ {
				v := newStorm(t, seed, what).run()
				t.Logf("seed %d without %s: %v", seed, name, v)
				if v.repeated+v.missing+v.late > 0 {
					return
				}
			}
			t.Errorf("no storm noticed that %s was taken out", name)
		})
	}
}
