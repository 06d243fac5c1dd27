//go:build !race

package trust_test

const raceEnabled = false
