package machine

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/program/programtest"
	. "github.com/fbverify/go/internal/fbasm"
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

// TestManyGuessesAreWorthAMemory: where two kinds of tables stand in turn, and none is
// for the kernel, the hint's second guess is right so often and no more.
func TestManyGuessesAreWorthAMemory(t *testing.T) {
	p := programtest.Compile(t, "table K { x:int; s:string; } table R { v:[K]; } root_type R;")
	for guesses := maxGuesses - 1; guesses <= maxGuesses+1; guesses++ {
		count := 2 * guesses
		buf := Build(Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(uint32(count)), inTurn(count, "a", "b"),
			table("a", 8, []uint16{0, 4}, Offset("s")), table("b", 12, []uint16{8, 4}, Offset("s"), U32(1)), Label("s"), U32(0, 0), U32(make([]uint32, 8*count)...))
		taken := counted(t)
		cfg := unlimited()
		for range 3 {
			if v, _ := Run(p, buf, 0, &cfg); v != Valid {
				t.Fatalf("verdict %d", v)
			}
		}
		forgotten()
		taken.Store(0)
		if Run(p, buf, 0, &cfg); taken.Load() > 0 != (guesses > maxGuesses) {
			t.Errorf("%d guesses: %d memories", guesses, taken.Load())
		}
	}
}

// TestTheMemoryOfVTablesIsGivenBack by a run that needs one, and by each goroutine.
func TestTheMemoryOfVTablesIsGivenBack(t *testing.T) {
	if raceEnabled {
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
	if raceEnabled {
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
