//go:build !linux

package trust_test

import (
	"bytes"
	"testing"
)

// Where no page can be made unreadable here, the buffers are copies of their own.

func beforeGuard(t testing.TB, buf []byte) []byte { return bytes.Clone(buf) }

func afterGuard(t testing.TB, buf []byte) []byte { return bytes.Clone(buf) }
