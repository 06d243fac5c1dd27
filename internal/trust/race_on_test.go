//go:build race

package trust_test

// raceEnabled is whether the race detector is on, which makes sync.Pool forget
// and so allocate.
const raceEnabled = true
