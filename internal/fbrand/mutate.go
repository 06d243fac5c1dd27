package fbrand

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Damaged is a buffer with changes.
type Damaged struct {
	Bytes []byte

	// Changed are the first and the end of each run of bytes that was written to,
	// Cut whether the buffer lost bytes.
	Changed [][2]int
	Cut     bool

	How string // says what was done
}

// Damage changes a buffer: mostly where offsets, lengths and vtables are, and
// mostly to values that mean something there.
func Damage(r *rand.Rand, b Buffer) Damaged {
	d := &Damaged{Bytes: append([]byte(nil), b.Bytes...)}
	for range pick(r, 1, 1, 1, 1, 2, 3) {
		if len(d.Bytes) == 0 {
			break
		}
		d.once(r, b.Marks)
	}
	d.Bytes = d.Bytes[:len(d.Bytes):len(d.Bytes)]
	return *d
}

func (d *Damaged) once(r *rand.Rand, marks []Mark) {
	n := len(d.Bytes)
	switch r.IntN(20) {
	case 0: // a bit anywhere
		at, bit := r.IntN(n), r.IntN(8)
		d.write(at, []byte{d.Bytes[at] ^ 1<<bit})
	case 1: // a byte anywhere
		d.write(r.IntN(n), []byte{byte(r.Uint32())})
	case 2, 3: // the end is missing
		cut := r.IntN(n + 1)
		if r.IntN(2) == 0 {
			cut = max(0, n-1-r.IntN(12))
		}
		if len(marks) > 0 && r.IntN(3) == 0 {
			m := marks[r.IntN(len(marks))]
			cut = min(n, max(0, m.At+r.IntN(m.Size+2)))
		}
		d.Bytes, d.Cut = d.Bytes[:cut], d.Cut || cut < n
		d.How += fmt.Sprintf("cut to %d; ", cut)
	case 4: // some of it elsewhere
		size := 1 + r.IntN(min(n, 32))
		from, to := r.IntN(n-size+1), r.IntN(n-size+1)
		d.write(to, append([]byte(nil), d.Bytes[from:from+size]...))
	case 5: // a word anywhere
		d.number(r, marks, 4*r.IntN((n+3)/4), 4)
	default:
		if len(marks) == 0 {
			return
		}
		m := marks[r.IntN(len(marks))]
		d.number(r, marks, m.At, m.Size)
	}
}

// write puts bytes where they fit.
func (d *Damaged) write(at int, b []byte) {
	if at >= len(d.Bytes) {
		return
	}
	n := copy(d.Bytes[at:], b)
	d.Changed = append(d.Changed, [2]int{at, at + n})
	d.How += fmt.Sprintf("%x at %d; ", b[:n], at)
}

// number overwrites a number with one of interest: small ones, those around the
// ends of the buffer counted from here, those that lead to another mark, those
// next to what is there, and those at the ends of its type.
func (d *Damaged) number(r *rand.Rand, marks []Mark, at, size int) {
	if at >= len(d.Bytes) {
		return
	}
	var now [8]byte
	copy(now[:size], d.Bytes[at:])
	old := binary.LittleEndian.Uint64(now[:])
	v := uint64(0)
	switch r.IntN(9) {
	case 0:
		v = uint64(r.IntN(20))
	case 1:
		v = uint64(len(d.Bytes) - at + r.IntN(20) - 10)
	case 2:
		v = uint64(at + r.IntN(20) - 10)
	case 3, 4:
		if len(marks) > 0 {
			v = uint64(marks[r.IntN(len(marks))].At - at)
			if r.IntN(4) == 0 {
				v = -v
			}
		}
	case 5:
		v = old + uint64(r.IntN(17)-8)
	case 6:
		v = old ^ 1<<r.IntN(8*size)
	case 7:
		v = -uint64(1+r.IntN(8)) >> r.IntN(3)
	default:
		v = r.Uint64() >> r.IntN(64)
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	d.write(at, b[:size])
}
