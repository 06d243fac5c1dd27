//go:build !linux

package trusttest

import (
	"bytes"
	"testing"
)

// Where no page can be made unreadable here, the buffers are copies of their own.

func BeforeGuard(t testing.TB, buf []byte) []byte { return bytes.Clone(buf) }

func AfterGuard(t testing.TB, buf []byte) []byte { return bytes.Clone(buf) }
