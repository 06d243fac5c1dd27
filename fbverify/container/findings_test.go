package container

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"os"
	"path/filepath"
)

func testFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// findings returns the parts of a file and all that is said of what is around them.
func findings(f *File) (parts []Part, found []*Error) {
	for p, err := range f.Findings() {
		if err != nil {
			found = append(found, err.(*Error))
		} else {
			parts = append(parts, p)
		}
	}
	return parts, found
}

// patched returns b with bytes written over it at a position; from the end where that is negative.
func patched(b []byte, at int, with ...byte) []byte {
	if at < 0 {
		at += len(b)
	}
	b = bytes.Clone(b)
	copy(b[at:], with)
	return b
}

// bareArrow is an Arrow file whose schema message has no length before it, as Polars writes it.
func bareArrow(batches int) []byte {
	r := twoBatches()
	r.schema = r.schema[8:]
	at := int64(8 + len(r.schema))
	n := int64(len(r.first))
	r.blocks[0].offset, r.blocks[1].offset = at, at+n
	if batches < 2 {
		r.second = nil
	}
	if batches < 1 {
		r.first = nil
	}
	r.blocks = r.blocks[:batches]
	return r.bytes()
}

// TestFindingsHaveASeverity: what is damage, what readers let pass, and what is only odd; what
// else the file has is found in any case.
func TestFindingsHaveASeverity(t *testing.T) {
	arrow, stream := twoBatches().bytes(), []byte(nil)
	{
		r := twoBatches()
		stream = slices.Concat(r.schema, r.first, r.end)
	}
	omitted := twoBatches()
	omitted.blocks = omitted.blocks[:1]
	headless := twoBatches()
	for i := range headless.blocks {
		headless.blocks[i].offset -= int64(len(headless.schema))
	}
	headless.schema = nil
	aligned := twoBatches() // as arrow-rs writes it
	for i := range aligned.blocks {
		aligned.blocks[i].offset += 56
	}
	aligned.schema = append(make([]byte, 56), aligned.schema...)
	endless := twoBatches()
	endless.end = nil
	garbage := twoBatches()
	garbage.end = append(garbage.end, "these bytes are nobody's"...)
	vortex := twoArrays().bytes()
	magic := []byte("fgb\x03fgb\x00")
	feature := withPrefix(emptyTable())
	fgb := slices.Concat(magic, fgbHeader(1, 0), feature)
	model := testFile(t, "tflite/conv.tflite")
	feather := testFile(t, "arrow/v1.feather")
	bfbs := testFile(t, "flatbuffers/survey.bfbs")
	older := patched(fgb, 3, 2)
	newer := patched(fgb, 3, 4)
	flat := withPrefix(emptyTable())

	for _, c := range []struct {
		name     string
		b        []byte
		format   Format // Unknown = to be found out
		kind     Kind   // of the one finding, 0 = none
		severity Severity
		part     string
		at       int // where it is; from the end where it is negative, -1 = anywhere
		parts    string
	}{
		{"arrow", arrow, 0, 0, 0, "", -1, soundArrow},
		{"arrow without the first mark", patched(arrow, 0, []byte("broken")...), 0, ErrMagic, Deviation, "", 0, soundArrow},
		{"arrow with a bare schema", bareArrow(2), 0, ErrMissing, Deviation, "schema", 8, soundArrow},
		{"arrow with a bare schema, one batch", bareArrow(1), 0, ErrMissing, Deviation, "schema", 8, "schema batch[0] footer"},
		{"arrow with a bare schema, no batch", bareArrow(0), 0, ErrMissing, Deviation, "schema", 8, "schema footer"},
		{"arrow without a schema message", headless.bytes(), 0, ErrMissing, Deviation, "schema", 8, "batch[0] batch[1] footer"},
		{"arrow with its first message at 64", aligned.bytes(), 0, 0, 0, "", -1, soundArrow},
		{"arrow with a batch that the footer omits", omitted.bytes(), 0, ErrNotLooked, Note, "unlisted[2]", -1, "schema batch[0] unlisted[2] footer"},
		{"arrow without a mark at the stream's end", endless.bytes(), 0, ErrMissing, Note, "end-of-stream", -1, soundArrow},
		{"arrow with bytes of nobody", garbage.bytes(), 0, ErrNotLooked, Note, "", -1, soundArrow},
		{"arrow twice", slices.Concat(arrow, arrow), 0, ErrRepeated, Note, "", len(arrow), soundArrow},
		{"stream", stream, 0, 0, 0, "", -1, "schema batch[0]"},
		{"stream with bytes behind", append(bytes.Clone(stream), "and so on"...), 0, ErrTrailing, Deviation, "", len(stream), "schema batch[0]"},
		{"stream twice", slices.Concat(stream, stream), 0, ErrRepeated, Note, "", len(stream), "schema batch[0] schema[1] batch[1]"},
		{"stream without an end", stream[:len(stream)-8], 0, ErrMissing, Note, "end-of-stream", len(stream) - 8, "schema batch[0]"},
		{"vortex", vortex, 0, 0, 0, "", -1, soundVortex},
		{"vortex without the first mark", patched(vortex, 0, []byte("none")...), 0, ErrMagic, Deviation, "", 0, soundVortex},
		{"vortex without the last mark", patched(vortex, -4, []byte("none")...), 0, ErrTruncated, Fault, "postscript", len(vortex), ""},
		{"vortex twice", slices.Concat(vortex, vortex), 0, ErrRepeated, Note, "", len(vortex), soundVortex},
		{"vortex of a newer version", patched(vortex, -8, 2), 0, ErrVersion, Fault, "version", -8, soundVortex},
		{"flatgeobuf", fgb, 0, 0, 0, "", -1, "header feature[0]"},
		{"flatgeobuf with bytes behind", append(bytes.Clone(fgb), 1, 2, 3), 0, ErrTrailing, Deviation, "", len(fgb), "header feature[0]"},
		{"flatgeobuf of an older version", older, 0, ErrVersion, Fault, "", 3, "header feature[0]"},
		{"flatgeobuf of a newer version", newer, 0, ErrVersion, Fault, "", 3, "header feature[0]"},
		{"feather", feather, 0, 0, 0, "", -1, "metadata"},
		{"feather without the first mark", patched(feather, 0, []byte("none")...), 0, ErrMagic, Fault, "", 0, "metadata"},
		{"feather twice", slices.Concat(feather, feather), 0, ErrRepeated, Note, "", len(feather), "metadata"},
		{"model", model, 0, 0, 0, "", -1, "model"},
		{"model twice", slices.Concat(model, model), 0, ErrRepeated, Note, "model", len(model), "model"},
		{"schema", bfbs, 0, 0, 0, "", -1, "schema"},
		{"schema twice", slices.Concat(bfbs, make([]byte, -len(bfbs)&3), bfbs), 0, ErrRepeated, Note, "schema", -1, "schema"},
		{"size-prefixed with bytes behind", append(bytes.Clone(flat), 9), SizePrefixed, ErrTrailing, Deviation, "", len(flat), "root"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := mustOpen(t, c.b, &Options{Format: c.format})
			parts, found := findings(f)
			if got := partNames(parts); got != c.parts {
				t.Errorf("the parts are %q, want %q", got, c.parts)
			}
			if c.kind == 0 {
				if len(found) > 0 {
					t.Fatalf("found %v", found)
				}
				return
			}
			if len(found) != 1 {
				t.Fatalf("found %v, want one finding", found)
			}
			e := found[0]
			if !errors.Is(e, c.kind) || e.Severity != c.severity || e.Part != c.part {
				t.Errorf("%v: kind %q, %v of %q; want %q, %v of %q", e, e.Kind.Name(), e.Severity, e.Part, c.kind.Name(), c.severity, c.part)
			}
			at := c.at
			if at < -1 {
				at += len(c.b)
			}
			if at != -1 && e.Offset != int64(at) {
				t.Errorf("%v: at %d, want %d", e, e.Offset, at)
			}
			if (e.Severity == Deviation) != (e.Readers != "") {
				t.Errorf("%v: its readers are %q", e, e.Readers)
			}
			if e.Kind == ErrVersion && e.Newer != !strings.Contains(c.name, "older") {
				t.Errorf("%v: newer is %v", e, e.Newer)
			}
			// Parts tells faults alone, and Strict makes faults of deviations.
			for strict, want := range map[bool]bool{false: e.Severity == Fault, true: e.Severity <= Deviation} {
				told := false
				for _, err := range mustOpen(t, c.b, &Options{Format: c.format, Strict: strict}).Parts() {
					told = told || err != nil
				}
				if told != want {
					t.Errorf("strict %v: told by Parts: %v, want %v", strict, told, want)
				}
			}
			checkFile(t, c.name, c.b, &Options{Format: c.format})
		})
	}
}

// TestNumbersAreMarkedWhereTheyStand: of a place that does not fit the number that is false is
// marked, and shown as it is in the file, also above 2^63.
func TestNumbersAreMarkedWhereTheyStand(t *testing.T) {
	le := binary.LittleEndian
	block := func(at int, with int64) func() []byte {
		return func() []byte {
			r := twoBatches()
			switch at {
			case 0:
				r.blocks[1].offset = with
			case blockMetadata:
				r.blocks[1].metadata = int32(with)
			default:
				r.blocks[1].body = with
			}
			return r.bytes()
		}
	}
	segment := func(offset uint64, length uint32) func() []byte {
		return func() []byte {
			r := twoArrays()
			r.segments[1] = place{offset, length}
			return r.bytes()
		}
	}
	for _, c := range []struct {
		name  string
		make  func() []byte
		wide  int // bytes of the number
		value uint64
		shown string
	}{
		{"an Arrow block's offset", block(0, 1<<40+5), 8, 1<<40 + 5, "1099511627781"},
		{"an Arrow block's metadata", block(blockMetadata, 1<<30+5), 4, 1<<30 + 5, "1073741829"},
		{"an Arrow block's body", block(blockBody, 1<<41+5), 8, 1<<41 + 5, "2199023255557"},
		{"an Arrow buffer's length", func() []byte {
			return slices.Concat(encapsulate(messageFlat(headerSchema, 0), nil), encapsulate(messageFlat(headerRecordBatch, 16, [2]int64{8, 5000}), make([]byte, 16)))
		}, 8, 5000, "5000"},
		{"an Arrow buffer's offset", func() []byte {
			return slices.Concat(encapsulate(messageFlat(headerSchema, 0), nil), encapsulate(messageFlat(headerRecordBatch, 16, [2]int64{5000, 8}), make([]byte, 16)))
		}, 8, 5000, "5000"},
		{"a Vortex segment's offset", segment(1<<63+5, 8), 8, 1<<63 + 5, "9223372036854775813"},
		{"a Vortex segment's length", segment(4, 1<<31+5), 4, 1<<31 + 5, "2147483653"},
		{"the place of a Vortex layout", func() []byte {
			r := twoArrays()
			r.layoutPlace = &place{1<<63 + 9, 8}
			return r.bytes()
		}, 8, 1<<63 + 9, "9223372036854775817"},
		{"the place of a model's weights", func() []byte { return append(modelFlat([]place64{{1<<63 + 7, 8}}), make([]byte, 64)...) }, 8, 1<<63 + 7, "9223372036854775815"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := c.make()
			_, found := findings(mustOpen(t, b, nil))
			i := slices.IndexFunc(found, func(e *Error) bool { return e.Severity == Fault })
			if i < 0 {
				t.Fatalf("no fault: %v", found)
			}
			e := found[i]
			if e.Size != c.wide || e.Offset+int64(e.Size) > int64(len(b)) {
				t.Fatalf("%v: marks %d bytes at %d, want %d bytes", e, e.Size, e.Offset, c.wide)
			}
			var word [8]byte
			copy(word[:], b[e.Offset:e.Offset+int64(e.Size)])
			if got := le.Uint64(word[:]); got != c.value {
				t.Errorf("%v: marks %d, want %d", e, got, c.value)
			}
			if !strings.Contains(e.Found, c.shown) {
				t.Errorf("%v: shows %q, want %s in it", e, e.Found, c.shown)
			}
		})
	}
}

// TestAnAlignmentThatNoReaderTakesIsNoted wherever a Vortex file states one.
func TestAnAlignmentThatNoReaderTakesIsNoted(t *testing.T) {
	b := twoArrays().bytes()
	// The footer's list of segments is found by what it holds.
	spec := append(binary.LittleEndian.AppendUint64(nil, 4), byte(len(segmentOf(8, 3))), 0, 0, 0, 0)
	at := bytes.Index(b, spec)
	if at < 0 {
		t.Fatal("the segment is not where it was looked for")
	}
	for exponent, want := range map[byte]bool{0: false, 15: false, 16: true, 200: true, 255: true} {
		damaged := patched(b, at+12, exponent)
		_, found := findings(mustOpen(t, damaged, nil))
		if want && (len(found) != 1 || found[0].Kind != ErrRange || found[0].Severity != Note || found[0].Offset != int64(at+12) || found[0].Part != "segment[0]") || !want && len(found) > 0 {
			t.Errorf("an exponent of %d: %v", exponent, found)
		}
	}
}

// TestAFileThatLacksOnlyItsEndIsSaidToBeWhole: an Arrow file whose writer did not close it, cut off
// behind a message, and not within one.
func TestAFileThatLacksOnlyItsEndIsSaidToBeWhole(t *testing.T) {
	r := twoBatches()
	file := slices.Concat([]byte("ARROW1\x00\x00"), r.schema, r.first, r.second)
	for _, c := range []struct {
		cut   int
		whole bool
	}{{0, true}, {len(r.second), true}, {1, false}, {16, false}, {len(r.second) - 4, false}} {
		_, found := findings(mustOpen(t, file[:len(file)-c.cut], nil))
		last := found[len(found)-1]
		if last.Kind != ErrTruncated || last.Part != "footer" || last.Severity != Fault || last.Whole != c.whole {
			t.Errorf("cut by %d: %v, whole is %v", c.cut, found, last.Whole)
		}
	}
}

// TestEveryFormatIsTriedOnFewBytes: each format forced on files of up to 64 bytes, of nothing and of
// the starts of real ones.
func TestEveryFormatIsTriedOnFewBytes(t *testing.T) {
	real := [][]byte{make([]byte, 64), bytes.Repeat([]byte{0xff}, 64), twoBatches().bytes(), twoArrays().bytes(), testFile(t, "tflite/conv.tflite"),
		testFile(t, "flatbuffers/survey.bfbs"), testFile(t, "arrow/v1.feather"), fgbHeader(1, 0), []byte("VTXFVTXFVTXFVTXF"), []byte("ARROW1ARROW1ARROW1"), []byte("FEA1FEA1FEA1FEA1")}
	for _, b := range real {
		for n := range min(len(b), 64) + 1 {
			for _, format := range Formats() {
				checkFile(t, format.String(), b[:n], &Options{Format: format})
				checkFile(t, format.String(), b[:n], &Options{Format: format, Strict: true})
			}
		}
	}
}
