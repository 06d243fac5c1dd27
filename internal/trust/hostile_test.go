package trust_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/race"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/schema/fbs"
)

// The bounds are far above what is measured, and far below what a walk without
// memory would take, so that a slow machine does not fail them.
const (
	mostPerByte    = 500 * time.Nanosecond
	mostMemory     = 96 // bytes allocated for each byte of the buffer, and
	mostMemoryBase = 4 << 20
)

// cost verifies a buffer and returns the time and memory of the best of a few runs.
func cost(typ *fbverify.Type, buf []byte, o *fbverify.Options) (best time.Duration, memory uint64, err error) {
	best, memory = time.Hour, ^uint64(0)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		err = typ.Verify(buf, o)
		best = min(best, time.Since(start))
		runtime.ReadMemStats(&after)
		memory = min(memory, after.TotalAlloc-before.TotalAlloc)
		if best > 5*time.Second {
			break
		}
	}
	return best, memory, err
}

// checkCost bounds the cost of a buffer, times a factor.
func checkCost(t *testing.T, name string, typ *fbverify.Type, buf []byte, o *fbverify.Options, factor int) {
	t.Helper()
	took, memory, err := cost(typ, buf, o)
	verdict := "valid"
	if err != nil {
		verdict = err.(*fbverify.Error).Kind.Name()
	}
	perByte := float64(took.Nanoseconds()) / float64(len(buf))
	t.Logf("%-34s %9d bytes %8.2f ns/byte %6.2f bytes allocated/byte  %s", name, len(buf), perByte, float64(memory)/float64(len(buf)), verdict)
	if limit := mostPerByte*time.Duration(factor*len(buf)) + 50*time.Millisecond; took > limit {
		t.Errorf("%s: %v for %d bytes, more than %v", name, took, len(buf), limit)
	}
	if limit := mostMemory*uint64(factor*len(buf)) + mostMemoryBase; memory > limit {
		t.Errorf("%s: allocated %d bytes for %d, more than %d", name, memory, len(buf), limit)
	}
	if errors.Is(err, fbverify.ErrInternal) {
		t.Errorf("%s: %v", name, err)
	}
}

// TestHostileBuffersCostTimeAndMemoryOfTheirSize: each kind of bomb, under the
// default limits and under none to speak of, with one goroutine and with several.
// With -v it prints what each costs.
func TestHostileBuffersCostTimeAndMemoryOfTheirSize(t *testing.T) {
	s, err := inputs.HostileSchema()
	if err != nil {
		t.Fatal(err)
	}
	sizes := []int{1 << 10, 64 << 10, 1 << 20}
	if testing.Short() {
		sizes = sizes[:2]
	}
	if *trusttest.SeedFlag > 0 {
		sizes = append(sizes, 16<<20)
	}
	for _, h := range inputs.Hostiles {
		typ, err := fbverify.Compile(s, h.Root)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range sizes {
			buf := h.Make(size)
			for name, o := range map[string]*fbverify.Options{
				"default":  nil,
				"high":     {MaxDepth: 1 << 16, MaxTables: 1<<31 - 1},
				"parallel": {Parallel: 4},
				"strict":   {Strict: true},
			} {
				checkCost(t, h.Name+", "+name, typ, buf, o, 1)
			}
		}
	}
}

// TestHostileCostGrowsWithTheSchemaAndNotWithItsSquare: a table of very many vector
// fields that all offsets of a vector share, and one vtable that all tables of a
// vector find at positions of their own. What a table costs is at most what the
// fields of its type cost, so a schema of a thousand fields is given more time.
func TestHostileCostGrowsWithTheSchemaAndNotWithItsSquare(t *testing.T) {
	const fields = 1000
	var text strings.Builder
	text.WriteString("table Wide {\n")
	for i := range fields {
		fmt.Fprintf(&text, "  f%d:[ubyte];\n", i)
	}
	text.WriteString("}\ntable Root { wides:[Wide]; }\nroot_type Root;\n")
	s, err := fbs.ParseFS(fstest.MapFS{"wide.fbs": {Data: []byte(text.String())}}, "wide.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ := trusttest.Compile(t, s)
	for _, size := range []int{16 << 10, 128 << 10} {
		for name, buf := range map[string][]byte{
			"one wide table shared": sharedWide(fields, size), "vtables that overlap": trusttest.OverlappingVTables(fields, size),
		} {
			// Vtables that overlap may be too much: no writer makes them.
			if err := typ.Verify(buf, nil); err != nil && (!errors.Is(err, fbverify.ErrOverlap) || name != "vtables that overlap") {
				t.Errorf("%s: %v", name, err)
			}
			checkCost(t, name, typ, buf, nil, fields/50)
		}
	}
}

// TestTwoLongStringsInTurnCostWhatTheirSizeSays: a string that was looked at last is
// not looked at again, and of two that alternate neither is the last.
func TestTwoLongStringsInTurnCostWhatTheirSizeSays(t *testing.T) {
	s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte("table T { words:[string]; } root_type T;")}}, "t.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ := trusttest.Compile(t, s)
	for _, length := range []int{12, 100, 100_000} {
		const count = 20_000
		b := trusttest.WideRoot(count, 24+4*count+2*(length+8)&^3)
		first, second := 24+4*count, 24+4*count+(length+8)&^3
		for i := range count {
			at := 24 + 4*i
			binary.LittleEndian.PutUint32(b[at:], uint32([2]int{first, second}[i%2]-at))
		}
		for _, at := range []int{first, second} {
			binary.LittleEndian.PutUint32(b[at:], uint32(length))
			copy(b[at+4:], strings.Repeat("é", length/2))
		}
		if err := typ.Verify(b, nil); err != nil {
			t.Errorf("%d bytes each: %v", length, err)
		}
		checkCost(t, fmt.Sprintf("two strings of %d bytes", length), typ, b, nil, 1)
	}
}

// sharedWide is a vector of offsets to one table with all fields set, each to one
// empty vector.
func sharedWide(fields, size int) []byte {
	vtable := 4 + 2*fields
	count := (size - 64 - vtable - 4 - 4*fields) / 4
	b := trusttest.WideRoot(count, size)
	vt := 24 + 4*count
	table := (vt + vtable + 3) &^ 3
	end := table + 4 + 4*fields
	binary.LittleEndian.PutUint16(b[vt:], uint16(vtable))
	binary.LittleEndian.PutUint16(b[vt+2:], uint16(4+4*fields))
	binary.LittleEndian.PutUint32(b[table:], uint32(table-vt))
	for i := range fields {
		binary.LittleEndian.PutUint16(b[vt+4+2*i:], uint16(4+4*i))
		binary.LittleEndian.PutUint32(b[table+4+4*i:], uint32(end-(table+4+4*i)))
	}
	for i := range count {
		binary.LittleEndian.PutUint32(b[24+4*i:], uint32(table-(24+4*i)))
	}
	return b
}

// TestHonestUseAfterAMillionVTables: one type is given buffers whose every table
// has a vtable of its own. The shapes kept stay bounded, and an honest buffer is
// verified without an allocation afterwards.
func TestHonestUseAfterAMillionVTables(t *testing.T) {
	s, err := inputs.HostileSchema()
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, "bench.Variety")
	if err != nil {
		t.Fatal(err)
	}
	var variety inputs.Hostile
	for _, h := range inputs.Hostiles {
		if h.Name == "vtables" {
			variety = h
		}
	}
	honest := variety.Make(1 << 10)
	if err := typ.Verify(honest, nil); err != nil {
		t.Fatal(err)
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	hostile := variety.Make(1 << 20)
	before := heap()
	for range rounds {
		if err := typ.Verify(hostile, nil); err != nil {
			t.Fatal(err)
		}
		for i := range hostile[len(hostile)/2:] { // other vtables next time, as far as they are sound
			hostile[len(hostile)/2+i] ^= byte(i & 2)
		}
		_ = typ.Verify(hostile, nil)
		hostile = variety.Make(1 << 20)
	}
	if after := heap(); after > before+8<<20 {
		t.Errorf("%d bytes are kept after buffers with very many vtables", after-before)
	}
	if err := typ.Verify(honest, nil); err != nil {
		t.Fatal(err)
	}
	if !race.Enabled {
		if n := testing.AllocsPerRun(50, func() { _ = typ.Verify(honest, nil) }); n > 1 {
			t.Errorf("%v allocations for an honest buffer", n)
		}
	}
	runtime.KeepAlive(hostile)
}

// TestAStreamThatLiesAboutItsLengthCostsWhatItSends: a prefix of nearly 4 GiB, or of
// 2^63 with a long one, and then little.
func TestAStreamThatLiesAboutItsLengthCostsWhatItSends(t *testing.T) {
	s, err := inputs.HostileSchema()
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, "bench.Node")
	if err != nil {
		t.Fatal(err)
	}
	for _, framing := range []fbverify.Framing{fbverify.SizePrefixed, fbverify.LongSizePrefixed} {
		stream := strings.Repeat("\xf0\xff\xff\x7f", 2+1000)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		in := fbverify.NewReader(strings.NewReader(stream), typ, &fbverify.ReaderOptions{Options: fbverify.Options{Framing: framing}, MaxMessage: 1 << 40})
		var last error
		for range 100 {
			if _, last = in.Next(); last == io.EOF || errors.Is(last, io.ErrUnexpectedEOF) {
				break
			}
		}
		runtime.ReadMemStats(&after)
		if !errors.Is(last, io.ErrUnexpectedEOF) {
			t.Errorf("framing %v: %v", framing, last)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("framing %v: %d bytes for a stream of %d", framing, used, len(stream))
		}
	}
}
