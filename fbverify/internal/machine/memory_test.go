package machine

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/program/programtest"
	. "github.com/fbverify/go/internal/fbasm"
	"github.com/fbverify/go/internal/race"
)

// counted replaces the pool of memories by one that counts those it has to make.
func counted(t *testing.T) (taken *atomic.Int64) {
	taken = new(atomic.Int64)
	was := memories.New
	memories = sync.Pool{New: func() any { taken.Add(1); return new(memory) }}
	t.Cleanup(func() { memories = sync.Pool{New: was} })
	return taken
}

// forgotten empties the pool.
func forgotten() { memories = sync.Pool{New: memories.New} }

// slotsOf is a vtable of n slots, all but the last absent, which is at 4.
func slotsOf(n int) []uint16 {
	slots := make([]uint16, n)
	slots[n-1] = 4
	return slots
}

// TestVTablesThatWereMetAreKnown: a run that meets only vtables that the run before met
// takes no memory of them, whatever their size and wherever in the buffer they are,
// with two kinds in one place as well.
func TestVTablesThatWereMetAreKnown(t *testing.T) {
	const words = 20
	p := programtest.Compile(t, "table R { r:R; v:[R]; "+fields(words, "int")+"} root_type R;")
	rooted := func(parts ...Part) []byte { return Build(append([]Part{Offset("root")}, parts...)...) }
	for name, buf := range map[string][]byte{
		"short":                        rooted(table("root", 8, slotsOf(4), U32(0)), U32(0, 0, 0, 0)),
		"twelve bytes":                 rooted(table("root", 8, slotsOf(5), U32(0)), U32(0)),
		"sixteen":                      rooted(table("root", 8, slotsOf(6), U32(0)), U32(0, 0, 0, 0)),
		"long":                         rooted(table("root", 8, slotsOf(20), U32(0)), U32(0, 0, 0, 0)),
		"longer than the schema knows": rooted(table("root", 8, slotsOf(200), U32(0)), U32(0, 0, 0, 0)),
		// Behind the table, so that the buffer ends where the vtable does.
		"sixteen bytes at the end":     rooted(Label("root"), U32(^uint32(7)), U32(0), Label("vt"), U16(16, 8, 0, 0, 0, 0, 0, 4)),
		"twenty bytes at the end":      rooted(Label("root"), U32(^uint32(7)), U32(0), Label("vt"), U16(20, 8, 0, 0, 0, 0, 0, 0, 0, 4)),
		"sixteen bytes before the end": rooted(Label("root"), U32(^uint32(7)), U32(0), Label("vt"), U16(6, 8, 0), Bytes(make([]byte, 10)...)),
		"two in turn": rooted(table("root", 8, []uint16{0, 4}, Offset("v")), Label("v"), U32(9), inTurn(9, "a", "b"),
			table("a", 8, slotsOf(3), U32(1)), table("b", 8, slotsOf(4), U32(1)), U32(0, 0, 0, 0)),
		"two long ones in turn": rooted(table("root", 8, []uint16{0, 4}, Offset("v")), Label("v"), U32(9), inTurn(9, "a", "b"),
			table("a", 8, slotsOf(18), U32(1)), table("b", 8, slotsOf(19), U32(1)), U32(0, 0, 0, 0)),
	} {
		taken := counted(t)
		cfg := unlimited()
		for range 3 {
			if v, _ := Run(p, buf, 0, &cfg); v != Valid {
				t.Fatalf("%s: verdict %d", name, v)
			}
		}
		forgotten()
		taken.Store(0)
		if Run(p, buf, 0, &cfg); taken.Load() != 0 {
			t.Errorf("%s: a memory of vtables was taken", name)
		}
	}
}

// TestManyMissesAreWorthAMemory: where many kinds of tables stand in turn, and none is
// for the kernel, a hint is wrong about nearly each of them.
func TestManyMissesAreWorthAMemory(t *testing.T) {
	p := programtest.Compile(t, "table K { s:[string]; "+fields(100, "int")+"} table R { v:[K]; } root_type R;")
	for _, count := range []int{maxMisses, 4 * maxMisses} {
		parts := []Part{Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(uint32(count))}
		for i := range count {
			parts = append(parts, Offset(fmt.Sprint("k", i)))
		}
		for i := range count {
			parts = append(parts, table(fmt.Sprint("k", i), 12, append([]uint16{4}, slotsOf(2+i)...), Offset("s"), U32(1)))
		}
		buf := Build(append(parts, Label("s"), U32(0), U32(make([]uint32, 8*count)...))...)
		taken := counted(t)
		cfg := unlimited()
		for range 3 {
			if v, _ := Run(p, buf, 0, &cfg); v != Valid {
				t.Fatalf("verdict %d", v)
			}
		}
		forgotten()
		taken.Store(0)
		if Run(p, buf, 0, &cfg); taken.Load() > 0 != (count > maxMisses) {
			t.Errorf("%d tables: %d memories", count, taken.Load())
		}
	}
}

// crowd takes all places for shapes.
func crowd(p *program.Program) {
	for i := range uint16(1 << 14) {
		if shape := p.Root.Shape(Build(U16(6, 4, 4*i)), 0); p.Shapes(0).HasRoom(p.Root, Build(U16(6, 4, 4*i))) {
			p.Shapes(0).Keep(shape)
		}
	}
}

// TestLentShapesAreNotRemembered, neither by the kernel nor by a hint, nor by the vtable's
// position: what is lent to one vtable is lent to the next one. Tables of two kinds
// follow one another, and the last of the first kind is sound only as one of the second.
func TestLentShapesAreNotRemembered(t *testing.T) {
	for name, schemaText := range map[string]string{
		"simple tables":       "table K { a:[ubyte]; b:[ubyte]; } table R { v:[K]; } root_type R;",
		"tables with strings": "table K { a:string; b:string; } table R { v:[K]; } root_type R;",
		"tables with a child": "table C { x:int; } table K { a:C; b:C; } table R { v:[K]; } root_type R;",
		"tables with more":    "table K { a:[string]; b:[string]; } table R { v:[K]; } root_type R;",
	} {
		p := programtest.Compile(t, schemaText)
		crowd(p)
		build := func(last string) []byte {
			var parts []Part
			elements := []string{"a0", "a1", "a2", "b0", "b1", "b2", last, last, last, "b0", "b1", "a0", "a1"}
			parts = append(parts, Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(uint32(len(elements))))
			for _, e := range elements {
				parts = append(parts, Offset(e))
			}
			// Kind a has its field at 4, and kind b at 8, where there is nothing wrong.
			parts = append(parts, Label("c vt"), U16(4, 4), Label("a vt"), U16(6, 12, 4), Label("b vt"), U16(8, 12, 0, 8), Align(4))
			for i := range 3 {
				parts = append(parts, Label(fmt.Sprint("a", i)), VTable("a vt"), Offset("x"), Offset("x"))
				parts = append(parts, Label(fmt.Sprint("b", i)), VTable("b vt"), U32(0), Offset("x"))
			}
			parts = append(parts, Label("bad"), VTable("a vt"), U32(0), Offset("x"), Label("x"))
			if name == "tables with a child" {
				parts = append(parts, VTable("c vt"))
			}
			return Build(append(parts, U32(0, 0), U32(make([]uint32, 100)...))...)
		}
		for range 2 * 16 { // one of which may take a place
			for last, want := range map[string]Verdict{"a0": Valid, "bad": Invalid} {
				cfg := unlimited()
				if v, _ := Run(p, build(last), 0, &cfg); v != want {
					t.Fatalf("%s, %s: verdict %d, want %d", name, last, v, want)
				}
			}
		}
	}
}

// TestLentShapesOfChildrenAreNotRemembered by the kernel, together with a parent's shape
// that is kept. Children of two kinds follow one another, both lent. Those of the second
// kind have parents that are not for the kernel, so that it keeps what it knows. The last
// child of the first kind is sound only as one of the second.
func TestLentShapesOfChildrenAreNotRemembered(t *testing.T) {
	p := programtest.Compile(t, "table C { a:[ubyte]; b:[ubyte]; } table K { c:C; s:[string]; } table R { v:[K]; } root_type R;")
	build := func(children ...string) []byte {
		parts := []Part{Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(uint32(len(children)))}
		for i := range children {
			parts = append(parts, Offset(fmt.Sprint("k", i)))
		}
		parts = append(parts, Label("k vt"), U16(6, 8, 4), Label("l vt"), U16(8, 12, 4, 8), Label("c vt"), U16(4, 4), Label("a vt"), U16(6, 12, 4), Label("b vt"), U16(8, 12, 0, 8), Align(4))
		for i, child := range children {
			if child == "b" {
				parts = append(parts, Label(fmt.Sprint("k", i)), VTable("l vt"), Offset(child), Offset("x"))
			} else {
				parts = append(parts, Label(fmt.Sprint("k", i)), VTable("k vt"), Offset(child))
			}
		}
		return Build(append(parts, Label("c"), VTable("c vt"),
			Label("a"), VTable("a vt"), Offset("x"), Offset("x"), Label("b"), VTable("b vt"), U32(0), Offset("x"),
			Label("bad"), VTable("a vt"), U32(0), Offset("x"), Label("x"), U32(0, 0), U32(make([]uint32, 100)...))...)
	}
	parents := build("c", "c", "c", "c", "c", "c", "c")
	for range 2 {
		cfg := unlimited()
		if v, _ := Run(p, parents, 0, &cfg); v != Valid {
			t.Fatalf("verdict %d", v)
		}
	}
	crowd(p)
	for range 2 * 16 { // one of which may take a place
		for last, want := range map[string]Verdict{"a": Valid, "bad": Invalid} {
			cfg := unlimited()
			if v, _ := Run(p, build("a", "a", "a", "b", last, "b", "b", "a", "a"), 0, &cfg); v != want {
				t.Fatalf("%s: verdict %d, want %d", last, v, want)
			}
		}
	}
}

// TestManyVTablesAllocateNothing, once the first runs have taken the places for shapes,
// with a vtable for each table and tables below tables.
func TestManyVTablesAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget")
	}
	const slots, tables = 12, 3000
	p := programtest.Compile(t, "table K { "+fields(slots, "int")+" k:K; } table R { v:[K]; } root_type R;")
	rng := rand.New(rand.NewPCG(1, 2))
	parts := []Part{Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(tables)}
	for i := range tables {
		parts = append(parts, Offset(fmt.Sprint("k", i)))
	}
	for i := range tables {
		vt := make([]uint16, 2+slots+1)
		vt[0], vt[1] = uint16(2*len(vt)), 8+4*slots
		for j := range slots {
			if rng.IntN(2) > 0 {
				vt[2+j] = 8 + 4*uint16(rng.IntN(slots))
			}
		}
		if i%2 == 0 {
			vt[2+slots] = 4
		}
		name := fmt.Sprint("k", i)
		parts = append(parts, Label(name+" vt"), U16(vt...), Align(4), Label(name), VTable(name+" vt"))
		if i%2 == 0 {
			parts = append(parts, Offset(name+"'s"))
		} else {
			parts = append(parts, U32(0))
		}
		parts = append(parts, U32(make([]uint32, slots)...))
		if i%2 == 0 {
			parts = append(parts, Label(name+"'s"), VTable(name+" vt"), Offset("last"), U32(make([]uint32, slots)...))
		}
	}
	parts = append(parts, Label("last vt"), U16(4, 4), Label("last"), VTable("last vt"), U32(0, 0, 0))
	buf := Build(parts...)
	cfg := unlimited()
	for range 100 {
		if v, _ := Run(p, buf, 0, &cfg); v != Valid {
			t.Fatalf("verdict %d", v)
		}
	}
	if n := testing.AllocsPerRun(64, func() { Run(p, buf, 0, &cfg) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestTheMemoryOfVTablesIsGivenBack by a run that needs one, and by each goroutine.
func TestTheMemoryOfVTablesIsGivenBack(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget")
	}
	const words, kinds, elements = 20, 8, 400
	p := programtest.Compile(t, "table R { r:R; v:[R]; "+fields(words, "int")+"} root_type R;")
	parts := []Part{Offset("root"), table("root", 8, []uint16{0, 4}, Offset("v")), Label("v"), U32(elements)}
	var labels []string
	for i := range kinds {
		labels = append(labels, fmt.Sprint("k", i))
	}
	parts = append(parts, inTurn(elements, labels...))
	for i, label := range labels {
		parts = append(parts, table(label, 8, slotsOf(3+i), U32(1)))
	}
	buf := append(Build(parts...), make([]byte, 8*elements)...)
	for _, parallel := range []int{0, 2} {
		taken := counted(t)
		cfg := unlimited()
		cfg.Parallel = parallel
		const runs = 100
		for range runs {
			if v, _ := Run(p, buf, 0, &cfg); v != Valid {
				t.Fatalf("verdict %d", v)
			}
		}
		if n := taken.Load(); n == 0 || n > runs/4 {
			t.Errorf("with %d goroutines, %d memories for %d runs", parallel, n, runs)
		}
	}
}

// TestRecentVTablesAreCompiledOnce, also where the cache takes no more of them.
func TestRecentVTablesAreCompiledOnce(t *testing.T) {
	const first, others, turns = keepShapes, 40, 20
	p := programtest.Compile(t, "table E { "+fields(first+others, "ubyte")+"} table R { v:[E]; } root_type R;")
	n := first + others*turns
	parts := []Part{Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(uint32(n))}
	for i := range n {
		if i >= first {
			i = first + (i-first)%others
		}
		parts = append(parts, Offset(fmt.Sprint("k", i)))
	}
	// Vtables of one size, of which a slot each is set, lie side by side.
	for i := range first + others {
		slots := make([]uint16, first+others)
		slots[i] = 4
		parts = append(parts, Label(fmt.Sprint("vt", i)), U16(append([]uint16{uint16(4 + 2*len(slots)), 8}, slots...)...), U16(0))
	}
	for i := range first + others {
		parts = append(parts, Align(4), Label(fmt.Sprint("k", i)), VTable(fmt.Sprint("vt", i)), U32(0))
	}
	buf := Build(parts...)
	cfg := unlimited()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v, _ := Run(p, buf, 0, &cfg)
	runtime.ReadMemStats(&after)
	if v != Valid {
		t.Fatalf("verdict %d", v)
	}
	const each = 4 // allocations for a shape, at most
	if made := after.Mallocs - before.Mallocs; made > (first+others)*each+50 {
		t.Errorf("%d allocations for %d vtables that %d tables have", made, first+others, n)
	}
	kept := 0
	vtable := func(i int) []byte {
		slots := make([]uint16, first+others)
		slots[i] = 4
		return Build(U16(append([]uint16{uint16(4 + 2*len(slots)), 8}, slots...)...))
	}
	for i := range first + others {
		if p.Shapes(0).Find(p.Tables[1], vtable(i)) != nil {
			kept++
		}
	}
	if kept >= keepShapes || kept < keepShapes-3 { // the root has one, and few push out another
		t.Errorf("%d shapes are kept, want %d at most", kept, keepShapes-1)
	}
}

// TestWhatWasMetIsForgottenByANumber, and cleared only when numbers begin anew.
func TestWhatWasMetIsForgottenByANumber(t *testing.T) {
	shape := new(program.Shape)
	r := &memory{epoch: 5}
	r.recent[7].epoch, r.recent[7].shape = 5, shape
	if r.newEpoch(); r.epoch != 6 || r.recent[7].shape != shape {
		t.Errorf("epoch %d, and what was there is gone", r.epoch)
	}
	r.epoch = ^uint32(0)
	r.recent[7].epoch = 1
	if r.newEpoch(); r.epoch != 1 || r.recent[7].shape != nil {
		t.Errorf("epoch %d, and what was met four billion runs ago is still there", r.epoch)
	}
}

// TestWideVectorsAreSharedOut among goroutines, which costs memory, and others are not.
func TestWideVectorsAreSharedOut(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget")
	}
	p := programtest.Compile(t, "table E {} table R { v:[E]; } root_type R;")
	for _, c := range []struct {
		elements, parallel int
		shared             bool
	}{
		{splitElements, 0, false}, {splitElements, 1, false}, {splitElements - 1, 2, false}, {splitElements, 2, true}, {10 * splitElements, 3, true},
	} {
		parts := []Part{Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(uint32(c.elements))}
		for i := range c.elements {
			parts = append(parts, Offset(fmt.Sprint("e", i)))
		}
		parts = append(parts, Label("vt"), U16(4, 4))
		for i := range c.elements {
			parts = append(parts, Label(fmt.Sprint("e", i)), VTable("vt"))
		}
		buf := Build(parts...)
		cfg := unlimited()
		cfg.Parallel = c.parallel
		if v, counts := Run(p, buf, 0, &cfg); v != Valid || counts.Tables != uint64(1+c.elements) {
			t.Errorf("%+v: verdict %d, %d tables", c, v, counts.Tables)
		}
		if n := testing.AllocsPerRun(50, func() { Run(p, buf, 0, &cfg) }); n > 0 != c.shared {
			t.Errorf("%+v: %v allocations", c, n)
		}
	}
}

// TestVTablesOfNestedBuffersAreTheirOwn: one stands where another does in the buffer
// around it, counted from the start of each.
func TestVTablesOfNestedBuffersAreTheirOwn(t *testing.T) {
	for _, c := range []struct {
		text uint32 // the offset to the nested string
		want Verdict
	}{{4, Valid}, {0x7fff0000, Invalid}} {
		p := programtest.Compile(t, `table K { x:int; s:string; } table R { k:K; nested:[ubyte] (nested_flatbuffer: "K"); } root_type R;`)
		buf := Build(Offset("root"), Label("K vt"), U16(6, 8, 4), U16(0),
			table("root", 12, []uint16{4, 8}, Offset("k"), Offset("v")), Label("k"), VTable("K vt"), U32(1),
			Label("v"), U32(28), U32(12), U16(8, 8, 0, 4), U32(8, c.text, 0, 0))
		for range 3 {
			cfg := unlimited()
			if v, _ := Run(p, buf, 0, &cfg); v != c.want {
				t.Errorf("an offset of %d: verdict %d, want %d", c.text, v, c.want)
			}
		}
	}
}

// TestVTablesThatAreKnownByPositionAreThoseOfTheirBuffer: a nested buffer stands between
// tables of the buffer around it, and its vtable where theirs is, counted from the start of each.
func TestVTablesThatAreKnownByPositionAreThoseOfTheirBuffer(t *testing.T) {
	for _, c := range []struct {
		text uint32 // the offset to the nested string
		want Verdict
	}{{4, Valid}, {0x7fff0000, Invalid}} {
		p := programtest.Compile(t, `table K { x:int; s:string; } table Z { k:K; } table E { k:K; nested:[ubyte] (nested_flatbuffer: "Z"); } table R { v:[E]; } root_type R;`)
		buf := Build(Offset("root"), Label("K vt"), U16(6, 8, 4), U16(0), table("root", 8, []uint16{4}, Offset("v")),
			Label("v"), U32(3), Offset("first"), Offset("second"), Offset("first"),
			table("first", 8, []uint16{4}, Offset("k")), table("second", 8, []uint16{0, 4}, Offset("n")), Label("k"), VTable("K vt"), U32(1),
			Label("n"), U32(48), U32(24), U16(8, 8, 0, 4, 0, 0), U16(6, 8, 4, 0), U32(8, 4, 28, c.text, 0, 0))
		for range 3 {
			cfg := unlimited()
			if v, _ := Run(p, buf, 0, &cfg); v != c.want {
				t.Errorf("an offset of %d: verdict %d, want %d", c.text, v, c.want)
			}
		}
	}
}
