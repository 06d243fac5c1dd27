package bytemap

import "math/bits"

// claims remembers which bytes are taken: a bit for each, and above that, level by
// level, a bit for each word of 64 bits in which there are any. Whether a run is free is
// then found in a few steps, however long it is.
type claims [][]uint64

func newClaims(n int) claims {
	var c claims
	for {
		words := n/64 + min(n%64, 1)
		c = append(c, make([]uint64, words))
		if words <= 1 {
			return c
		}
		n = words
	}
}

// mask returns the bits of word w that stand for those from a up to b.
func mask(w, a, b int) uint64 {
	m := ^uint64(0)
	lo := w * 64
	if a > lo {
		m <<= uint(a - lo)
	}
	if n := b - lo; n < 64 { // lo+64 may be more than an int holds
		m &= ^uint64(0) >> uint(64-n)
	}
	return m
}

// free reports whether all bytes from a up to b are.
func (c claims) free(a, b int) bool {
	for _, level := range c {
		if a >= b {
			return true
		}
		first, last := a/64, (b-1)/64
		if level[first]&mask(first, a, b) != 0 || level[last]&mask(last, a, b) != 0 {
			return false
		}
		a, b = first+1, last // the words between, each a bit of the next level
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
	for _, level := range c {
		first, last := a/64, (b-1)/64
		for w := first; w <= last; w++ {
			level[w] |= mask(w, a, b)
		}
		a, b = first, last+1
	}
	return true
}

// next returns the first position from a on, before b, that is taken or not as wanted; b
// where there is none.
func (c claims) next(a, b int, taken bool) int {
	for a < b {
		word := c[0][a/64]
		if !taken {
			word = ^word
		}
		word &= ^uint64(0) << uint(a%64)
		if word != 0 {
			return min(b, a/64*64+bits.TrailingZeros64(word))
		}
		if b-a/64*64 <= 64 {
			break // the next word may be where no int leads
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
