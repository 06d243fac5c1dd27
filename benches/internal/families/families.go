// Package families states the rows of verification that benchmarks measure, each
// family once: `go test -bench` runs them, and the comparison with peers holds
// them against others.
//
// Real is every FlatBuffer of every real file at hand; cold, a working set far
// beyond the caches, of which each buffer is looked at once; large, one buffer of
// up to half a gigabyte; varied, shapes that nobody chose.
package families

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/inputs"
)

// A Row is one input that is verified.
type Row struct {
	// Name starts with the family's: "varied/siblings/8". Names do not change.
	Name string

	// Root is the full name of the root type, as peers know it too.
	Root string

	// WorkingSet says that there are so many bytes of copies of the input, all of
	// which are verified before the first comes again; 0, that there is the input
	// alone.
	WorkingSet int

	// Make makes the input. What is large is made when it is needed.
	Make func() (*Input, error)
}

// Family is the first word of the name.
func (r *Row) Family() string { return family(r.Name) }

// An Input is one buffer, or several of one size, and how each is verified.
type Input struct {
	Buffers [][]byte // verified in turn
	Tables  int      // how many a walk through one meets, 0 where nobody counted
	Type    *fbverify.Type

	// Framing says whether the buffer starts with its own length.
	Framing fbverify.Framing
}

// Options are those given, or the default, for this input: with its framing, and without
// the constraints of its schema, of which the verifiers beside this one know nothing.
func (in *Input) Options(given *fbverify.Options) *fbverify.Options {
	opts := &fbverify.Options{}
	if given != nil {
		*opts = *given
	}
	opts.Framing, opts.SkipConstraints = in.Framing, true
	return opts
}

// Verify verifies one of the buffers, or a copy.
func (in *Input) Verify(buf []byte, opts *fbverify.Options) error {
	return in.Type.Verify(buf, in.Options(opts))
}

// A Runner verifies the buffers of an input in turn. Copies fill the working set,
// and each buffer starts at a multiple of 64 bytes, as it does in all peers.
type Runner struct {
	in   *Input
	ring [][]byte
	next int

	given, opts *fbverify.Options // the last that were given, and what they are for the input
}

// NewRunner returns a runner with so many bytes of working set, at least the input.
func NewRunner(in *Input, workingSet int) *Runner {
	size, count := len(in.Buffers[0]), len(in.Buffers)
	rounds := max(1, (workingSet+size*count-1)/(size*count))
	stride := (size + 63) &^ 63
	arena := make([]byte, stride*rounds*count+64)
	arena = arena[-uintptr(unsafe.Pointer(&arena[0]))&63:]
	ring := make([][]byte, rounds*count)
	for i := range ring {
		at := i * stride
		ring[i] = arena[at : at+size : at+size]
		copy(ring[i], in.Buffers[i%count])
	}
	return &Runner{in: in, ring: ring, opts: in.Options(nil)}
}

// Len is the number of buffers.
func (r *Runner) Len() int { return len(r.ring) }

// Next verifies the next buffer.
func (r *Runner) Next(opts *fbverify.Options) error {
	if opts != r.given {
		r.given, r.opts = opts, r.in.Options(opts)
	}
	err := r.in.Type.Verify(r.ring[r.next], r.opts)
	if r.next++; r.next == len(r.ring) {
		r.next = 0
	}
	return err
}

// Allocations returns how many allocations verifying one buffer makes, once a type has
// seen all of them a few times: the fewest of three passes, since others may allocate
// meanwhile.
func (r *Runner) Allocations() float64 {
	one := *r // a working set is not gone through for this
	one.ring, one.next = r.ring[:len(r.in.Buffers)], 0
	fewest := math.Inf(1)
	for pass := range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range one.ring {
			one.Next(nil)
		}
		runtime.ReadMemStats(&after)
		if pass >= 2 {
			fewest = min(fewest, float64(after.Mallocs-before.Mallocs)/float64(len(one.ring)))
		}
	}
	return fewest
}

// Run verifies the next n buffers, and says whether they are accepted: all or none.
func (r *Runner) Run(n int, opts *fbverify.Options) (elapsed time.Duration, accepted bool, err error) {
	count := 0
	start := time.Now()
	for range n {
		if r.Next(opts) == nil {
			count++
		}
	}
	elapsed = time.Since(start)
	if count != 0 && count != n {
		return 0, false, errors.New("the verdict changed between iterations")
	}
	return elapsed, count > 0, nil
}

// Size says how large the inputs are.
type Size int

const (
	Full  Size = iota // as the figures are told
	Short             // as a quick run has them
)

// Bytes of the working sets of cold, and of the largest buffer.
const (
	coldBytes      = 256 << 20
	coldBytesShort = 32 << 20
)

// All returns the rows of all families, in the order of the figures. Root is the
// folder of this repository.
func All(root string, size Size) ([]Row, error) {
	real, err := Real(root)
	if err != nil {
		return nil, err
	}
	return slices.Concat(real, Cold(size), Large(size), Varied()), nil
}

// Roots returns trees as Vortex writes them, 2 KB to 2.5 MB.
func Roots() []Row {
	var rows []Row
	for _, size := range inputs.LayoutSizes {
		rows = append(rows, Row{Name: fmt.Sprintf("root/Layout/%dx%d", size.Chunks, size.Columns), Root: "Layout",
			Make: made("Layout", func() inputs.Buffer { return inputs.Layout(size.Chunks, size.Columns) })})
	}
	for _, fields := range inputs.ArraySizes {
		rows = append(rows, Row{Name: fmt.Sprint("root/Array/", fields), Root: "Array",
			Make: made("Array", func() inputs.Buffer { return inputs.Array(fields) })})
	}
	return rows
}

// layout is a row of a tree of Vortex, by chunks; there are 32 columns each.
// , by chunks; there are 32 columns each.
func layout(name string, chunks, set int) Row {
	return Row{Name: name, Root: "Layout", WorkingSet: set, Make: made("Layout", func() inputs.Buffer { return inputs.Layout(chunks, 32) })}
}

// Cold returns layouts that come from memory, since far more of them than the
// caches hold are verified before one comes again.
func Cold(size Size) []Row {
	set := coldBytes
	if size == Short {
		set = coldBytesShort
	}
	var rows []Row
	for _, chunks := range []int{16, 128, 1024} {
		rows = append(rows, layout(fmt.Sprintf("cold/Layout/%dx32", chunks), chunks, set))
	}
	return rows
}

// Large returns layouts of 35 KB to 500 MB, each verified over and over.
func Large(size Size) []Row {
	all := []int{16, 128, 1024, 4096, 8192, 40_960, 204_800}
	if size == Short {
		all = all[:4]
	}
	var rows []Row
	for _, chunks := range all {
		rows = append(rows, layout(fmt.Sprintf("large/Layout/%dx32", chunks), chunks, 0))
	}
	return rows
}

// Varied returns shapes that nobody chose.
func Varied() []Row {
	var rows []Row
	add := func(name, root string, make func() inputs.Buffer) {
		rows = append(rows, Row{Name: "varied/" + name, Root: root, Make: made(root, make)})
	}
	for _, kinds := range []int{2, 8, 64} {
		add(fmt.Sprint("siblings/", kinds), "Layout", func() inputs.Buffer { return inputs.Siblings(4096, kinds) })
	}
	for _, v := range []struct{ tables, vtables int }{{1000, 1000}, {33_000, 1000}, {20_000, 100}} {
		add(fmt.Sprintf("vtables/%dx%d", v.tables, v.vtables), "bench.Variety", func() inputs.Buffer { return inputs.VTables(v.tables, v.vtables) })
	}
	for _, bytes := range []int{60, 12} {
		add(fmt.Sprint("nested/", bytes), "bench.Envelopes", func() inputs.Buffer { return inputs.Nested(2000, bytes) })
	}
	add("message/96", "bench.Row", inputs.SmallRow)
	add("message/232", "bench.Person", inputs.Person)
	add("tree", "bench.Tree", func() inputs.Buffer { return inputs.Tree(16) })
	add("strings/long-ascii", "bench.Texts", func() inputs.Buffer { return inputs.LongStrings(1000, 1000, true) })
	add("strings/long-mixed", "bench.Texts", func() inputs.Buffer { return inputs.LongStrings(1000, 1000, false) })
	add("strings/short-ascii", "bench.Texts", func() inputs.Buffer { return inputs.ShortStrings(10_000) })
	add("strings/short-mixed", "bench.Texts", func() inputs.Buffer { return inputs.Texts(1 << 20) })
	add("blobs", "bench.Blobs", func() inputs.Buffer { return inputs.Blobs(5000) })
	add("arrow-schema", "org.apache.arrow.flatbuf.Message", func() inputs.Buffer { return inputs.ArrowSchema(5000) })
	add("vortex-footer", "Footer", func() inputs.Buffer { return inputs.VortexFooter(320) })
	return rows
}

// made makes an input once, of a type with a name, and shows that it is valid.
// Only what is small is kept.
func made(root string, make func() inputs.Buffer) func() (*Input, error) {
	const small = 16 << 20
	var mu sync.Mutex
	var kept *Input
	return func() (*Input, error) {
		mu.Lock()
		defer mu.Unlock()
		if kept != nil {
			return kept, nil
		}
		t, err := TypeOf(root)
		if err != nil {
			return nil, err
		}
		buf := make()
		in := &Input{Buffers: [][]byte{buf.Bytes}, Tables: buf.Tables, Type: t}
		if err := in.Verify(buf.Bytes, nil); err != nil {
			return nil, fmt.Errorf("families: what was made is not valid: %w", err)
		}
		if len(buf.Bytes) <= small {
			kept = in
		}
		return in, nil
	}
}
