//go:build !race

// Package race tells tests whether the race detector is on. It makes a sync.Pool
// forget at random, so that a test which counts allocations of what comes from a pool
// is skipped, or fails one run in many.
package race

// Enabled is whether the race detector is on.
const Enabled = false
