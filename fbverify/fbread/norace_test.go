//go:build !race

package fbread_test

// raceEnabled is whether this is a build with the race detector.
const raceEnabled = false
