package machine

import (
	"os"
	"syscall"
	"testing"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/program/programtest"
	. "github.com/fbverify/go/internal/fbasm"
)

// beforeNothing returns a function that copies a buffer to where memory ends: to read
// past its end is to crash.
func beforeNothing(t *testing.T) func([]byte) []byte {
	page := os.Getpagesize()
	all, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no memory of our own: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(all[page:], syscall.PROT_NONE); err != nil {
		t.Skip("no memory that nobody may read: ", err)
	}
	return func(b []byte) []byte {
		at := all[page-len(b) : page : page]
		copy(at, b)
		return at
	}
}

// onlyWhole cuts a buffer at every place: it is sound whole, and not otherwise. The
// second time its vtables are known from the first.
func onlyWhole(t *testing.T, p *program.Program, buf []byte, place func([]byte) []byte) {
	t.Helper()
	cfg := unlimited()
	for range 3 {
		for n := 8; n <= len(buf); n++ {
			want := Invalid
			if n == len(buf) {
				want = Valid
			}
			if v, _ := Run(p, place(buf[:n]), 0, &cfg); v != want {
				t.Errorf("%x, %d bytes of %d: verdict %d, want %d", buf, n, len(buf), v, want)
			}
		}
	}
}

// TestVTablesAreNotReadPastTheEnd: they stand behind their table, and are cut at every
// place, after tables with such vtables were met and before.
func TestVTablesAreNotReadPastTheEnd(t *testing.T) {
	place := beforeNothing(t)
	for slots := range 12 {
		p := programtest.Compile(t, "table R { "+fields(12, "ubyte")+"} root_type R;")
		vt := append([]uint16{uint16(4 + 2*slots), 4}, make([]uint16, slots)...)
		buf := Build(U32(4), U32(^uint32(3)), Label("vt"), U16(vt...))
		onlyWhole(t, p, buf, place)
	}
}

// TestTablesAreNotReadPastTheEnd: the first of several siblings with a child each is the
// last in memory, and cut at every place. Its vtable is known from buffers before.
func TestTablesAreNotReadPastTheEnd(t *testing.T) {
	place := beforeNothing(t)
	p := programtest.Compile(t, "table R { v:[N]; } table N { a:N; } root_type R;")
	buf := Build(
		Offset("root"), Label("r vt"), U16(6, 8, 4), Label("n vt"), U16(6, 8, 4), Label("c vt"), U16(4, 4), Align(4),
		Label("root"), VTable("r vt"), Offset("v"), Label("v"), U32(3), Offset("n0"), Offset("n1"), Offset("n2"),
		Label("n1"), VTable("n vt"), Offset("c1"), Label("n2"), VTable("n vt"), Offset("c1"), Label("c1"), VTable("c vt"),
		Label("n0"), VTable("n vt"), Offset("c0"), Label("c0"), VTable("c vt"),
	)
	onlyWhole(t, p, buf, place)
}
