package generated

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/generated/flatgeobuf"
	"github.com/fbverify/go/generated/reflection"
	"github.com/fbverify/go/generated/tflite"
	"github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/internal/gentest/agree"
	"github.com/fbverify/go/internal/oracle"
)

// readers compare all ways to read a part, by its root type.
var readers = map[string]func(testing.TB, []byte, container.Part) agree.Counts{
	"org.apache.arrow.flatbuf.Message":      compare[arrow.Message],
	"org.apache.arrow.flatbuf.Footer":       compare[arrow.Footer],
	"org.apache.arrow.flatbuf.Tensor":       compare[arrow.Tensor],
	"org.apache.arrow.flatbuf.SparseTensor": compare[arrow.SparseTensor],
	"FlatGeobuf.Header":                     compare[flatgeobuf.Header],
	"FlatGeobuf.Feature":                    compare[flatgeobuf.Feature],
	"reflection.Schema":                     compare[reflection.Schema],
	"tflite.Model":                          compare[tflite.Model],
	"Postscript":                            compare[vortex.Postscript],
	"Footer":                                compare[vortex.Footer],
	"Layout":                                compare[vortex.Layout],
	"DType":                                 compare[vortex.DType],
	"FileStatistics":                        compare[vortex.FileStatistics],
	"Array":                                 compare[vortex.Array],
}

func compare[T fbverify.View[T]](t testing.TB, buf []byte, part container.Part) agree.Counts {
	t.Helper()
	opts := part.Options(nil)
	v, err := open[T](buf, part, opts)
	if errors.Is(err, fbverify.ErrMisaligned) || errors.Is(err, fbverify.ErrInvalidUTF8) {
		// As flatc and the C++ builder leave them; reads are to be right all the same.
		loose := *opts
		loose.SkipAlignment, loose.SkipUTF8 = true, true
		opts = &loose
		v, err = open[T](buf, part, opts)
	}
	if err != nil {
		t.Fatalf("%s: %v", part.Name, err)
	}
	counts := agree.Root(t, v)
	agree.Root(t, agree.Repack(t, v, opts))
	return counts
}

// open verifies a part. What comes back starts at the buffer, after its prefix.
func open[T fbverify.View[T]](buf []byte, part container.Part, opts *fbverify.Options) (v fbverify.Verified[T], err error) {
	if _, err = fbverify.RootWithOptions[T](buf, opts); err == nil {
		v = fbverify.RootUnchecked[T](buf[part.Framing.Prefix():], fbverify.Unframed)
	}
	return v, err
}

func TestEveryWayToReadRealFilesAgrees(t *testing.T) {
	met := map[string]bool{}
	var total agree.Counts
	file := func(t *testing.T, path string) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := container.OpenBytes(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		parts := 0
		for part, err := range f.Parts() {
			if err != nil {
				t.Logf("%s: %v", path, err)
				continue
			}
			read := readers[part.Root]
			if read == nil {
				if part.Root != "" && part.Root != "org.apache.arrow.flatbuf.CTable" && !strings.HasPrefix(part.Root, "arrow.ipc.feather") {
					t.Errorf("%s: nothing here reads a %s", part.Name, part.Root)
				}
				continue
			}
			if parts++; parts > 200 && testing.Short() {
				break
			}
			data, err := part.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			met[part.Root] = true
			n := read(t, data, part)
			total.Tables += n.Tables
			total.Fields += n.Fields
			total.Fixed += n.Fixed
			if t.Failed() {
				t.Fatalf("%s", part.Name)
			}
		}
	}
	folder := func(root string, folders ...string) {
		for _, name := range folders {
			err := filepath.WalkDir(filepath.Join(root, name), func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "fuzz") {
					return err
				}
				t.Run(name+"/"+d.Name(), func(t *testing.T) { file(t, path) })
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	folder("../testdata", "vortex", "arrow", "tflite", "flatgeobuf")
	t.Run("schemas", func(t *testing.T) {
		for _, pkg := range []string{"vortex", "arrow", "tflite", "flatgeobuf", "reflection", "bench"} {
			file(t, filepath.Join(pkg, "fb_schema.bfbs"))
		}
	})
	for _, root := range []string{
		"org.apache.arrow.flatbuf.Message", "org.apache.arrow.flatbuf.Footer", "FlatGeobuf.Header", "FlatGeobuf.Feature",
		"reflection.Schema", "tflite.Model", "Postscript", "Footer", "Layout", "DType", "Array",
	} {
		if !met[root] {
			t.Errorf("no file had a %s", root)
		}
	}
	t.Logf("compared %+v", total)
	if total.Fixed == 0 {
		t.Error("no table had a fixed layout")
	}
	t.Run("corpus", func(t *testing.T) {
		folder(oracle.Corpus(t), "arrow/valid", "tflite", "flatgeobuf")
	})
}
