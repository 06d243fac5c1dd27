package readers_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/readers"
)

var (
	mutants = flag.Int("mutants", 300, "how many damaged files of each format to read")
	seed    = flag.Uint64("seed", 1, "of the damage")
)

// damage returns a copy of a file with a few wrong bytes.
func damage(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	numbers := []uint64{0, 1, 2, 7, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 40, 1<<63 - 1, 1 << 63, ^uint64(0), uint64(len(b)), r.Uint64N(uint64(len(b)) + 1)}
	for range 1 + r.IntN(4) {
		at := r.IntN(len(b))
		if r.IntN(2) == 0 { // most of what leads somewhere stands at one of the ends
			at = min(int(r.ExpFloat64()*400), len(b)-1)
			if r.IntN(4) > 0 {
				at = len(b) - 1 - at
			}
		}
		switch r.IntN(8) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2, 3, 4:
			var v [8]byte
			binary.LittleEndian.PutUint64(v[:], numbers[r.IntN(len(numbers))])
			copy(b[at&^3:], v[:4<<r.IntN(2)])
		case 5:
			b[at] += byte(1 + r.IntN(3))
		case 6: // a word from somewhere else
			from := r.IntN(len(b)) &^ 3
			copy(b[at&^3:min(at&^3+8, len(b))], b[from:])
		case 7:
			if r.IntN(6) == 0 {
				b = b[:at+1]
			}
		}
	}
	return b
}

// typed reports whether an error is of the kinds that the readers promise.
func typed(err error) bool {
	var e *container.Error
	return errors.As(err, &e) && e.Detail != ""
}

func TestDamagedFilesAreReadWholeOrRefused(t *testing.T) {
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			files := real(t, f)
			names := slices.Sorted(maps.Keys(files))
			opened, whole, refused := 0, 0, 0
			for n := range *mutants {
				name := names[n%len(names)]
				if len(files[name]) > 64<<10 && n%8 != 0 { // the large ones take the time of many
					name = names[(n+1)%len(names)]
				}
				b := damage(rand.New(rand.NewPCG(*seed, uint64(n))), files[name])
				s, err := wholly(t, f, fmt.Sprintf("mutant %d of %s", n, name), b)
				switch {
				case err != nil:
					refused++
				case len(s.errors) == 0:
					whole++
				default:
					opened++
				}
			}
			t.Logf("%d refused, %d opened with parts refused, %d read whole", refused, opened, whole)
			if refused == 0 || whole == 0 {
				t.Error("damage is refused always or never")
			}
		})
	}
}

// wholly reads a file in memory and in pieces, which may not differ.
func wholly(t testing.TB, f format, name string, b []byte) (seen, error) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s: panic: %v", name, r)
		}
	}()
	s, err := f.read(readers.Bytes(b), int64(len(b)))
	s2, err2 := f.read(struct{ io.ReaderAt }{bytes.NewReader(b)}, int64(len(b)))
	if fmt.Sprint(err) != fmt.Sprint(err2) || s.ranges != s2.ranges || fmt.Sprint(s.errors) != fmt.Sprint(s2.errors) {
		t.Errorf("%s: in memory %v, %d ranges, %v; in pieces %v, %d ranges, %v", name, err, s.ranges, s.errors, err2, s2.ranges, s2.errors)
	}
	for _, e := range append(s.errors, err) {
		if e != nil && !typed(e) {
			t.Errorf("%s: an error of another type: %T %v", name, e, e)
		}
	}
	return s, err
}

func TestRealFilesAreReadWhole(t *testing.T) {
	for _, f := range formats {
		for name, b := range real(t, f) {
			if s, err := wholly(t, f, name, b); err != nil || len(s.errors) > 0 {
				t.Errorf("%s: %v, %v", name, err, s.errors)
			}
		}
	}
}

// Whatever a file is, each reader reads it or says why not.
func TestEveryFileIsReadAsEveryFormat(t *testing.T) {
	n := 0
	for _, dir := range []string{"testdata/*", "../shared/corpus/*", "../shared/corpus/*/*", "../shared/cases/*"} {
		names, _ := filepath.Glob(filepath.Join(oracle.RepoRoot(), filepath.FromSlash(dir), "*"))
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				continue // a directory
			}
			n++
			for _, f := range formats {
				wholly(t, f, name, b)
			}
		}
	}
	if n < 80 {
		t.Errorf("only %d files", n)
	}
}
