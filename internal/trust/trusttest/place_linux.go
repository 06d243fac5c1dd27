//go:build linux

package trusttest

import (
	"sync"
	"syscall"
	"testing"
)

// room is memory with a page before it and one after it that cannot be read.
var room = sync.OnceValues(func() ([]byte, error) {
	const size = 1 << 22
	page := syscall.Getpagesize()
	all, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			return nil, err
		}
	}
	return all[page : page+size], nil
})

// BeforeGuard copies buf to where the byte after its last cannot be read. What it
// returns is good until the next call.
func BeforeGuard(t testing.TB, buf []byte) []byte {
	t.Helper()
	b, err := room()
	if err != nil {
		t.Fatal(err)
	}
	if len(buf) > len(b) {
		t.Fatalf("%d bytes, and there is room for %d", len(buf), len(b))
	}
	at := len(b) - len(buf)
	copy(b[at:], buf)
	return b[at:]
}

// AfterGuard copies buf to where the byte before its first cannot be read.
func AfterGuard(t testing.TB, buf []byte) []byte {
	t.Helper()
	b, err := room()
	if err != nil {
		t.Fatal(err)
	}
	return b[:copy(b, buf):len(buf)]
}
