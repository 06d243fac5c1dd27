package kernel

import (
	"os"
)

// Level is a set of instructions.
type Level uint8

// The levels: each can do what those before it can.
const (
	Portable Level = iota
	Scalar
	AVX2
)

var names = [...]string{"portable", "scalar", "avx2"}

func (l Level) String() string { return names[l] }

// level is what is used. The environment variable FBVERIFY_KERNEL lowers it, so
// that tests can be run with every one.
var level = choose(os.Getenv("FBVERIFY_KERNEL"))

// choose returns the level of that name, or the best that this machine has.
func choose(name string) Level {
	for l := range best() {
		if l.String() == name {
			return l
		}
	}
	return best()
}
