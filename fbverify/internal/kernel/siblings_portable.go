package kernel

import (
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/mem"
)

// siblingsPortable is Siblings for every machine, and what the others are held
// to.
//
// An offset from a position may be 1 to the number of bytes between that and the
// last four of the buffer, called its room: one comparison does for both bounds,
// since 0-1 wraps around. Reading at a misaligned position does no harm, so
// alignments are gathered and looked at once for each table.
func siblingsPortable(r *Run) {
	p, last := r.P, r.N-4
	at := r.At
	for ; at < r.End; at += 4 {
		uo := uint64(mem.Load32(p, uintptr(at)))
		if uo-1 >= last-at {
			break
		}
		pos := at + uo
		vt := pos - uint64(int64(int32(mem.Load32(p, uintptr(pos)))))
		k := &r.Kinds[0]
		if vt != k.VTable {
			if k = &r.Kinds[1]; vt != k.VTable {
				break
			}
		}
		s := k.Shape
		bytes, inline, tables := s.Bytes, s.Reach, uint64(0)
		vectors, ok := s.Sound(p, pos, r.N, r.Align)
		if !ok {
			break
		}
		bytes += vectors
		if s.Child != 0 {
			slot := pos + s.Child
			uo := uint64(mem.Load32(p, uintptr(slot)))
			if uo-1 >= last-slot {
				break
			}
			pos := slot + uo
			s = k.ChildShape
			if pos-uint64(int64(int32(mem.Load32(p, uintptr(pos))))) != k.ChildVTable {
				break
			}
			if vectors, ok = s.Sound(p, pos, r.N, r.Align); !ok {
				break
			}
			bytes += s.Bytes + vectors
			inline += s.Reach
			tables++
		}
		if int64(inline) > r.Inline {
			break
		}
		r.Inline -= int64(inline)
		r.Bytes += bytes
		r.Tables += tables
	}
	r.At = at
}

// Sound reports whether a table of the shape at pos is sound as far as its own
// bytes and its vectors go, and how many bytes the vectors' elements have. The
// buffer has n bytes, and the first four of the table are inside it.
func (s *Shape) Sound(p unsafe.Pointer, pos, n, align uint64) (bytes uint64, ok bool) {
	last := n - 4
	if s.Reach-4 > last-pos || pos&s.Mask != s.Want {
		return 0, false
	}
	unaligned := pos
	for i := range s.Vectors {
		v := &s.Vectors[i]
		at := pos + uint64(v.Slot)
		room := last - at
		uo := uint64(mem.Load32(p, uintptr(at)))
		if uo-1 >= room {
			return 0, false
		}
		at += uo
		size := uint64(mem.Load32(p, uintptr(at))) * uint64(v.Size) // both are below 1<<32
		if size > room-uo {
			return 0, false
		}
		unaligned |= at
		bytes += size
	}
	return bytes, unaligned&align == 0
}
