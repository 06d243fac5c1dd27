package bytemap

import "math/bits"

// claims remembers which bytes are taken, a bit for each.
type claims []uint64

func newClaims(n int) claims { return make(claims, (n+63)/64) }

// mask returns the bits of word w that stand for the bytes from a up to b.
func mask(w, a, b int) uint64 {
	m := ^uint64(0)
	if lo := w * 64; a > lo {
		m <<= uint(a - lo)
	}
	if hi := w*64 + 64; b < hi {
		m &= ^uint64(0) >> uint(hi-b)
	}
	return m
}

// free reports whether all bytes from a up to b are.
func (c claims) free(a, b int) bool {
	for w := a / 64; a < b && w <= (b-1)/64; w++ {
		if c[w]&mask(w, a, b) != 0 {
			return false
		}
	}
	return true
}

// take takes the bytes from a up to b if all of them are free, and reports whether they
// were.
func (c claims) take(a, b int) bool {
	if a >= b {
		return true
	}
	if !c.free(a, b) {
		return false
	}
	for w := a / 64; w <= (b-1)/64; w++ {
		c[w] |= mask(w, a, b)
	}
	return true
}

// next returns the first position from a on, before b, that is taken or not as wanted; b
// where there is none.
func (c claims) next(a, b int, taken bool) int {
	for a < b {
		word := c[a/64]
		if !taken {
			word = ^word
		}
		word &= ^uint64(0) << uint(a%64)
		if word != 0 {
			return min(b, a/64*64+bits.TrailingZeros64(word))
		}
		a = a/64*64 + 64
	}
	return b
}

// runs calls f with each run of free bytes between a and b.
func (c claims) runs(a, b int, f func(from, to int)) {
	for a = c.next(a, b, false); a < b; {
		end := c.next(a, b, true)
		f(a, end)
		a = c.next(end, b, false)
	}
}
