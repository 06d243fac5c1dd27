package trusttest

import (
	"math/rand/v2"

	"github.com/fbverify/go/fbverify"
)

// Exceptions are the options that change the rules.
func Exceptions(r *rand.Rand) fbverify.Options {
	if r.IntN(3) == 0 {
		return fbverify.Options{}
	}
	return fbverify.Options{
		SkipUTF8: r.IntN(3) == 0, SkipAlignment: r.IntN(3) == 0, SkipNullTerminator: r.IntN(3) == 0, NestedUnchecked: r.IntN(3) == 0,
	}
}

// OptionsOf makes options of a number, for inputs of the fuzzer.
func OptionsOf(bits uint8) fbverify.Options {
	return fbverify.Options{
		SkipUTF8: bits&1 != 0, SkipAlignment: bits&2 != 0, SkipNullTerminator: bits&4 != 0, NestedUnchecked: bits&8 != 0,
		Parallel: int(bits >> 4 & 3),
	}
}
