package reads

import "testing"

var allForms = append([]string{"inline"}, Forms...)

func TestAllFormsReadTheSameHot(t *testing.T) {
	hot, err := NewHot()
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range allForms {
		for chain, loop := range map[string]Loop{"walked": hot.Walked(form), "cached": hot.Cached(form), "wrote": hot.Wrote(form)} {
			if got := loop(HotMessages); got != hot.Sum {
				t.Errorf("%s, %s: the sum is %d, want %d", form, chain, got, hot.Sum)
			}
			if got := loop(3*HotMessages + 1); got == 3*hot.Sum {
				t.Errorf("%s, %s: one more visit adds nothing", form, chain)
			}
		}
	}
}

func TestAllFormsReadTheSameFlat(t *testing.T) {
	for name, make := range map[string]func() (*Flat, error){"flat10": NewFlat10, "flat100": NewFlat100} {
		flat, err := make()
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range Forms {
			if got := flat.Loop(form)(2 * flat.Messages); got != 2*flat.Sum {
				t.Errorf("%s, %s: the sum is %d, want %d", name, form, got, 2*flat.Sum)
			}
		}
	}
}

func TestAllFormsReadTheSameCold(t *testing.T) {
	cold, err := NewCold(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	whole := cold.Loop("inline", true)(cold.Messages())
	for _, form := range allForms {
		for _, walked := range []bool{true, false} {
			loop := cold.Loop(form, walked)
			half := cold.Messages() / 2
			if got := loop(half) + loop(cold.Messages()-half); got != whole {
				t.Errorf("%s, walked %v: the sum is %d, want %d", form, walked, got, whole)
			}
		}
	}
}

func TestTheColdCycleMeetsEveryMessage(t *testing.T) {
	for _, n := range []int{2, 3, 10, 1000} {
		next, at, steps := randomCycle(n), 0, 0
		for {
			at = next[at]
			steps++
			if at == 0 || steps > n {
				break
			}
		}
		if steps != n {
			t.Errorf("the cycle of %d comes back after %d steps", n, steps)
		}
	}
}

func TestReadingHotAllocatesNothing(t *testing.T) {
	hot, err := NewHot()
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range allForms {
		for chain, loop := range map[string]Loop{"walked": hot.Walked(form), "cached": hot.Cached(form), "wrote": hot.Wrote(form)} {
			if n := testing.AllocsPerRun(100, func() { loop(HotMessages) }); n != 0 {
				t.Errorf("%s, %s: %v allocations", form, chain, n)
			}
		}
	}
}
