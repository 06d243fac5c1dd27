package kernel

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// forest writes a vector of tables at the end of a buffer, so that the last of
// them ends where the buffer does.
type forest struct {
	buf []byte
	run Run
	rng *rand.Rand
}

func (f *forest) put(at uint64, v uint32) { binary.LittleEndian.PutUint32(f.buf[at:], v) }

// shapeOf returns a shape of tables with so many vectors, of which the slots are
// spread over the table, and with a child or not.
func (f *forest) shapeOf(vectors int, child, even bool) *Shape {
	s := &Shape{Mask: 3, Simple: true, Even: true}
	texts := f.rng.IntN(3) * f.rng.IntN(3)
	if f.rng.IntN(3) == 0 {
		s.Mask, s.Want = 7, uint64(f.rng.IntN(2)*4)
	}
	slot := uint32(4)
	for range vectors {
		slot += 4 * uint32(f.rng.IntN(3))
		v := Vector{Slot: slot, Shift: uint32(f.rng.IntN(5))}
		v.Size = 1 << v.Shift
		if !even && f.rng.IntN(2) == 0 {
			v.Size, s.Even = []uint32{3, 12, 24, 65535}[f.rng.IntN(4)], false
		}
		s.Vectors = append(s.Vectors, v)
		slot += 4
	}
	for range texts {
		slot += 4 * uint32(f.rng.IntN(3))
		s.Texts = append(s.Texts, uint16(slot))
		slot += 4
	}
	if child {
		s.Child, slot = uint64(slot), slot+4
	}
	s.Reach = uint64(slot) + uint64(f.rng.IntN(3)*f.rng.IntN(9)) // numbers behind
	s.Bytes, s.Work = s.Reach+4*uint64(vectors), int64(s.Reach)+int64(f.rng.IntN(99))
	return s
}

// table writes a sound table of a shape at the first place from pos on that it
// may be at, and returns that and where it ends.
func (f *forest) table(pos, vtable uint64, s *Shape) (at, end uint64) {
	for pos&s.Mask != s.Want {
		pos++
	}
	f.put(pos, uint32(pos-vtable))
	end = (pos + s.Reach + 3) &^ 3
	for _, v := range s.Vectors {
		slot := pos + uint64(v.Slot)
		count := uint64(f.rng.IntN(4))
		if v.Size > 1<<10 {
			count = 0
		}
		f.put(slot, uint32(end-slot))
		f.put(end, uint32(count))
		end = (end + 4 + count*uint64(v.Size) + 3) &^ 3
	}
	for _, at := range s.Texts {
		slot := pos + uint64(at)
		size := uint64(f.rng.IntN(32))
		f.put(slot, uint32(end-slot))
		f.put(end, uint32(size))
		for i := range size {
			f.buf[end+4+i] = byte(1 + f.rng.IntN(127))
		}
		// What is behind a string, and before the next one, is no matter.
		end += 4 + size + 1
		for ; end%4 != 0; end++ {
			f.buf[end] = byte(f.rng.IntN(256))
		}
	}
	return pos, end
}

// grow makes a buffer of about n bytes with count tables of the kinds given in
// turn. It ends behind the last table.
func grow(t testing.TB, rng *rand.Rand, start uint64, count int, kinds []Kind) *forest {
	f := &forest{rng: rng}
	need := start + 4*uint64(count)
	f.buf = make([]byte, need+uint64(count)*8192+8192)
	from := start
	pos := from + 4*uint64(count)
	for i := range count {
		k := &kinds[i%len(kinds)]
		at, end := f.table(pos, k.VTable, k.Shape)
		f.put(from+4*uint64(i), uint32(at-from-4*uint64(i)))
		pos = end
		if k.Shape.Child != 0 {
			child, end := f.table(pos, k.ChildVTable, k.ChildShape)
			f.put(at+k.Shape.Child, uint32(child-at-k.Shape.Child))
			pos = end
		}
	}
	exact := guarded(t, int(pos))
	copy(exact, f.buf)
	f.buf = exact
	f.run = Run{P: unsafe.Pointer(&exact[0]), N: pos, At: from, End: from + 4*uint64(count), Left: 1 << 40, Text: 1 << 40, Align: 3}
	for i := range f.run.Kinds {
		f.run.Kinds[i].VTable = NoVTable
		if i < len(kinds) {
			f.run.Kinds[i] = kinds[i]
		}
	}
	return f
}

// compare holds every level to portable code on a copy of the run.
func compare(t *testing.T, what string, run Run) Run {
	t.Helper()
	want := run
	siblingsPortable(&want)
	was := level
	defer func() { level = was }()
	for level = range best() + 1 {
		got := run
		got.Siblings()
		if got.At != want.At || got.Bytes != want.Bytes || got.Tables != want.Tables || got.Left != want.Left || got.Text != want.Text {
			t.Fatalf("%s: %v stopped at element %d of %d with %d bytes, %d tables, %d left; portable code at %d with %d, %d, %d",
				what, level, (got.At-run.At)/4, (run.End-run.At)/4, got.Bytes, got.Tables, got.Left,
				(want.At-run.At)/4, want.Bytes, want.Tables, want.Left)
		}
	}
	return want
}

// kindsOf makes n kinds of tables.
func kindsOf(f *forest, n, vectors int, child, even bool) []Kind {
	kinds := make([]Kind, n)
	for i := range kinds {
		kinds[i] = Kind{VTable: uint64(4 + 32*i), Shape: f.shapeOf(vectors, child && i > 0 || child && n == 1, even)}
		if kinds[i].Shape.Child != 0 {
			kinds[i].ChildVTable, kinds[i].ChildShape = uint64(16+32*i), f.shapeOf(f.rng.IntN(3), false, even)
		}
	}
	return kinds
}

func TestSiblingsTakesSoundTablesToTheLastByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for count := 1; count <= 70; count++ {
		for vectors := range 4 {
			for variant := range 8 {
				kinds := kindsOf(&forest{rng: rng}, 1+variant&1, vectors, variant&2 != 0, variant&4 != 0)
				f := grow(t, rng, 128+uint64(rng.IntN(16)*4), count, kinds)
				what := fmt.Sprintf("%d tables with %d vectors, variant %d", count, vectors, variant)
				if done := compare(t, what, f.run); done.At != done.End {
					t.Fatalf("%s: stopped at element %d", what, (done.At-f.run.At)/4)
				}
				short := f.run
				short.Left = rng.Int64N(int64(count)*kinds[0].Shape.Work + 1)
				compare(t, what+", short of budget", short)
				short = f.run
				short.Text = rng.Int64N(int64(count)*16*int64(len(kinds[0].Shape.Texts)) + 1)
				compare(t, what+", short of text", short)
			}
		}
	}
}

// TestSiblingsStopsBeforeTheEnd shortens the buffer by a byte at a time.
func TestSiblingsStopsBeforeTheEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range 64 {
		kinds := kindsOf(&forest{rng: rng}, 1, round&3, round&4 != 0, true)
		f := grow(t, rng, 128, 16+rng.IntN(20), kinds)
		for f.run.N > f.run.End+4 {
			f.run.N--
			exact := guarded(t, int(f.run.N))
			copy(exact, f.buf)
			run := f.run
			run.P = unsafe.Pointer(&exact[0])
			if done := compare(t, fmt.Sprintf("round %d, %d bytes", round, run.N), run); done.At == done.End {
				continue // the bytes cut off were padding
			} else if done.At == run.At {
				break
			}
			if f.run.N%7 == 0 {
				f.run.N -= min(f.run.N-f.run.End-4, uint64(rng.IntN(30)))
			}
		}
	}
}

// TestSiblingsStopsWherePortableCodeDoes damages one word of one element at a
// time, in every element: each lane of a wide kernel is wrong once.
func TestSiblingsStopsWherePortableCodeDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	values := []uint32{0, 1, 2, 3, 4, 5, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffc, 0xfffffffe, 0xffffffff}
	stopped := 0
	for round := range 24 {
		kinds := kindsOf(&forest{rng: rng}, 1+round&1, 1+rng.IntN(3), round&2 != 0, round%3 != 0)
		f := grow(t, rng, 128, 33+rng.IntN(8), kinds)
		for at := f.run.At; at+4 <= f.run.N; at += 4 {
			if testing.Short() && rng.IntN(8) > 0 {
				continue
			}
			was := binary.LittleEndian.Uint32(f.buf[at:])
			for _, v := range append(values, was+4, was-4, was+1, was^1<<rng.IntN(32), uint32(f.run.N-at), uint32(f.run.N-at-4), uint32(f.run.N-at-3)) {
				f.put(at, v)
				if done := compare(t, fmt.Sprintf("round %d: %#x at %d", round, v, at), f.run); done.At < done.End {
					stopped++
				}
			}
			f.put(at, was)
		}
	}
	if stopped < 1000 {
		t.Fatalf("only %d of the damages were noticed", stopped)
	}
}

// TestSiblingsNearTheEndOfTheLargestBuffer has positions that do not fit into 31
// bits once something is added to them.
func TestSiblingsNearTheEndOfTheLargestBuffer(t *testing.T) {
	if testing.Short() || unsafe.Sizeof(uintptr(0)) == 4 {
		t.Skip("takes 2 GB of address space")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 1<<31 - 1
	buf := guarded(t, n)
	for round := range 200 {
		kinds := kindsOf(&forest{rng: rng}, 1, rng.IntN(3), round&1 != 0, true)
		small := grow(t, rng, 128, 40, kinds)
		start := uint64(n-len(small.buf)) &^ 7
		copy(buf[start:], small.buf)
		run := small.run
		run.P, run.N = unsafe.Pointer(&buf[0]), n
		run.At, run.End = run.At+start, run.End+start
		run.Kinds[0].VTable += start
		run.Kinds[0].ChildVTable += start
		if done := compare(t, "sound", run); done.At != done.End {
			t.Fatalf("stopped at element %d", (done.At-run.At)/4)
		}
		for range 50 {
			at := run.At + 4*rng.Uint64N((n-run.At-4)/4)
			was := binary.LittleEndian.Uint32(buf[at:])
			binary.LittleEndian.PutUint32(buf[at:], []uint32{0, 0x7fffffff, 0x80000000, 0xffffffff, rng.Uint32(), uint32(n - at - 4), uint32(n - at)}[rng.IntN(7)])
			compare(t, fmt.Sprintf("round %d: damage at %d", round, at), run)
			binary.LittleEndian.PutUint32(buf[at:], was)
		}
	}
}

func TestChooseTakesWhatTheMachineHas(t *testing.T) {
	if got := choose("portable"); got != Portable {
		t.Errorf("portable chose %v", got)
	}
	if got := choose(""); got != best() {
		t.Errorf("nothing chose %v, and the machine has %v", got, best())
	}
	for l := range best() + 1 {
		if got := choose(l.String()); got != l {
			t.Errorf("%v chose %v", l, got)
		}
	}
}
