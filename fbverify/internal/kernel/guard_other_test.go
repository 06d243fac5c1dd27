//go:build !linux

package kernel

import "testing"

// guarded returns n bytes; where no memory can be made unreadable, a read past
// them is not noticed.
func guarded(_ testing.TB, n int) []byte { return make([]byte, n) }
