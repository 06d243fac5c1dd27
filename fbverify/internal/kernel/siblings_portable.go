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
		bytes, work, tables := s.Bytes, s.Work, uint64(0)
		vectors, texts, ok := r.simple(s, pos)
		if !ok {
			break
		}
		bytes += vectors + texts
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
			if vectors, texts, ok = r.simple(s, pos); !ok {
				break
			}
			bytes += s.Bytes + vectors + texts
			work += s.Work
			tables++
		}
		if work > r.Left {
			break
		}
		r.Left -= work
		r.Bytes += bytes
		r.Tables += tables
	}
	r.At = at
}

// simple reports whether a table of the shape at pos is sound but for its child, with
// names for all its strings, and how many bytes its vectors' elements and its strings
// have.
func (r *Run) simple(s *Shape, pos uint64) (vectors, texts uint64, ok bool) {
	if vectors, ok = s.Sound(r.P, pos, r.N, r.Align); !ok || len(s.Texts) == 0 {
		return vectors, 0, ok
	}
	done, size, positions := Names(r.P, r.N, pos, s.Texts)
	r.Text -= int64(size)
	return vectors, size + 5*uint64(done), done == len(s.Texts) && positions&r.Align == 0 && r.Text >= 0
}

// Holds reports whether a table of the shape can be at pos of a buffer of n bytes,
// as far as its own bytes go. The first four of them are inside the buffer.
func (s *Shape) Holds(pos, n uint64) bool { return s.Reach <= n-pos && pos&s.Mask == s.Want }

// Sound reports whether a table of the shape at pos is sound as far as its own
// bytes and its vectors go, and how many bytes the vectors' elements have. The
// buffer has n bytes, and the first four of the table are inside it.
func (s *Shape) Sound(p unsafe.Pointer, pos, n, align uint64) (bytes uint64, ok bool) {
	if !s.Holds(pos, n) {
		return 0, false
	}
	return s.SoundVectors(p, pos, n, align)
}

// SoundVectors is Sound of a table that the shape holds.
//
//go:noinline
func (s *Shape) SoundVectors(p unsafe.Pointer, pos, n, align uint64) (bytes uint64, ok bool) {
	unaligned := pos
	for i := range s.Vectors {
		head, size, ok := s.Vectors[i].Sound(p, pos, n-4)
		if !ok {
			return 0, false
		}
		unaligned |= head
		bytes += size
	}
	return bytes, unaligned&align == 0
}

// Sound reports whether the vector of a table at pos is inside the buffer, whose last
// four bytes are at last, and where its length word is and how many bytes its elements
// have. Nothing is said of its alignment.
func (v *Vector) Sound(p unsafe.Pointer, pos, last uint64) (head, bytes uint64, ok bool) {
	at := pos + uint64(v.Slot) // inside the table
	uo := uint64(mem.Load32(p, uintptr(at)))
	if uo-1 >= last-at {
		return 0, 0, false
	}
	head = at + uo
	bytes = uint64(mem.Load32(p, uintptr(head))) * uint64(v.Size) // both are below 1<<32
	return head, bytes, bytes <= last-head
}
