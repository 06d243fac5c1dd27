// Package synthetic does work whose cost can be set, for tests of the comparison.
package synthetic

// Steps is how many steps each case takes.
var Steps = map[string]int{
	"a": 2000,
	"b": 2000,
	"c": 2000,
	"d": 2000,
	"e": 2000,
	"f": 2000,
}

// Work takes n steps, each of which needs the one before.
func Work(n int) uint64 {
	x := uint64(n)
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
