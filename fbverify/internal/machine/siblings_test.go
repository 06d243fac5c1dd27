package machine

import (
	"testing"
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/program/programtest"
	. "github.com/fbverify/go/internal/fbasm"
)

// started is a machine before its first step, as Run has it for a buffer without prefix.
func started(p *program.Program, buf []byte, cfg *Config) *machine {
	n := uint64(len(buf))
	m := &machine{vtables: room(n, 0), maxDepth: cfg.MaxDepth, maxTables: n/8 + 1, maxBytes: cfg.MaxBytes, split: ^uint64(0), shapes: p.Shapes(0)}
	m.P, m.N, m.Align = unsafe.Pointer(unsafe.SliceData(buf)), n, 3
	m.Left, m.Text, m.slots = budgets(n)
	return m
}

// TestSiblingsAreLeftToTheKernel to the last of them, where there are enough to make
// their kinds known to it, and their children are not too deep.
func TestSiblingsAreLeftToTheKernel(t *testing.T) {
	p := programtest.Compile(t, "table C { x:int; } table K { c:C; y:int; n:[ubyte]; s:string; } table R { v:[K]; } root_type R;")
	leaf := table("leaf", 8, []uint16{0, 4}, U32(1))                               // a number
	bytes := table("bytes", 8, []uint16{0, 0, 4}, Offset("n"), Label("n"), U32(0)) // a vector of numbers
	parent := Sequence(table("parent", 8, []uint16{4}, Offset("child")), table("child", 8, []uint16{4}, U32(1)))
	named := table("named", 8, []uint16{0, 0, 0, 4}, Offset("s"), Label("s"), U32(0, 0))
	for _, c := range []struct {
		name  string
		count int
		of    []string
		parts []Part
		depth int  // that is allowed
		known bool // whether a kind is made known
		left  int  // elements that the kernel does not come to
	}{
		{"few", worthAKernel - 1, []string{"leaf"}, []Part{leaf}, 64, false, worthAKernel - 1},
		{"enough", worthAKernel, []string{"leaf"}, []Part{leaf}, 64, true, 0},
		{"at the limit on depth", 7, []string{"leaf"}, []Part{leaf}, 2, false, 7},
		{"above it", 7, []string{"leaf"}, []Part{leaf}, 3, true, 0},
		{"vectors of numbers", 7, []string{"bytes"}, []Part{bytes}, 64, true, 0},
		{"children", 7, []string{"parent"}, []Part{parent}, 64, true, 0},
		{"children at the limit", 7, []string{"parent"}, []Part{parent}, 3, true, 0},
		{"two kinds in turn", 9, []string{"leaf", "bytes"}, []Part{leaf, bytes}, 64, true, 0},
		{"two kinds, one with a child", 9, []string{"leaf", "parent"}, []Part{leaf, parent}, 64, true, 0},
		{"strings", 7, []string{"named"}, []Part{named}, 64, true, 0},
		{"tables that the buffer ends with", 7, []string{"end"}, []Part{table("target", 8, []uint16{4}, U32(0)), Label("end vt"), U16(8, 8, 0, 4), Align(4), Label("end"), VTable("end vt"), U32(0)}, 64, true, 0},
		{"tables that the buffer ends with, and their child in them", 6, []string{"end"}, []Part{U32(make([]uint32, 32)...), Label("empty vt"), U16(4, 4), Label("end vt"), U16(8, 12, 4, 8), Align(4), Label("end"), VTable("end vt"), Offset("inside"), Label("inside"), VTable("empty vt")}, 64, true, 0},
	} {
		parts := append([]Part{Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(uint32(c.count)), Label("first"), inTurn(c.count, c.of...)}, c.parts...)
		buf, labels := Assemble(append(parts, Align(4))...)
		if _, ends := labels["end"]; !ends {
			buf = append(buf, make([]byte, 100)...)
		}
		cfg := unlimited()
		cfg.MaxDepth = c.depth
		m := started(p, buf, &cfg)
		if !m.tableAt(0, p.Root, &m.shapes.Last[p.Root.ID], 1) {
			t.Errorf("%s: refused", c.name)
			continue
		}
		first := uint64(labels["first"])
		end := first + 4*uint64(c.count)
		if m.At == 0 {
			m.At = first
		}
		if known := m.kindsOf != nil; known != c.known || end-m.At != 4*uint64(c.left) {
			t.Errorf("%s: known to the kernel %v, which left %d of %d", c.name, known, (end-m.At)/4, c.count)
		}
	}
}

// TestChildrenOfKnownKindsCountAtTheirDepth: a kind is known from a vector higher up,
// behind the same step, where its children were allowed.
func TestChildrenOfKnownKindsCountAtTheirDepth(t *testing.T) {
	p := programtest.Compile(t, "table N { v:[N]; c:N; } root_type N;")
	branch := func(label string, parts ...Part) Part {
		return Sequence(Align(4), Label(label), VTable("branch vt"), Sequence(parts...))
	}
	buf := Build(Offset("root"), Label("branch vt"), U16(6, 8, 4), Label("parent vt"), U16(8, 8, 0, 4), Label("leaf vt"), U16(4, 4),
		branch("root", Offset("v")), Label("v"), U32(5), inTurn(4, "parent"), Offset("below"),
		branch("below", Offset("w")), Label("w"), U32(4), inTurn(4, "parent"),
		Label("parent"), VTable("parent vt"), Offset("leaf"), Label("leaf"), VTable("leaf vt"), U32(make([]uint32, 100)...))
	const depth = 4 // the root, below, parent and leaf
	for range 3 {
		for allowed := 1; allowed <= depth+1; allowed++ {
			cfg := unlimited()
			cfg.MaxDepth = allowed
			want := Invalid
			if allowed >= depth {
				want = Valid
			}
			if v, _ := Run(p, buf, 0, &cfg); v != want {
				t.Errorf("%d levels allowed of %d: verdict %d", allowed, depth, v)
			}
		}
	}
}
