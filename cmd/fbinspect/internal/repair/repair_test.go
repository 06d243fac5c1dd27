package repair

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/arrow"
	"github.com/fbverify/go/readers/flatgeobuf"
)

var (
	step    = flag.Int("repair.step", 1009, "bytes between truncations; 64 for the long test")
	damages = flag.Int("repair.damages", 10, "random damages of each file; 100 for the long test")
	written = flag.String("repair.out", "", "folder to write what was mended into, for testdata/make/describe.py to open with the formats' own libraries")
)

// realFiles are files of real writers, of each format that can be mended.
var realFiles = []string{
	"arrow/plain.arrow", "arrow/nested.arrow", "arrow/dictionary.arrow", "arrow/zstd.arrow", "arrow/legacy.arrow",
	"arrow/plain.arrows", "arrow/dictionary-delta.arrows", "arrow/legacy.arrows",
	"flatgeobuf/gdal-points-indexed.fgb", "flatgeobuf/gdal-polygons-indexed.fgb", "flatgeobuf/gdal-points.fgb", "flatgeobuf/js-points.fgb",
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mend mends a file, and checks all that is promised of the result. It returns it, nil where
// nothing was to be saved or is wrong.
func mend(t *testing.T, name string, b []byte) []byte {
	t.Helper()
	before := bytes.Clone(b)
	r, err := Of(context.Background(), input.FromBytes(name, b), container.Unknown)
	if !bytes.Equal(b, before) {
		t.Fatalf("%s: the input was written to", name)
	}
	if err != nil {
		if r != nil {
			t.Errorf("%s: a result with an error", name)
		}
		return nil
	}
	var out bytes.Buffer
	if n, err := r.WriteTo(&out); err != nil || n != r.Size || n != int64(out.Len()) {
		t.Fatalf("%s: %d bytes, want %d: %v", name, n, r.Size, err)
	}
	f, err := container.OpenBytes(out.Bytes(), nil)
	if err != nil || f.Format() != r.Format {
		t.Fatalf("%s: what was mended is %v, want %v: %v", name, f.Format(), r.Format, err)
	}
	for p, err := range f.Parts() {
		if err == nil {
			err = p.Verify(nil)
		}
		if err != nil {
			t.Errorf("%s: what was mended is not sound: %v", name, err)
		}
	}
	if again, err := Of(context.Background(), input.FromBytes(name, out.Bytes()), container.Unknown); !errors.Is(err, ErrSound) {
		t.Errorf("%s: what was mended is mended again: %+v, %v", name, again, err)
	}
	if *written != "" {
		path := filepath.Join(*written, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, out.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// whole lists what a file holds: the places of batches and features.
func whole(t *testing.T, b []byte) (all []readers.Range) {
	t.Helper()
	f, err := container.OpenBytes(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	switch f.Format() {
	case container.FlatGeobuf:
		f, err := flatgeobuf.OpenBytes(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for ft, err := range f.All(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, ft.Range)
		}
	case container.ArrowFile:
		f, err := arrow.OpenBytes(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for batch, err := range f.Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, readers.Range{Offset: batch.Message.Offset, Length: batch.Body.End() - batch.Message.Offset})
		}
	default:
		s, err := arrow.OpenStream(context.Background(), bytes.NewReader(b), nil)
		if err != nil {
			t.Fatal(err)
		}
		for {
			batch, err := s.Next(context.Background())
			if err != nil {
				return all
			}
			if !batch.Dictionary {
				all = append(all, readers.Range{Offset: batch.Message.Offset, Length: batch.Body.End() - batch.Message.Offset})
			}
		}
	}
	return all
}

// TestWhatIsBeforeACutIsKept cuts real files in many places: what was mended has each batch
// and feature that was whole.
func TestWhatIsBeforeACutIsKept(t *testing.T) {
	mended := 0
	for _, name := range realFiles {
		b := read(t, name)
		all := whole(t, b)
		for cut := 1; cut < len(b); cut += *step {
			id := fmt.Sprintf("cut-%d/%s", cut, name)
			want := 0
			for _, one := range all {
				if one.End() <= int64(cut) {
					want++
				}
			}
			out := mend(t, id, b[:cut:cut])
			if out == nil {
				if f, err := container.OpenBytes(b[:cut], nil); want > 0 && (err != nil || sound(context.Background(), f) != nil) {
					t.Errorf("%s: nothing is kept of %d", id, want)
				}
				continue
			}
			mended++
			for i, one := range all[:want] {
				if !bytes.Contains(out, b[one.Offset:one.End()]) {
					t.Errorf("%s: number %d of %d is lost", id, i, want)
				}
			}
			if got := len(whole(t, out)); got != want {
				t.Errorf("%s: %d are kept, want %d", id, got, want)
			}
		}
	}
	if mended < 20 {
		t.Errorf("%d files were mended", mended)
	}
}

// TestWhatIsDamagedIsLostAlone overwrites bytes at random: each batch and feature whose bytes
// were not touched is kept, unless the schema or the header was.
func TestWhatIsDamagedIsLostAlone(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 1))
	mended := 0
	for _, name := range realFiles {
		b := read(t, name)
		all := whole(t, b)
		for i := range *damages {
			d := bytes.Clone(b)
			at := random.IntN(len(d))
			for k := range 1 + random.IntN(16) {
				if at+k < len(d) {
					d[at+k] = byte(random.IntN(256))
				}
			}
			id := fmt.Sprintf("damage-%d/%s", i, name)
			out := mend(t, id, d)
			if out == nil {
				continue
			}
			mended++
			if strings.Contains(name, "dictionary") {
				continue // batches are lost with the dictionary that they need, which libraries insist on
			}
			for n, one := range all {
				of := b[one.Offset:one.End()]
				if bytes.Equal(d[one.Offset:one.End()], of) && !bytes.Contains(out, of) {
					t.Errorf("%s: %d bytes from %d on are other, and number %d is lost, which is not", id, 16, at, n)
				}
			}
		}
	}
	if mended < 10 {
		t.Errorf("%d files were mended", mended)
	}
}

func TestNothingIsWrittenWhereNothingCanBeSaved(t *testing.T) {
	for _, name := range []string{"damaged/header-too-long.fgb", "damaged/truncated.vortex", "damaged/truncated.tflite", "arrow/plain.arrow", "flatgeobuf/js-points.fgb"} {
		if mend(t, name, read(t, name)) != nil {
			t.Errorf("%s is mended", name)
		}
	}
	garbage := append([]byte("ARROW1\x00\x00"), bytes.Repeat([]byte{0xff}, 4000)...)
	if mend(t, "garbage", garbage) != nil {
		t.Error("a file of marks is mended")
	}
}
