package container

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/bfbs"
)

func TestBytesOfNoKnownFormatAreDescribed(t *testing.T) {
	for _, c := range []struct{ what, want, advice string }{
		{"", "empty", "get it again"},
		{"\x01\x02\x03", "3 bytes of no known format", "cut off"},
		{strings.Repeat("\xfe\xdc\xba\x98", 20), "80 bytes of no known format", "their schema"},
		{"\x00\x00\x00\x00MONS\x00\x00\x00\x00\x00\x00\x00\x00", "MONS where a FlatBuffer has its file identifier", "their schema"},
		{"\xff\x00\x00\x00\x10\x00\x00\x00MONS\x00\x00\x00\x00\x00\x00\x00\x00", "MONS where a size-prefixed FlatBuffer", "their schema"},
	} {
		_, err := OpenBytes([]byte(c.what), nil)
		if !errors.Is(err, ErrUnknownFormat) {
			t.Errorf("%.20q: opened, or failed with %v", c.what, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%.20q: %q, which does not say %q and %q", c.what, err, c.want, c.advice)
		}
	}
}

func TestATruncatedFileIsStillOfItsFormat(t *testing.T) {
	for name, b := range realFiles(t) {
		was := mustOpen(t, b, nil).Format()
		f, err := OpenBytes(b[:len(b)*2/3], nil)
		if err != nil || f.Format() != was {
			t.Errorf("%s: cut to two thirds: %v", name, err)
			continue
		}
		switch was {
		case Vortex, ArrowFile, Feather:
			if d := f.Detection(); !strings.Contains(d.Advice, "end of the file") {
				t.Errorf("%s: cut to two thirds: %s", name, d)
			}
		}
	}
}

func TestAFileWithoutItsStartIsKnownByItsEnd(t *testing.T) {
	r, v := twoBatches().bytes(), twoArrays().bytes()
	for want, b := range map[Format][]byte{ArrowFile: r, Vortex: v} {
		b = slices.Clone(b)
		copy(b, "\xfe\xdc\xba\x98\xfe\xdc\xba\x98")
		f := mustOpen(t, b, nil)
		parts, faults := list(f)
		if f.Format() != want || len(parts) < 4 || len(faults) == 0 || faults[0].Kind != ErrMagic {
			t.Errorf("%s: opened as %s with %d parts and faults %v", want, f.Format(), len(parts), faults)
		}
	}
}

func TestPlainFlatBuffersAreRecognised(t *testing.T) {
	google := filepath.Join(oracle.Corpus(t), "google")
	b, err := os.ReadFile(filepath.Join(oracle.Corpus(t), "schemas", "google", "monster_test.bfbs"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := bfbs.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	monster := fbverify.MustCompile(s, "MyGame.Example.Monster")
	for _, name := range []string{"monsterdata_test.mon", "monsterdata_python_wire.mon", "unicode_test.mon", "monsterdata_cstest_sp.mon"} {
		b, err := os.ReadFile(filepath.Join(google, name))
		if err != nil {
			t.Fatal(err)
		}
		want := Raw
		if strings.Contains(name, "_sp") {
			want = SizePrefixed
			stream := mustOpen(t, append(slices.Clone(b), b...), &Options{Type: monster})
			if parts, _ := list(stream); stream.Format() != Stream || len(parts) != 2 {
				t.Errorf("%s twice is %s", name, stream.Format())
			}
		}
		for _, opts := range []*Options{nil, {Type: monster}} {
			f := mustOpen(t, b, opts)
			if f.Format() != want {
				t.Errorf("%s is %s: %s", name, f.Format(), f.Detection())
			}
			for p := range f.Parts() {
				err := p.Verify(nil)
				if (err == nil) != (opts != nil) {
					t.Errorf("%s with options %v: %v", name, opts, err)
				}
			}
		}
	}
	// What the caller says goes where the bytes say nothing.
	f := mustOpen(t, bytes.Repeat([]byte{0xfe, 0xdc, 0xba, 0x98}, 20), &Options{Type: monster})
	if d := f.Detection(); f.Format() != Raw || d.Confidence != Guess {
		t.Errorf("noise with a type is %s", f.Format())
	}
	for p := range f.Parts() {
		if err := p.Verify(nil); !errors.Is(err, fbverify.ErrOutOfBounds) {
			t.Errorf("noise is a Monster: %v", err)
		}
	}
}

func TestALongSizePrefixIsRecognised(t *testing.T) {
	m, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers", "survey.bin"))
	if err != nil {
		t.Fatal(err)
	}
	b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(m))), m...)
	f := mustOpen(t, b, nil)
	if f.Format() != LongSizePrefixed {
		t.Fatalf("it is %s: %s", f.Format(), f.Detection())
	}
	for p := range f.Parts() {
		if p.Options(&fbverify.Options{}).Framing != fbverify.LongSizePrefixed {
			t.Error("the part does not say that its prefix is long")
		}
	}
}

func TestFormatNamesAreReadBack(t *testing.T) {
	for _, f := range Formats() {
		if got, err := ParseFormat(f.String()); got != f || err != nil {
			t.Errorf("ParseFormat(%q) = %v, %v", f.String(), got, err)
		}
	}
	if f, err := ParseFormat("auto"); f != Unknown || err != nil {
		t.Errorf("auto is %v, %v", f, err)
	}
	if _, err := ParseFormat("parquet"); err == nil || !strings.Contains(err.Error(), "flatgeobuf") {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestOptionsOfTheCallerComeBeforeThePreset(t *testing.T) {
	for p := range mustOpen(t, twoBatches().bytes(), nil).Parts() {
		if o := p.Options(&fbverify.Options{MaxDepth: 3, SkipUTF8: true}); o.MaxDepth != 3 || !o.SkipUTF8 || o.MaxTables == 0 {
			t.Errorf("%+v", o)
		}
	}
}

func TestDetectLooksAtTheEndsOfAFileOnly(t *testing.T) {
	s := &sparse{head: []byte("ARROW1\x00\x00"), tail: []byte("ARROW1"), size: fourGB}
	d, err := Detect(s, s.size)
	if err != nil || d.Format != ArrowFile || d.Confidence != Certain || s.read.Load() > 16<<10 {
		t.Errorf("%v, %v after %d bytes", d, err, s.read.Load())
	}
}

func TestWhatOnlyResemblesAFlatBufferIsNotTakenForOne(t *testing.T) {
	sound := func() []byte { // a root table at 12 with one field of two bytes, its vtable at 4
		return []byte{12, 0, 0, 0, 6, 0, 8, 0, 4, 0, 0, 0, 8, 0, 0, 0, 7, 0, 0, 0}
	}
	if like, fields := looksLikeTable(sourceOf(sound()), 0, 20); !like || fields != 1 {
		t.Fatalf("the sound one: %v, %d fields", like, fields)
	}
	for _, c := range []struct {
		name string
		at   int
		to   byte
	}{
		{"root offset inside itself", 0, 2},
		{"odd root offset", 0, 13},
		{"root offset at the end", 0, 20},
		{"root offset past the end", 0, 24},
		{"odd vtable", 12, 7},
		{"vtable before the start", 12, 16},
		{"vtable over the table", 12, 254},
		{"vtable too small", 4, 2},
		{"vtable of odd size", 4, 7},
		{"vtable past the table", 4, 16},
		{"table too small", 6, 3},
		{"table past the end", 6, 9},
		{"field over the vtable offset", 8, 3},
		{"field past the table", 8, 8},
	} {
		b := sound()
		b[c.at] = c.to
		if like, _ := looksLikeTable(sourceOf(b), 0, 20); like {
			t.Errorf("%s looks like a table", c.name)
		}
	}
}

func sourceOf(b []byte) *source { return &source{whole: b, size: int64(len(b))} }
