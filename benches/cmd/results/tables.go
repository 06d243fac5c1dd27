package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/fbverify/go/benches/internal/families"
	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/benches/internal/rows"
	"github.com/fbverify/go/benches/internal/works"
	"github.com/fbverify/go/internal/inputs"
)

// A table is a part of RESULTS.md that is made from records.
type table struct {
	name string
	make func(*record.Folder) string
}

var tables = []table{
	{"machine", machine},
	{"targets", targetTable},
	{"shortfalls", shortfalls},
	{"root", rootTable},
	{"options", optionsTable},
	{"lengths", lengthsTable},
	{"families", familiesTable},
	{"real", realTable},
	{"varied", variedTable},
	{"first", firstTable},
	{"hostile", hostileTable},
	{"read", readTable},
	{"decode", decodeTable},
	{"stream", streamTable},
	{"send", sendTable},
	{"protobuf", protobufTable},
	{"index", indexTable},
	{"others-root", othersRoot},
	{"others-read", othersRead},
}

// grid writes a table of Markdown.
func grid(head []string, lines [][]string) string {
	var out strings.Builder
	write := func(cells []string) {
		out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	write(head)
	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = "---"
	}
	write(rule)
	for _, l := range lines {
		write(l)
	}
	return out.String()
}

// machine says on what, with what and when each section was recorded.
func machine(f *record.Folder) string {
	var out strings.Builder
	newest := f.Sections[0].About
	for _, s := range f.Sections {
		if s.About.At.After(newest.At) {
			newest = s.About
		}
	}
	fmt.Fprintf(&out, "- CPU (cpuid): %s, family %d, model %d, %d logical cores, L2 %d KiB, L3 %d KiB; vector units %s\n",
		newest.CPU, newest.Family, newest.Model, newest.Cores, newest.L2KiB, newest.L3KiB, strings.Join(newest.Vectors, ", "))
	fmt.Fprintf(&out, "- %s on %s/%s\n", newest.Go, newest.OS, newest.Arch)
	for _, peer := range []func(record.About) string{
		func(a record.About) string { return a.Rust }, func(a record.About) string { return a.CXX }, func(a record.About) string { return a.Flatc },
	} {
		name := ""
		for _, s := range f.Sections {
			if p := peer(s.About); p != "" {
				name = p
			}
		}
		if name != "" {
			fmt.Fprintf(&out, "- %s\n", name)
		}
	}
	out.WriteString("\n")
	var lines [][]string
	for _, s := range f.Sections {
		revision := s.About.Revision
		if s.About.Changed {
			revision += " and changes"
		}
		load := "unknown"
		if s.About.Load >= 0 {
			load = fmt.Sprintf("%.1f", s.About.Load)
		}
		lines = append(lines, []string{s.Name, revision, s.About.At.UTC().Format(time.DateTime), load, fmt.Sprint(s.MostRounds())})
	}
	out.WriteString(grid([]string{"section", "revision", "recorded (UTC)", "load before", "rounds"}, lines))
	return out.String()
}

func targetTable(f *record.Folder) string {
	var lines [][]string
	for i := range targets {
		t := &targets[i]
		r := t.measure(f)
		text := r.text
		if t.unit != "" && r.text != unrecorded.text {
			text += t.unit
		}
		aim := ""
		if t.aim > 0 {
			aim = t.limit(t.aim)
		}
		lines = append(lines, []string{t.what, t.against, t.limit(t.must), aim, text, t.verdict(r)})
	}
	return grid([]string{"work", "against", "must be at most", "aim", "reached", "so"}, lines)
}

// shortfalls says of each target that was missed why.
func shortfalls(f *record.Folder) string {
	var out strings.Builder
	for i := range targets {
		t := &targets[i]
		if !t.missed(t.measure(f)) {
			continue
		}
		against := ""
		if t.against != "" {
			against = ", against " + t.against
		}
		fmt.Fprintf(&out, "- %s%s: %s.\n", t.what, against, t.why)
	}
	if out.Len() == 0 {
		return "Every figure that was recorded is within its limit.\n"
	}
	return out.String()
}

// trees are the inputs of BenchmarkRoot, smallest first.
func trees() (names []string) {
	for _, s := range inputs.LayoutSizes {
		names = append(names, fmt.Sprintf("Layout/%dx%d", s.Chunks, s.Columns))
	}
	for _, n := range inputs.ArraySizes {
		names = append(names, fmt.Sprintf("Array/%d", n))
	}
	return names
}

func rootTable(f *record.Folder) string {
	var lines [][]string
	for _, name := range trees() {
		toRust, toCXX := f.RowOf("root/"+name, works.Checked, rust), f.RowOf("root/"+name, works.Checked, cxx)
		r := toRust
		if r == nil {
			r = toCXX
		}
		line := []string{strings.Replace(name, "/", " ", 1), "", "", "", "", "", ratioText(toRust), ratioText(toCXX)}
		if r != nil {
			line[1], line[2] = record.Size(r.Bytes), fmt.Sprint(r.Tables)
			line[3] = record.Duration(r.OursNS)
			line[4] = fmt.Sprintf("%.1f", r.OursNS/float64(r.Tables))
			line[5] = fmt.Sprintf("%.1f", float64(r.Bytes)/r.OursNS)
		}
		lines = append(lines, line)
	}
	return grid([]string{"tree", "bytes", "tables", "checked", "ns a table", "GB/s", "to Rust", "to C++"}, lines)
}

func optionsTable(f *record.Folder) string {
	var lines [][]string
	for _, name := range trees() {
		line := []string{strings.Replace(name, "/", " ", 1), ratioText(f.Row("options/"+name, "")), "", ""}
		switch r := f.Row("unchecked/"+name, ""); {
		case r != nil:
			line[2], line[3] = fmt.Sprintf("%.2f ns", r.OursNS), ratioText(r)
		case name == "Layout/1x8" || name == "Array/8":
			line[3] = "(the smallest itself)"
		}
		lines = append(lines, line)
	}
	return grid([]string{"tree", "opts to checked", "unchecked root and one read", "to the same of the smallest tree"}, lines)
}

func lengthsTable(f *record.Folder) string {
	var lines [][]string
	for _, fields := range []int{8, 100, 1000} {
		r := f.Row(fmt.Sprint("lengths/", fields), "")
		line := []string{fmt.Sprint(fields), ratioText(r), "", ""}
		if r != nil {
			line[2], line[3] = record.Duration(r.OursNS), record.Duration(r.PeerNS)
		}
		lines = append(lines, line)
	}
	return grid([]string{"fields", "held to verified again", "held", "verified again"}, lines)
}

// familiesTable says how the ratios of each family lie.
func familiesTable(f *record.Folder) string {
	var lines [][]string
	for _, family := range []string{"real", "cold", "large", "varied"} {
		for _, c := range []struct{ ours, peer, words string }{
			{works.Checked, cxx, "the faster C++ build"}, {works.Checked, rust, "Rust crate"}, {works.Portable, cxx, "portable code to the faster C++ build"},
			{works.SkipUTF8, works.Checked, "`SkipUTF8` to default"},
		} {
			s := record.SpreadOf(f.Rows(family+"/"), family+"/", c.ours, c.peer)
			if s.Works == 0 {
				lines = append(lines, []string{family, c.words, "not recorded", "", "", "", ""})
				continue
			}
			lines = append(lines, []string{family, c.words, times(s.Median), times(s.P90), times(s.Worst), strings.TrimPrefix(s.WorstWork, family+"/"),
				fmt.Sprintf("%d of %d", s.Above, s.Works)})
		}
	}
	return grid([]string{"rows", "against", "median", "p90", "worst", "which is", "above 1"}, lines)
}

// realTable has every row of real, and variedTable those of the other families.
func realTable(f *record.Folder) string { return verifications(f, "real") }

func variedTable(f *record.Folder) string { return verifications(f, "cold", "large", "varied") }

// verifications has a line for each row of some families.
func verifications(f *record.Folder, families ...string) string {
	var lines [][]string
	for _, family := range families {
		last := ""
		for _, r := range f.Rows(family + "/") {
			if r.Work == last || r.Ours != works.Checked {
				continue
			}
			last = r.Work
			lines = append(lines, []string{
				r.Work, record.Size(r.Bytes), record.Duration(r.OursNS), allocations(r),
				middle(f, r.Work, works.Checked, rust), middle(f, r.Work, works.Checked, gxx), middle(f, r.Work, works.Checked, clang),
				middle(f, r.Work, works.Portable, cxx), middle(f, r.Work, works.SkipUTF8, works.Checked),
			})
		}
	}
	if len(lines) == 0 {
		return "Not recorded.\n"
	}
	return grid([]string{"row", "bytes", "checked", "allocations", "to Rust", "to C++ by g++", "to C++ by clang", "portable to C++", "`SkipUTF8` to default"}, lines)
}

func allocations(r record.Row) string {
	if r.Allocs == nil {
		return ""
	}
	return fmt.Sprintf("%.3g", *r.Allocs)
}

// middle is a ratio of one row of many, in parentheses where it cannot be told from 1.
func middle(f *record.Folder, work, ours, peer string) string {
	switch r := f.RowOf(work, ours, peer); {
	case r == nil || r.Middle <= 0:
		return ""
	case r.Separable:
		return fmt.Sprintf("%.2f", r.Middle)
	default:
		return fmt.Sprintf("(%.2f)", r.Middle)
	}
}

func firstTable(f *record.Folder) string {
	var lines [][]string
	for _, first := range families.Firsts() {
		line := []string{strings.TrimPrefix(first.Name, "first/"), "not recorded"}
		if r := f.Row(first.Name, ""); r != nil {
			line[1] = record.Duration(r.OursNS)
		}
		lines = append(lines, line)
	}
	return grid([]string{"first verification in a process", "takes"}, lines)
}

func hostileTable(f *record.Folder) string {
	head := []string{"made of"}
	for _, size := range inputs.HostileSizes {
		head = append(head, record.BinarySize(size))
	}
	var lines [][]string
	for _, h := range inputs.Hostiles {
		line := []string{h.Name}
		for _, size := range inputs.HostileSizes {
			cell := "not recorded"
			if c := hostileCost(f, h.Name, size); c > 0 {
				cell = fmt.Sprintf("%.2f", c)
			}
			line = append(line, cell)
		}
		lines = append(lines, line)
	}
	return grid(head, lines)
}

// readCases are the cases of BenchmarkRead, in works' names.
var readCases = []struct{ work, words string }{
	{"flat10", "10 fields, flat"},
	{"flat100", "100 fields, flat"},
	{"hier-hot/cached", "three levels, hot, way kept"},
	{"hier-hot/walked", "three levels, hot, way walked"},
	{"hier-hot/written", "the same with writes between"},
	{"hier-cold/cached", "three levels, cold, way kept"},
	{"hier-cold/walked", "three levels, cold, way walked"},
}

func readTable(f *record.Folder) string {
	var lines [][]string
	for _, c := range readCases {
		line := []string{c.words}
		for _, form := range []string{"fixed", "view", "dynamic"} {
			row := f.Row("read/"+c.work+"/"+form, "struct")
			if row == nil && form == "dynamic" && strings.HasPrefix(c.work, "hier-cold") {
				line = append(line, "")
				continue
			}
			line = append(line, ratioText(row))
		}
		line = append(line, inlined(f, c.work), toStruct(f, c.work), ratioText(f.Row("read/"+c.work+"/view", flatc)), ratioText(f.Row("read/"+c.work+"/fixed", flatc)))
		if r := f.Row("read/"+c.work+"/fixed", "struct"); r != nil {
			line = append(line, fmt.Sprintf("%.1f ns", r.PeerNS))
		} else {
			line = append(line, "")
		}
		lines = append(lines, line)
	}
	return grid([]string{"case", "fixed to struct", "view to struct", "dynamic to struct", "fixed to inline struct", "flatc to struct", "view to flatc", "fixed to flatc", "struct takes"}, lines)
}

// inlined is the ratio to a Go struct that holds the inner ones in itself, where a
// message has inner ones.
func inlined(f *record.Folder, work string) string {
	if !strings.HasPrefix(work, "hier-") {
		return ""
	}
	return ratioText(f.Row("read/"+work+"/fixed", "inline"))
}

// toStruct is the ratio of flatc's accessors to a Go struct, of medians of the
// same rounds.
func toStruct(f *record.Folder, work string) string {
	a, b := f.Row("read/"+work+"/view", flatc), f.Row("read/"+work+"/view", "struct")
	if a == nil || b == nil || b.PeerNS == 0 {
		return "not recorded"
	}
	return times(a.PeerNS / b.PeerNS)
}

func decodeTable(f *record.Folder) string {
	var lines [][]string
	for _, way := range rows.Ways {
		line := []string{way.Name}
		for _, part := range record.Parts {
			p := f.Part(way.Name, part)
			switch {
			case p == nil:
				line = append(line, "")
			case p.Separable:
				line = append(line, fmt.Sprintf("%.1f", p.NS))
			default:
				line = append(line, "not separable")
			}
		}
		whole := f.Part(way.Name, record.Whole)
		if whole == nil {
			line = append(line, "not recorded", "", "", "")
		} else {
			line = append(line, fmt.Sprintf("%.1f", whole.NS), fmt.Sprintf("%.1f", *whole.Allocs), fmt.Sprintf("%.0f", *whole.Allocated), fmt.Sprintf("%.0f", *whole.Copied))
		}
		to := ""
		if way.Name != rows.Ways[0].Name {
			to = ratioText(f.Row("decode/"+way.Name, ""))
		}
		lines = append(lines, append(line, to))
	}
	return grid([]string{"way", "floor", "verification", "framing", "decoding", "the program's work", "whole, ns a row", "allocations", "bytes allocated", "bytes copied", "to pass_through"}, lines)
}

func streamTable(f *record.Folder) string {
	var lines [][]string
	for _, work := range []string{"stream/write", "stream/dynamic", "stream/reuse", "stream/typed"} {
		r := f.Row(work, "")
		if r == nil {
			lines = append(lines, []string{work, "", "not recorded", "", ""})
			continue
		}
		row := r.OursNS / float64(max(r.Tables, 1))
		lines = append(lines, []string{r.Ours, r.Peer, ratioText(r), fmt.Sprintf("%.0f ns", row), fmt.Sprintf("%.1f million", 1e3/row)})
	}
	return grid([]string{"100,000 rows", "against", "ratio", "a row", "rows/s"}, lines)
}

func protobufTable(f *record.Folder) string {
	var lines [][]string
	for _, work := range []struct{ name, what string }{
		{"protobuf/field", "verified, one field read"}, {"protobuf/all", "verified, all 162 fields read"}, {"protobuf/again", "proved before, one field read"},
	} {
		line := []string{work.what, ""}
		for _, peer := range works.ProtobufPeers {
			r := f.Row(work.name, peer)
			if r == nil {
				line = append(line, "not recorded", "")
				continue
			}
			line[1] = record.Duration(r.OursNS)
			line = append(line, ratioText(r), record.Duration(r.PeerNS))
		}
		lines = append(lines, line)
	}
	head := []string{"from bytes in hand", "takes"}
	for _, peer := range works.ProtobufPeers {
		head = append(head, "to "+peer, "which takes")
	}
	return grid(head, lines)
}

func indexTable(f *record.Folder) string {
	var lines [][]string
	for _, s := range f.Sections {
		for _, i := range s.Index {
			lines = append(lines, []string{
				i.Way, record.Size(int(i.Bytes)), record.Duration(i.ColdNS), record.Duration(i.FirstNS), record.Duration(i.EarlyNS), record.Duration(i.LookupNS),
				record.Size(int(i.Own)), record.Size(int(i.OfFile)),
			})
		}
	}
	return grid([]string{"way", "its file", "first answer, file not cached", "first answer, restarted", "a lookup, the first million", "the same million again", "own memory", "of the file"}, lines)
}

func sendTable(f *record.Folder) string {
	var lines [][]string
	for _, work := range []string{"send/whole", "send/first", "send/typed", "send/append", "send/kept", "send/cancel"} {
		r := f.Row(work, "")
		if r == nil {
			lines = append(lines, []string{work, "", "not recorded", "", ""})
			continue
		}
		lines = append(lines, []string{r.Ours, r.Peer, ratioText(r), record.Duration(r.OursNS), record.Duration(r.PeerNS)})
	}
	return grid([]string{"way", "against", "ratio", "takes", "the other takes"}, lines)
}

// othersRoot puts figures that others measured for Rust next to those of this
// machine.
func othersRoot(f *record.Folder) string {
	var lines [][]string
	for _, theirs := range []struct {
		name string
		ns   float64
	}{
		{"Layout/1x8", 726}, {"Layout/16x32", 33_300}, {"Layout/128x32", 277_000}, {"Layout/1024x32", 2_230_000},
	} {
		line := []string{strings.Replace(theirs.name, "/", " ", 1), record.Duration(theirs.ns), "", ""}
		if r := f.Row("root/"+theirs.name, rust); r != nil {
			line[2], line[3] = record.Duration(r.PeerNS), record.Duration(r.OursNS)
		}
		lines = append(lines, line)
	}
	return grid([]string{"tree", "Rust, as published", "Rust, here", "this, here"}, lines)
}

// othersRead puts the figures of a flat C++ format next to those of this
// machine, all as multiples of a plain struct's.
func othersRead(f *record.Folder) string {
	var lines [][]string
	for _, theirs := range []struct {
		work, words              string
		flatbuffers, yaff, plain float64
	}{
		{"flat10", "10 fields, flat", 5.9, 3.0, 1.0},
		{"flat100", "100 fields, flat", 54.8, 26, 9.8},
		{"hier-hot/walked", "three levels, hot, way walked", 37.3, 9.8, 8.1},
		{"hier-cold/walked", "three levels, cold, way walked", 300, 207, 142},
	} {
		lines = append(lines, []string{
			theirs.words, times(theirs.flatbuffers / theirs.plain), times(theirs.yaff / theirs.plain),
			toStruct(f, theirs.work), ratioText(f.Row("read/"+theirs.work+"/view", "struct")), ratioText(f.Row("read/"+theirs.work+"/fixed", "struct")),
		})
	}
	return grid([]string{"case", "C++ FlatBuffers, published", "YaFF, published", "`flatc --go`, here", "view, here", "fixed, here"}, lines)
}
