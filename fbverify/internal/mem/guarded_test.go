package mem

import "testing"

// TestAReadOutsideOfABufferPanics reads at each offset around the end, and at offsets so far
// away that the end of the read is near the start again.
func TestAReadOutsideOfABufferPanics(t *testing.T) {
	room := make([]byte, 64)
	for i := range room {
		room[i] = byte(i + 1)
	}
	panics := func(f func()) (did bool) {
		defer func() { did = recover() != nil }()
		f()
		return false
	}
	var offsets []uint64
	for i := range uint64(48) {
		offsets = append(offsets, i, -i)
	}
	for n := range 40 {
		g := Guard(room[:n])
		for _, at := range offsets {
			for size, load := range map[uint64]func() uint64{
				1: func() uint64 { return uint64(g.Load8(at)) }, 2: func() uint64 { return uint64(g.Load16(at)) },
				4: func() uint64 { return uint64(g.Load32(at)) }, 8: func() uint64 { return g.Load64(at) },
			} {
				inside := at <= uint64(n) && size <= uint64(n)-at
				got := uint64(0)
				if did := panics(func() { got = load() }); did == inside {
					t.Fatalf("%d bytes at %d of %d: panics %v", size, at, n, did)
				}
				if inside && byte(got) != byte(at+1) {
					t.Fatalf("%d bytes at %d: %#x", size, at, got)
				}
			}
		}
	}
}
