package trusttest

import (
	"flag"
	"testing"
)

// SeedFlag is how many seeds the random tests take; 0 is the few that each has by default.
var SeedFlag = flag.Uint64("seeds", 0, "seeds of the random tests; 0 is a few, so that all tests take seconds")

// FirstFlag is the seed that they start from.
var FirstFlag = flag.Uint64("first", 0, "the first seed")

// Seeds returns the seeds of a test: from the flags, or few of them.
func Seeds(few uint64) (first, end uint64) {
	n := few
	if *SeedFlag > 0 {
		n = *SeedFlag
	} else if testing.Short() {
		n = few/4 + 1
	}
	return *FirstFlag, *FirstFlag + n
}
