package trusttest

import (
	"fmt"
	"runtime/debug"
	"testing"
	"unsafe"
)

// Placed returns copies of buf: at the end of memory that can be read, at its
// start, and at an address that is `shift` more than a multiple of 16.
func Placed(t testing.TB, buf []byte, shift int, use func(where string, buf []byte)) {
	use("before a page that cannot be read", BeforeGuard(t, buf))
	use("after a page that cannot be read", AfterGuard(t, buf))
	b := make([]byte, len(buf)+32)
	at := (shift - int(uintptr(unsafe.Pointer(&b[0])))) & 15
	use(fmt.Sprintf("at %d more than a multiple of 16", shift), b[at:][:copy(b[at:], buf):len(buf)])
}

// Lengthened adds n bytes to a buffer, which belong to it and to nothing in it: right
// before a page that cannot be read, it then starts at another address modulo 16. One
// that says how long it is stays as it is.
func Lengthened(buf []byte, prefix, n int) []byte {
	if prefix > 0 {
		return buf
	}
	return append(buf[:len(buf):len(buf)], make([]byte, n)...)
}

// Faulted runs f and returns what it panicked with, which may be a read of memory
// that is not there.
func Faulted(f func()) (failure any) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if failure = recover(); failure != nil {
			failure = fmt.Sprintf("%v\n%s", failure, debug.Stack())
		}
	}()
	f()
	return nil
}

// Peek reads one byte at a position relative to buf, inside it or not.
//
//go:noinline
func Peek(buf []byte, at int) byte {
	return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(buf)), at))
}

// Dump writes a buffer for the message of a failure, which its seed can bring back.
func Dump(buf []byte) string {
	const most = 1000
	if len(buf) > most {
		return fmt.Sprintf("%x… (%d bytes)", buf[:most], len(buf))
	}
	return fmt.Sprintf("%x", buf)
}
