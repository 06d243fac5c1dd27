package kernel

import (
	"syscall"
	"testing"
)

// guarded returns n bytes that end where memory ends that can be read, so that
// a read past them crashes the test. The bytes before them cannot be read either
// when n is a multiple of the page size.
func guarded(t testing.TB, n int) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	room := (n + page - 1) / page * page
	const reserve = syscall.MAP_ANON | syscall.MAP_PRIVATE | syscall.MAP_NORESERVE
	all, err := syscall.Mmap(-1, 0, room+2*page, syscall.PROT_READ|syscall.PROT_WRITE, reserve)
	if err != nil {
		t.Skipf("no memory of %d bytes: %v", room, err)
	}
	t.Cleanup(func() { syscall.Munmap(all) })
	for _, edge := range [][]byte{all[:page], all[page+room:]} {
		if err := syscall.Mprotect(edge, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return all[page+room-n : page+room : page+room]
}
