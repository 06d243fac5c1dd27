package container

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fbverify/go/internal/oracle"
)

// everyFile adds damaged files, and the corpus's inputs that once broke readers,
// to the real ones.
func everyFile(t testing.TB) map[string][]byte {
	files := realFiles(t)
	dirs := []string{
		filepath.Join(oracle.RepoRoot(), "testdata", "damaged"),
		filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers"),
	}
	if hasCorpus(t) {
		for _, dir := range []string{"arrow/fuzz", "google", "google/malformed", "flatgeobuf"} {
			dirs = append(dirs, filepath.Join(oracle.Corpus(t), filepath.FromSlash(dir)))
		}
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(dir)+"/"+e.Name()] = b
		}
	}
	return files
}

// checkAll checks bytes as the format they seem to be, and as that of the file
// they were made from.
func checkAll(t testing.TB, what string, b []byte, as Format) {
	checkFile(t, what, b, nil)
	if as != Unknown && formatOf(b) != as {
		checkFile(t, what+" as "+as.String(), b, &Options{Format: as})
	}
}

func formatOf(b []byte) Format {
	f, err := OpenBytes(b, nil)
	if err != nil {
		return Unknown
	}
	return f.Format()
}

func TestEveryFileReadAsEveryFormatIsDescribed(t *testing.T) {
	for name, b := range everyFile(t) {
		for _, format := range Formats() {
			checkFile(t, name+" as "+format.String(), b, &Options{Format: format})
			// Whatever the parts hold, verifying them ends with a verdict.
			for p := range mustOpen(t, b, &Options{Format: format}).Parts() {
				if err := p.Verify(nil); err != nil && err.Error() == "" {
					t.Errorf("%s as %s: %s is refused without a reason", name, format, p.Name)
				}
			}
		}
	}
}

func TestEveryPrefixOfASmallFileIsDescribed(t *testing.T) {
	for name, b := range everyFile(t) {
		most := 8 << 10
		switch {
		case testing.Short():
			most = 2 << 10
		case os.Getenv("FBVERIFY_SLOW") != "":
			most = 16 << 10
		}
		if len(b) > most {
			continue
		}
		as := formatOf(b)
		for n := range b {
			checkAll(t, name, b[:n:n], as)
		}
	}
}

// TestEveryChangedByteIsDescribed changes each fifth byte, and all with FBVERIFY_SLOW=1.
func TestEveryChangedByteIsDescribed(t *testing.T) {
	step := 5
	switch {
	case testing.Short():
		step = 23
	case os.Getenv("FBVERIFY_SLOW") != "":
		step = 1
	}
	for name, b := range everyFile(t) {
		if len(b) > 4<<10 {
			continue
		}
		as := formatOf(b)
		b = append([]byte(nil), b...)
		for i := 0; i < len(b); i += step {
			was := b[i]
			for _, c := range []byte{0, 0xff, was + 1, was ^ 0x80, was ^ 1} {
				if c == was {
					continue
				}
				b[i] = c
				checkAll(t, name, b, as)
			}
			b[i] = was
		}
	}
}

// Files full of one word are lists of lists of themselves: only work in
// proportion to their sizes is done in time: some hundredths of a second, of which the
// limit leaves the race detector and a busy machine enough, and nothing to what is quadratic.
func TestFilesThatMultiplyWorkAreReadInTime(t *testing.T) {
	word := func(v uint32) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)} }
	for _, v := range []uint32{0, 1, 4, 8, 0x40000, 0x80000, 0xffffffff, 0x01010101, 0x00080008} {
		filler := make([]byte, 0, 1<<20)
		for len(filler) < 1<<20 {
			filler = append(filler, word(v)...)
		}
		for _, format := range Formats() {
			b := append([]byte(nil), filler...)
			n := len(b)
			switch format {
			case Vortex:
				copy(b, "VTXF")
				copy(b[n-8:], "\x01\x00\xf0\xffVTXF")
			case ArrowFile:
				copy(b, "ARROW1\x00\x00")
				copy(b[n-10:], "\x00\x00\x08\x00ARROW1")
			case Feather:
				copy(b, "FEA1")
				copy(b[n-8:], "\x00\x00\x08\x00FEA1")
			case FlatGeobuf:
				copy(b, "fgb\x03fgb\x00")
			}
			start := time.Now()
			checkFile(t, format.String(), b, &Options{Format: format})
			if took := time.Since(start); took > time.Minute {
				t.Errorf("%s full of %#x took %v", format, v, took)
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	// Beside the small files in testdata: what other tests read, as every format.
	for _, b := range everyFile(f) {
		if len(b) < 8<<10 {
			for format := range numFormats {
				f.Add(b, uint8(format))
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, format uint8) {
		checkFile(t, "input", b, &Options{Format: Format(format)})
	})
}
