package traverse

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSeenIsASetOfPlaces holds it to a map, over positions that are far apart, close
// to one another, odd, and read as several things.
func TestSeenIsASetOfPlaces(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var s Seen
		want := map[Place]bool{}
		first := map[int]Place{} // at each position
		step, as := []int{1, 4, 8, 64}[rng.IntN(4)], []uint32{1, 3, 2 * mostAs, 1 << 31}[rng.IntN(4)]
		for range 5000 {
			p := Place{rng.IntN(20000) / step * step, rng.Uint32N(as)}
			if s.Has(p) != want[p] {
				t.Fatalf("seed %d: %v is there: %v", seed, p, !want[p])
			}
			if s.Add(p) == want[p] {
				t.Fatalf("seed %d: %v is new: %v", seed, p, want[p])
			}
			want[p] = true
			if _, ok := first[p.Pos]; !ok {
				first[p.Pos] = p
			}
		}
		if s.Len() != len(want) {
			t.Fatalf("seed %d: %d places, want %d", seed, s.Len(), len(want))
		}
		for _, from := range []int{0, 1, 777, 4096, 8191, 30000} {
			before, got := -1, 0
			for p := range s.From(from) {
				if !want[p] || p.Pos < from || p.Pos < before {
					t.Fatalf("seed %d: %v after %d", seed, p, before)
				}
				before = p.Pos
				got++
			}
			for p := range want {
				if p.Pos >= from {
					got--
				}
			}
			if got != 0 {
				t.Fatalf("seed %d: from %d on there are %d too many", seed, from, got)
			}
		}
	}
}

// TestTheFirstReadingOfAPositionComesFirst, the others in the order of their numbers.
func TestTheFirstReadingOfAPositionComesFirst(t *testing.T) {
	var s Seen
	for _, as := range []uint32{7, 3, 9} {
		s.Add(Place{100, as})
	}
	got := slices.Collect(s.From(0))
	if want := []Place{{100, 7}, {100, 3}, {100, 9}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for p := range s.From(0) {
		if p.As != 7 {
			t.Error(p)
		}
		break
	}
}

// TestSeenTakesFewBitsAByte: two where places are eight bytes apart, four where they
// are four.
func TestSeenTakesFewBitsAByte(t *testing.T) {
	const n = 1 << 20
	for step, bits := range map[int]int{4: 4, 8: 2, 48: 2} {
		var s Seen
		for pos := 0; pos < n; pos += step {
			s.Add(Place{pos, uint32(pos % 3)})
		}
		size := 0
		for _, page := range s.pages {
			size += 2 * len(page)
		}
		if len(s.rest) > 0 || size != n*bits/8 {
			t.Errorf("every %d bytes: %d bytes and %d others, want %d", step, size, len(s.rest), n*bits/8)
		}
	}
}
