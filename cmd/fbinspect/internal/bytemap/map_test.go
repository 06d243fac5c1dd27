package bytemap_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/bytemap"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// cover fails unless the spans cover each byte exactly once.
func cover(t testing.TB, what string, m *bytemap.Map) {
	t.Helper()
	at := 0
	for i := range m.Spans {
		s := &m.Spans[i]
		if s.Pos != at || s.Size <= 0 {
			t.Fatalf("%s: span %d has bytes %d to %d, after byte %d", what, i, s.Pos, s.End(), at)
		}
		at = s.End()
		// Nothing that can be said of a span may fail.
		_ = m.SpanPath(s) + s.TypeName() + s.Value(m.Buf)
		if s.Object >= 0 {
			_ = m.Describe(s.Object)
		}
	}
	if at != len(m.Buf) {
		t.Fatalf("%s: the spans end at %d of %d", what, at, len(m.Buf))
	}
	told := 0
	for i := range m.Spans {
		told += len(m.FaultsIn(i))
	}
	if told != len(m.Faults) && len(m.Spans) > 0 {
		t.Fatalf("%s: %d of %d faults are in a span", what, told, len(m.Faults))
	}
}

// parts calls f with each FlatBuffer of known type in testdata and the corpus.
func parts(t testing.TB, f func(name string, p container.Part, typ *fbverify.Type, b []byte)) {
	t.Helper()
	survey := fbverify.MustCompile(parse(t, "survey.fbs"), "")
	archive := fbverify.MustCompile(parse(t, "archive.fbs"), "")
	n := 0
	visit := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == "node_modules" || d.Name() == "make") {
				return fs.SkipDir
			}
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		opts := &container.Options{}
		if ext := filepath.Ext(path); ext == ".bin" || ext == ".stream" || ext == ".mon" {
			opts.Type = survey
			if strings.Contains(path, "archive") || strings.Contains(path, "offset64") {
				opts.Type = archive
			}
		}
		file, err := container.OpenBytes(b, opts)
		if err != nil {
			return nil
		}
		for p, err := range file.Parts() {
			if err != nil || p.Type() == nil {
				continue
			}
			part, err := p.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			n++
			f(path+" "+p.Name, p, p.Type(), part)
		}
		return nil
	}
	if err := filepath.WalkDir(filepath.Join(oracle.RepoRoot(), "testdata"), visit); err != nil {
		t.Fatal(err)
	}
	if corpus := filepath.Join(oracle.RepoRoot(), "..", "shared", "corpus"); dirExists(corpus) {
		if err := filepath.WalkDir(corpus, visit); err != nil {
			t.Fatal(err)
		}
	}
	if n < 100 {
		t.Fatalf("only %d parts found", n)
	}
}

func dirExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func parse(t testing.TB, name string) *schema.Schema {
	t.Helper()
	s, err := fbs.ParseFS(os.DirFS(filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers")), name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mapOf(typ *fbverify.Type, p container.Part, b []byte) *bytemap.Map {
	return allOf(typ, b, p.Framing, typ.Explain(b, &fbverify.Options{Framing: p.Framing}))
}

func TestEveryByteIsInExactlyOneSpan(t *testing.T) {
	parts(t, func(name string, p container.Part, typ *fbverify.Type, b []byte) {
		cover(t, name, mapOf(typ, p, b))
	})
}

// TestEveryObjectOfASoundBufferIsMet holds the map to the verifier's own count of tables.
func TestEveryObjectOfASoundBufferIsMet(t *testing.T) {
	parts(t, func(name string, p container.Part, typ *fbverify.Type, b []byte) {
		// Fuzzers write objects on top of each other: sound for the verifier, and on the
		// map only the first has the bytes.
		if p.Verify(nil) != nil || strings.Contains(name, "fuzz") {
			return
		}
		counts, err := typ.Measure(b, p.Options(nil))
		if err != nil {
			t.Fatal(err)
		}
		m := mapOf(typ, p, b)
		tables, shared, gap := 0, false, 0
		for i := range m.Objects {
			if o := &m.Objects[i]; o.Kind == bytemap.Table {
				tables++
			}
			shared = shared || m.Objects[i].Refs > 1 && m.Objects[i].Kind != bytemap.VTable
		}
		for i := range m.Spans {
			if m.Spans[i].Kind == bytemap.Gap {
				gap += m.Spans[i].Size
			}
		}
		// What is shared counts twice for the verifier.
		if tables != counts.Tables && !shared {
			t.Errorf("%s: %d tables on the map, %d met by the verifier", name, tables, counts.Tables)
		}
		if gap > len(b)/20+64 {
			t.Errorf("%s: %d of %d bytes are in gaps", name, gap, len(b))
		}
	})
}

// TestDamagedBuffersAreCoveredToo changes every byte of some buffers, and cuts them off
// everywhere.
func TestDamagedBuffersAreCoveredToo(t *testing.T) {
	survey := fbverify.MustCompile(parse(t, "survey.fbs"), "")
	archive := fbverify.MustCompile(parse(t, "archive.fbs"), "")
	for name, typ := range map[string]*fbverify.Type{"survey.bin": survey, "minimal.bin": survey, "archive.bin": archive} {
		b, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers", name))
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			for _, c := range []byte{0, 0xff, b[i] + 1, b[i] ^ 0x80} {
				damaged := bytes.Clone(b)
				damaged[i] = c
				cover(t, fmt.Sprintf("%s with %#02x at %d", name, c, i), allOf(typ, damaged, fbverify.Unframed, nil))
			}
			cover(t, fmt.Sprintf("%s cut at %d", name, i), allOf(typ, b[:i], fbverify.Unframed, nil))
			cover(t, fmt.Sprintf("%s cut at %d, prefixed", name, i), allOf(typ, b[:i], fbverify.SizePrefixed, nil))
			cover(t, fmt.Sprintf("%s cut at %d, with a long prefix", name, i), allOf(typ, b[:i], fbverify.LongSizePrefixed, nil))
		}
	}
}

// TestWorkIsBoundedWhateverIsShared maps a buffer whose tables all refer to the same two
// children: 2^60 paths.
func TestWorkIsBoundedWhateverIsShared(t *testing.T) {
	s, err := fbs.Parse("t.fbs", []byte("table T { a:T; b:T; } root_type T;"))
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(s, "")
	const n = 60
	buf := []byte{12, 0, 0, 0, 8, 0, 12, 0, 4, 0, 8, 0}
	for i := range n {
		pos := len(buf)
		back := pos - 4
		next := byte(12 - 4) // from the first field to the next table
		if i == n-1 {
			buf = append(buf, byte(back), byte(back>>8), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
			break
		}
		buf = append(buf, byte(back), byte(back>>8), 0, 0, next, 0, 0, 0, next-4, 0, 0, 0)
	}
	m := allOf(typ, buf, 0, nil)
	cover(t, "shared", m)
	tables := 0
	for i := range m.Objects {
		if m.Objects[i].Kind == bytemap.Table {
			tables++
		}
	}
	if tables != n {
		t.Errorf("%d tables on the map, want %d", tables, n)
	}
}

func TestPathsAreThoseOfErrors(t *testing.T) {
	survey := fbverify.MustCompile(parse(t, "survey.fbs"), "")
	b, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers", "survey.bin"))
	if err != nil {
		t.Fatal(err)
	}
	m := allOf(survey, b, 0, nil)
	paths := map[string]string{}
	for i := range m.Spans {
		s := &m.Spans[i]
		paths[s.Kind.String()+" "+m.SpanPath(s)] = s.Value(m.Buf)
	}
	for path, value := range map[string]string{
		"text Survey.title":                                      `"Grotte du «Vent»"`,
		"scalar Survey.year":                                     "2024",
		"scalar Survey.entrance.east":                            "45.5",
		"text Survey.stations[0].shots[1].note":                  `"over the block"`,
		"scalar Survey.stations[0].gear_at_type":                 "1 (Rope)",
		"scalar Survey.stations[0].gear_at.metres":               "45",
		"text Survey.stations[1].gear_at":                        `"bolt, rusty"`,
		"scalar Survey.stations[2].gear_at.north":                "2",
		"scalar Survey.gear[2].up":                               "-40",
		"scalar Survey.draft.wide":                               "3",
		"elements Survey.numbers.shorts":                         "-32768, 32767",
		"scalar Survey.stations[0].shots[0].walls.near[0].grams": "12",
		"length Survey.stations":                                 "5",
	} {
		if got, ok := paths[path]; !ok || got != value {
			t.Errorf("%s is %q, %t; want %q", path, got, ok, value)
		}
	}
}

func allOf(t *fbverify.Type, b []byte, framing fbverify.Framing, faults []*fbverify.Error) *bytemap.Map {
	m, err := bytemap.Of(context.Background(), t, b, framing, faults)
	if err != nil {
		panic(err)
	}
	return m
}

// TestPathsOfLongNamesAreShort: those of many objects far below names of a thousand letters would be
// thousands of times as long as the buffer.
func TestPathsOfLongNamesAreShort(t *testing.T) {
	long := strings.Repeat("x", 1000)
	s, err := fbs.Parse("long.fbs", []byte("table T { "+long+":T; v:[T]; n:int; } root_type T;"))
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(s, "")
	text := strings.Repeat(`{"`+long+`":`, 20) + `{"v":[` + strings.Repeat(`{"n":1},`, 500) + `{}]}` + strings.Repeat("}", 20)
	b, err := dynamic.EncodeJSON(typ, []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, told := allOf(typ, b, fbverify.Unframed, nil), 0
	for i := range m.Spans {
		told += len(m.SpanPath(&m.Spans[i]))
	}
	if most := 1500 * len(m.Spans); told > most {
		t.Errorf("the paths of %d spans have %d bytes, want at most %d", len(m.Spans), told, most)
	}
	told = 0
	err = bytemap.InOrder(context.Background(), typ, b, fbverify.Unframed, func(s *bytemap.Told) error {
		if s.Of != nil {
			told += len(s.Of.Path)
		}
		return nil
	})
	if most := 1500 * len(m.Spans); err != nil || told > most {
		t.Errorf("in order they have %d bytes, want at most %d; %v", told, most, err)
	}
}
