package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/benches/internal/works"
	"github.com/fbverify/go/internal/inputs"
)

// A target is a figure that this project set itself before it was written.
type target struct {
	what    string // the work, in words
	against string // what its time is divided by

	// measure returns what was reached, in the unit of must and aim.
	measure func(*record.Folder) reached

	must, aim float64 // at most; an aim of 0 means that there is none
	unit      string  // after the figures, "" for ratios

	// why says in a few words what stands in the way, for a target that was
	// missed; it is not printed otherwise.
	why string
}

// reached is what became of a target: a value between two bounds, which are NaN
// if nothing was recorded. A target is reached if the upper one is within it, and
// missed if the lower one is not.
type reached struct {
	low, high float64
	text      string
}

// exactly is reached with a figure.
func exactly(x float64, text string) reached { return reached{x, x, text} }

var unrecorded = exactly(math.NaN(), "not recorded")

// ratio is the ratio of a work's time to that of a peer, or, where it cannot be
// told from 1, the bounds of where it may be.
func ratio(work, peer string) func(*record.Folder) reached {
	return func(f *record.Folder) reached {
		r := f.Row(work, peer)
		if r == nil {
			return unrecorded
		}
		if r.Separable {
			return exactly(*r.Ratio, ratioText(r))
		}
		if r.Within == nil {
			return exactly(math.NaN(), "too few rounds")
		}
		return reached{r.Within[0], r.Within[1], ratioText(r)}
	}
}

// Parts of a spread.
func median(s record.Spread) float64 { return s.Median }
func p90(s record.Spread) float64    { return s.P90 }
func worst(s record.Spread) float64  { return s.Worst }

// spread is a part of how the ratios of many works lie.
func spread(prefix, peer string, part func(record.Spread) float64) func(*record.Folder) reached {
	return func(f *record.Folder) reached {
		s := record.SpreadOf(f.Rows(prefix), prefix, works.Checked, peer)
		if s.Works == 0 {
			return unrecorded
		}
		text := fmt.Sprintf("%s of %d", times(part(s)), s.Works)
		if x := part(s); x == s.Worst && s.Works > 1 {
			text += " (" + strings.TrimPrefix(s.WorstWork, prefix) + ")"
		}
		return exactly(part(s), text)
	}
}

// skipping is the worst ratio of a verification without the check of UTF-8 to one
// with it. Of so many rows some seem slower by chance: one is, if it is by more than
// the same verification differs from itself.
func skipping(f *record.Folder) reached {
	r := reached{low: math.NaN(), high: math.NaN(), text: unrecorded.text}
	for _, row := range f.Rows("") {
		if row.Ours != works.SkipUTF8 || row.Middle <= 0 {
			continue
		}
		low := row.Middle / (1 + row.Noise)
		if !row.Separable {
			low = min(low, 1)
		}
		if !(low <= r.low) {
			r.low = low
		}
		if !(row.Middle <= r.high) {
			r.high, r.text = row.Middle, fmt.Sprintf("%s (%s)", times(row.Middle), row.Work)
		}
	}
	return r
}

// allocating is the most allocations that any verification makes.
func allocating(f *record.Folder) reached {
	most := unrecorded
	for _, row := range f.Rows("") {
		if row.Allocs != nil && !(*row.Allocs <= most.high) {
			most = exactly(*row.Allocs, fmt.Sprintf("%.3g (%s)", *row.Allocs, row.Work))
		}
	}
	return most
}

// micros is how long a work takes, in microseconds.
func micros(work string) func(*record.Folder) reached {
	return func(f *record.Folder) reached {
		r := f.Row(work, "")
		if r == nil {
			return unrecorded
		}
		return exactly(r.OursNS/1000, fmt.Sprintf("%.0f", r.OursNS/1000))
	}
}

// ratioText is the ratio of a row for a reader of a table.
func ratioText(r *record.Row) string {
	switch {
	case r == nil:
		return "not recorded"
	case r.Separable:
		return times(*r.Ratio)
	case r.Within == nil:
		return "not separable"
	default:
		return fmt.Sprintf("not separable, %.2f to %.2f", r.Within[0], r.Within[1])
	}
}

// times writes a ratio, small ones also as a fraction.
func times(x float64) string {
	switch {
	case x < 0.005:
		return fmt.Sprintf("%.4f (1/%.0f)", x, 1/x)
	case x < 0.095:
		return fmt.Sprintf("%.3f (1/%.0f)", x, 1/x)
	case x < 0.5:
		return fmt.Sprintf("%.2f (1/%.1f)", x, 1/x)
	case x < 9.95:
		return fmt.Sprintf("%.2f", x)
	default:
		return fmt.Sprintf("%.0f", x)
	}
}

// more is how many nanoseconds a work takes longer than a peer.
func more(work, peer string) func(*record.Folder) reached {
	return func(f *record.Folder) reached {
		r := f.Row(work, peer)
		if r == nil {
			return unrecorded
		}
		d := r.OursNS - r.PeerNS
		return exactly(d, fmt.Sprintf("%.2f", d))
	}
}

// hostile is the most that any hostile buffer takes, in nanoseconds a byte after
// the 5 us that each is granted.
func hostile(f *record.Folder) reached {
	worst := unrecorded
	for _, r := range f.Rows("hostile/") {
		if r.Bytes == 0 {
			continue
		}
		if ns := max(r.OursNS-5000, 0) / float64(r.Bytes); !(ns <= worst.high) {
			kind := strings.Split(r.Work, "/")
			worst = exactly(ns, fmt.Sprintf("%.2f (%s, %s)", ns, kind[1], record.BinarySize(r.Bytes)))
		}
	}
	return worst
}

// growth is how much more a byte of the largest hostile buffers costs than one
// of those of 16 KB, of the kind where that is most.
func growth(f *record.Folder) reached {
	worst := unrecorded
	small, large := inputs.HostileSizes[1], inputs.HostileSizes[len(inputs.HostileSizes)-1]
	for _, h := range inputs.Hostiles {
		a, b := hostileCost(f, h.Name, small), hostileCost(f, h.Name, large)
		if a == 0 || b == 0 {
			continue
		}
		if g := b / a; !(g <= worst.high) {
			worst = exactly(g, fmt.Sprintf("%.2f (%s)", g, h.Name))
		}
	}
	return worst
}

// hostileCost is nanoseconds a byte with the limits under which it costs more,
// 0 if it was not recorded.
func hostileCost(f *record.Folder, kind string, size int) float64 {
	cost := 0.0
	for _, limits := range []string{"default", "lifted"} {
		if r := f.Row(fmt.Sprintf("hostile/%s/%d/%s", kind, size, limits), ""); r != nil && r.Bytes > 0 {
			cost = max(cost, r.OursNS/float64(r.Bytes))
		}
	}
	return cost
}

const (
	rust  = "rust"
	cxx   = "c++" // the faster build
	gxx   = "c++ by g++"
	clang = "c++ by clang++"
	flatc = "flatc"
)

// Reasons that are shared by several targets.
const (
	memoryBound = "large buffers come from memory, and there all verifiers wait for the same bytes"
	oneShape    = "a checked root of so few tables is mostly what each call has to do whatever the buffer is"
	names       = "most tables of metadata have names, and C++ does not check that they are UTF-8"
	kinds       = "what is remembered of a vtable is looked up at each table, and C++ looks at the fields instead"
	hints       = "what is remembered of vtables lies on lines of memory that both processors read and write"
	reading     = "a schema is read, checked and compiled before the first buffer is looked at"
	gathers     = "tables met through vectors cost a cache line each; what is left is waiting for them"
)

var targets = []target{
	{what: "checked root, Layout 1024x32", against: "Rust crate", measure: ratio("root/Layout/1024x32", rust), must: 1.0 / 5, aim: 1.0 / 10, why: memoryBound},
	{what: "checked root, Layout 1024x32", against: "the faster C++ build", measure: ratio("root/Layout/1024x32", cxx), must: 1, aim: 0.5, why: memoryBound},
	{what: "checked root, Layout 128x32", against: "Rust crate", measure: ratio("root/Layout/128x32", rust), must: 1.0 / 5, aim: 1.0 / 10, why: gathers},
	{what: "checked root, Layout 128x32", against: "the faster C++ build", measure: ratio("root/Layout/128x32", cxx), must: 1, aim: 0.5, why: gathers},
	{what: "checked root, Layout 1x8", against: "Rust crate", measure: ratio("root/Layout/1x8", rust), must: 1.0 / 4, why: oneShape},
	{what: "checked root, Layout 1x8", against: "the faster C++ build", measure: ratio("root/Layout/1x8", cxx), must: 1.2, aim: 0.8, why: oneShape},
	{what: "checked root, Array 8", against: "Rust crate", measure: ratio("root/Array/8", rust), must: 1.0 / 4, why: oneShape},
	{what: "checked root, Array 8", against: "the faster C++ build", measure: ratio("root/Array/8", cxx), must: 1.2, aim: 0.8, why: oneShape},
	{what: "checked root, Array 1000", against: "Rust crate", measure: ratio("root/Array/1000", rust), must: 1.0 / 5, why: gathers},
	{what: "checked root, Array 1000", against: "the faster C++ build", measure: ratio("root/Array/1000", cxx), must: 1, aim: 0.5, why: gathers},
	{what: "Layout 1024x32 with two goroutines", against: "one goroutine", measure: ratio("parallel/Layout/1024x32", ""), must: 0.65, aim: 0.55,
		why: "one goroutine now takes 0.15 ms, and waking another processor of this virtual machine takes a good part of that; the work itself is shared evenly"},
	{what: "real, median", against: "the faster C++ build", measure: spread("real/", cxx, median), must: 1.05, aim: 0.8, why: names},
	{what: "real, p90", against: "the faster C++ build", measure: spread("real/", cxx, p90), must: 1.3, aim: 1, why: names},
	{what: "real, worst", against: "the faster C++ build", measure: spread("real/", cxx, worst), must: 1.6, aim: 1.2, why: names},
	{what: "real, median", against: "Rust crate", measure: spread("real/", rust, median), must: 0.25, aim: 0.15, why: names},
	{what: "large, worst of 35 KB to 500 MB", against: "the faster C++ build", measure: spread("large/", cxx, worst), must: 0.35, aim: 0.25, why: memoryBound},
	{what: "cold, worst of three sizes", against: "the faster C++ build", measure: spread("cold/", cxx, worst), must: 0.4, aim: 0.25, why: memoryBound},
	{what: "siblings of 2 kinds", against: "the faster C++ build", measure: ratio("varied/siblings/2", cxx), must: 0.4, aim: 0.3, why: kinds},
	{what: "siblings of 8 kinds", against: "the faster C++ build", measure: ratio("varied/siblings/8", cxx), must: 0.8, aim: 0.5, why: kinds},
	{what: "siblings of 64 kinds", against: "the faster C++ build", measure: ratio("varied/siblings/64", cxx), must: 1.1, aim: 0.8, why: kinds},
	{what: "1,000 tables, vtables all distinct", against: "the faster C++ build", measure: ratio("varied/vtables/1000x1000", cxx), must: 1.5, aim: 1, why: kinds},
	{what: "1,000 tables, vtables all distinct", against: "Rust crate", measure: ratio("varied/vtables/1000x1000", rust), must: 0.8, aim: 0.5, why: kinds},
	{what: "33,000 tables of 1,000 vtables", against: "the faster C++ build", measure: ratio("varied/vtables/33000x1000", cxx), must: 1.5, aim: 1, why: kinds},
	{what: "33,000 tables of 1,000 vtables", against: "Rust crate", measure: ratio("varied/vtables/33000x1000", rust), must: 0.8, aim: 0.5, why: kinds},
	{what: "allocations in the steady state, worst of all rows", measure: allocating, must: 0, unit: " a buffer", why: "what is remembered of a vtable is allocated when it is met, and not all are kept"},
	{what: "2,000 nested buffers of 60 bytes", against: "the faster C++ build", measure: ratio("varied/nested/60", cxx), must: 1.3, aim: 1, why: "each nested buffer is entered by itself, and what is known of vtables by position is put aside for it and after it"},
	{what: "2,000 nested buffers of 12 bytes", against: "the faster C++ build", measure: ratio("varied/nested/12", cxx), must: 2, aim: 1.3, why: "each nested buffer is entered by itself, and what is known of vtables by position is put aside for it and after it"},
	{what: "a row of 96 bytes", against: "the faster C++ build", measure: ratio("varied/message/96", cxx), must: 1.5, aim: 1, why: oneShape},
	{what: "a person of 232 bytes", against: "the faster C++ build", measure: ratio("varied/message/232", cxx), must: 1.5, aim: 1, why: oneShape},
	{what: "binary tree, random order", against: "the faster C++ build", measure: ratio("varied/tree", cxx), must: 1.6, aim: 1, why: memoryBound},
	{what: "a thousand long strings, ASCII", against: "Rust crate", measure: ratio("varied/strings/long-ascii", rust), must: 0.8, aim: 0.4, why: "both read each byte once"},
	{what: "a thousand long strings, of many scripts", against: "Rust crate", measure: ratio("varied/strings/long-mixed", rust), must: 0.8, aim: 0.4, why: "both read each byte once"},
	{what: "`SkipUTF8`, worst of all rows", against: "default", measure: skipping, must: 1, why: "what is skipped is less than what telling it apart takes"},
	{what: "two goroutines, different messages, rows", against: "one alone", measure: ratio("parallel/messages/row", ""), must: 1.05, why: hints},
	{what: "two goroutines, different messages, layouts", against: "one alone", measure: ratio("parallel/messages/layout", ""), must: 1.05, why: hints},
	{what: "first verification in a process, Vortex", measure: micros("first/vortex"), must: 150, aim: 30, unit: " us", why: reading},
	{what: "first verification in a process, Arrow", measure: micros("first/arrow"), must: 150, aim: 30, unit: " us", why: reading},
	{what: "first verification in a process, TFLite", measure: micros("first/tflite"), must: 500, aim: 60, unit: " us", why: reading},
	{what: "hostile, worst of all", measure: hostile, must: 5, aim: 2, unit: " ns a byte",
		why: "the slow walk that remembers results takes over once too much is shared, and it pays for its memory"},
	{what: "hostile, a byte of 16 MB", against: "a byte of 16 KB", measure: growth, must: 2,
		why: "of a small buffer all kinds of vtables are known after the first run; a million of them cannot be kept, and each takes a look at its fields"},
	{what: "read, hier-hot walked, view", against: "`flatc --go`", measure: ratio("read/hier-hot/walked/view", flatc), must: 1.0 / 8, aim: 1.0 / 12,
		why: "each step from the root looks at two vtables again; keep the inner view instead (chain cached)"},
	{what: "read, hier-hot walked, fixed", against: "`flatc --go`", measure: ratio("read/hier-hot/walked/fixed", flatc), must: 1.0 / 40,
		why: "a chain of two offsets is four dependent loads for each of nine fields"},
	{what: "read, hier-hot walked, fixed", against: "Go struct", measure: ratio("read/hier-hot/walked/fixed", "struct"), must: 1.2, aim: 1,
		why: "a pointer is loaded, an offset is loaded and added: one more operation a step"},
	{what: "read, flat10, fixed", against: "Go struct", measure: ratio("read/flat10/fixed", "struct"), must: 1.3,
		why: "ten loads take a few nanoseconds, and a call that cannot be inlined is a good part of them"},
	{what: "read, flat10, view", against: "Go struct", measure: ratio("read/flat10/view", "struct"), must: 3,
		why: "a field is a look at the vtable, a comparison and a load, against one load"},
	{what: "read, flat100, fixed", against: "Go struct", measure: ratio("read/flat100/fixed", "struct"), must: 1.3,
		why: "not understood yet, since both are a hundred loads from one place"},
	{what: "read, flat100, view", against: "Go struct", measure: ratio("read/flat100/view", "struct"), must: 3,
		why: "a field is a look at the vtable, a comparison and a load, against one load"},
	{what: "read, hier-cold walked, view", against: "Go struct", measure: ratio("read/hier-cold/walked/view", "struct"), must: 1.5, aim: 1.3,
		why: "a visit starts at the bytes and touches vtables as well as tables: more cache lines than three structs"},
	{what: "`dynamic` by handle, flat10", against: "`flatc --go`", measure: ratio("read/flat10/dynamic", flatc), must: 1,
		why: "a handle's kind is looked at on each read, so that a wrong one cannot read outside"},
	{what: "`dynamic` by handle, flat100", against: "`flatc --go`", measure: ratio("read/flat100/dynamic", flatc), must: 1,
		why: "a handle's kind is looked at on each read, so that a wrong one cannot read outside"},
	{what: "`dynamic` by handle, hier-hot walked", against: "`flatc --go`", measure: ratio("read/hier-hot/walked/dynamic", flatc), must: 1,
		why: "a table's handle is a larger value than a view, and is passed on at each step"},
	{what: "19 tables verified, one field read", against: "google.golang.org/protobuf", measure: ratio("protobuf/field", "google.golang.org/protobuf"), must: 1.0 / 12,
		why: "a verification costs the same whatever is read afterwards"},
	{what: "19 tables verified, one field read", against: "hyperpb", measure: ratio("protobuf/field", "hyperpb"), must: 1.0 / 6,
		why: "a verification costs the same whatever is read afterwards"},
	{what: "19 tables verified, all fields read", against: "google.golang.org/protobuf", measure: ratio("protobuf/all", "google.golang.org/protobuf"), must: 1.0 / 8,
		why: "162 fields are looked up in vtables"},
	{what: "19 tables verified, all fields read", against: "hyperpb", measure: ratio("protobuf/all", "hyperpb"), must: 1.0 / 4,
		why: "162 fields are looked up in vtables"},
	{what: "19 tables proved before, one field read", against: "google.golang.org/protobuf", measure: ratio("protobuf/again", "google.golang.org/protobuf"), must: 1.0 / 100,
		why: "the root is found and six steps are walked"},
	{what: "decode rows, borrowed", against: "pass_through", measure: ratio("decode/borrowed", ""), must: 1.3,
		why: "eight fields are read and added up, against handing on a slice; see where the time goes below"},
	{what: "`fbinspect dump --json`, 4 MB model", against: "native `flatc --json`", measure: ratio("dump/json", ""), must: 1, aim: 1.0 / 3,
		why: "both print the same digits, and that is most of the work"},
	{what: "`RootUnchecked` and a scalar", against: "the scalar of a held root", measure: more("unchecked/scalar", ""), must: 2.5, aim: 1, unit: " ns more",
		why: "the root offset and the vtable offset are two dependent loads"},
}

// verdict says whether a target was reached.
func (t *target) verdict(r reached) string {
	switch {
	case t.aim > 0 && r.high <= t.aim:
		return "aim reached"
	case r.high <= t.must:
		return "reached"
	case t.missed(r):
		return "**missed**"
	default:
		return "not shown"
	}
}

// missed reports whether a target was recorded and not reached.
func (t *target) missed(r reached) bool { return r.low > t.must }

// limit writes a target's figure: ratios as they were set, those of a whole number as
// fractions.
func (t *target) limit(x float64) string {
	switch {
	case x == 0:
		return "none"
	case t.unit == "" && x < 0.5 && math.Abs(1/x-math.Round(1/x)) < 0.01:
		return fmt.Sprintf("1/%.0f", 1/x)
	default:
		return fmt.Sprintf("%.3g", x) + t.unit
	}
}
