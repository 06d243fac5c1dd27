package traversal

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/program/programtest"
	"github.com/fbverify/go/fbverify/internal/rule"
)

const layoutSchema = `
union U { E }
table E {}
struct S { x:long; y:byte; }
table R { a:byte; b:short; c:int (deprecated); d:double; s:S; t:string; v:[int]; w:[double]; us:[U]; e:E (required); u:U; f:float; g:ubyte; h:[string]; n:[ubyte] (nested_flatbuffer: "E"); }
root_type R;
`

// TestALayoutSaysWhatAShapeSays: where a table is sound as far as its own bytes go, by
// whatever vtable, at whatever position.
func TestALayoutSaysWhatAShapeSays(t *testing.T) {
	p := programtest.Compile(t, layoutSchema)
	rng := rand.New(rand.NewPCG(1, 2))
	whole := 0
	for range 20000 {
		slots := rng.IntN(len(p.Root.Fields) + 3)
		v := make([]byte, 4+2*slots)
		binary.LittleEndian.PutUint16(v, uint16(len(v)))
		for i := range slots {
			if rng.IntN(3) > 0 {
				binary.LittleEndian.PutUint16(v[4+2*i:], uint16(rng.IntN(5)*4))
			}
		}
		for _, flags := range []program.Flags{0, program.SkipAlignment} {
			cfg := unlimited()
			cfg.Flags = flags
			w := newWalker(p, make([]byte, 100), &cfg)
			l := w.layoutOf(&vtable{b: v, size: uint64(len(v))}, p.Root)
			s := p.Root.Shape(v, flags)
			for i := range s.Steps {
				if s.Steps[i].Op == program.StepImpossible {
					s.Reach = program.Never
				}
			}
			// A vector of values without one of tags has no reading, and nobody looks.
			for pos := uint64(0); pos < 100; pos += 1 + uint64(rng.IntN(8)) {
				want := s.Reach <= w.n-pos && pos&s.Mask&^3 == s.Want&^3 && (flags != 0 || pos&s.Mask&3 == s.Want&3)
				if got := w.sound(pos, l); got && !want || !got && want && pos%4 == 0 {
					t.Fatalf("vtable %v, flags %d, at %d: sound %v, want %v", v, flags, pos, got, want)
				}
				if want {
					whole++
				}
			}
		}
	}
	if whole == 0 {
		t.Fatal("no table was sound")
	}
}

// TestNextFindsEachSlot that is not zero, and no other.
func TestNextFindsEachSlot(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		v := vtable{b: make([]byte, 4+2*rng.IntN(20))}
		v.size = uint64(len(v.b))
		for i := 4; i < len(v.b); i++ {
			if rng.IntN(6) == 0 {
				v.b[i] = byte(rng.Uint32())
			}
		}
		fields := rng.IntN(24)
		for id := range fields + 1 {
			want := id
			for want < fields && v.slot(want) == 0 {
				want++
			}
			if got := v.next(id, fields); got != want {
				t.Fatalf("%v: after %d comes %d of %d fields, want %d", v.b, id, got, fields, want)
			}
		}
	}
}

// TestVTablesAreSoundInsideTheBuffer behind a size prefix, aligned, of an even size that
// is not too small.
func TestVTablesAreSoundInsideTheBuffer(t *testing.T) {
	p := programtest.Compile(t, layoutSchema)
	for _, flags := range []program.Flags{0, program.SkipAlignment} {
		for at := uint64(4); at < 9; at++ {
			for size := range uint64(12) {
				for n := uint64(18); n < 22; n++ {
					buf := make([]byte, n)
					const pos = 0
					binary.LittleEndian.PutUint32(buf, uint32(-int32(at)))
					binary.LittleEndian.PutUint16(buf[at:], uint16(size))
					cfg := unlimited()
					cfg.Flags = flags
					w := newWalker(p, buf, &cfg)
					for w.first = range 10 {
						var v vtable
						broken := w.vtableOf(pos, &v)
						want := rule.OK
						switch {
						case at < w.first:
							want = rule.OutOfBounds
						case at%2 != 0 && flags == 0:
							want = rule.Misaligned
						case size < 4 || size%2 != 0 || at+size > n:
							want = rule.BadVTable
						}
						if broken != want || want == rule.OK && (v.pos != at || v.size != size || uint64(len(v.b)) != size) {
							t.Fatalf("%d bytes at %d of %d, flags %d, first %d: %d, want %d", size, at, n, flags, w.first, broken, want)
						}
					}
				}
			}
		}
	}
}
