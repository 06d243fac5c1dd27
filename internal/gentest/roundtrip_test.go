package gentest

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/gentest/agree"
	"github.com/fbverify/go/internal/gentest/archive"
	"github.com/fbverify/go/internal/gentest/features"
	"github.com/fbverify/go/internal/gentest/survey"
	"github.com/fbverify/go/internal/oracle"
)

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// root verifies a buffer, strictly too, and compares all ways to read it.
func root[T fbverify.View[T]](t testing.TB, buf []byte) fbverify.Verified[T] {
	t.Helper()
	v, err := fbverify.RootWithOptions[T](buf, &fbverify.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	agree.Root(t, v)
	return v
}

// lenient is root for buffers with enum values that the schema does not name.
func lenient[T fbverify.View[T]](t testing.TB, buf []byte) fbverify.Verified[T] {
	t.Helper()
	v, err := fbverify.Root[T](buf)
	if err != nil {
		t.Fatal(err)
	}
	agree.Root(t, v)
	return v
}

// schemaFiles are the files of a schema, as the oracle wants them.
func schemaFiles(t testing.TB, paths ...string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, path := range paths {
		files[filepath.Base(path)] = readFile(t, path)
	}
	return files
}

// toJSON is what flatc makes of a buffer.
func toJSON(t testing.TB, f *oracle.Flatc, files map[string][]byte, schema string, buf []byte) string {
	t.Helper()
	text, err := f.ToJSON(files, schema, buf, "--defaults-json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestBuffersOfFlatcArePackedAgainAsTheyWere(t *testing.T) {
	const dir = "../../testdata/flatbuffers/"
	f := oracle.NewFlatc(t)
	surveys := schemaFiles(t, dir+"survey.fbs", dir+"rock.fbs")
	for _, name := range []string{"survey.bin", "survey.defaults.bin", "minimal.bin"} {
		t.Run(name, func(t *testing.T) {
			buf := readFile(t, dir+name)
			v := lenient[survey.Survey](t, buf)
			b := flatbuffers.NewBuilder(0)
			survey.FinishSurveyBuffer(b, v.Root().Unpack().Pack(b))
			lenient[survey.Survey](t, b.FinishedBytes())
			want := toJSON(t, f, surveys, "survey.fbs", buf)
			if got := toJSON(t, f, surveys, "survey.fbs", b.FinishedBytes()); got != want {
				t.Errorf("packed:\n%s\nas flatc wrote it:\n%s", got, want)
			}
		})
	}
	t.Run("archive.bin", func(t *testing.T) {
		buf := readFile(t, dir+"archive.bin")
		v := root[archive.Archive](t, buf)
		b := flatbuffers.NewBuilder(0)
		archive.FinishArchiveBuffer(b, v.Root().Unpack().Pack(b))
		root[archive.Archive](t, b.FinishedBytes())
		// flatc has no JSON for 64-bit offsets.
		again := root[archive.Archive](t, b.FinishedBytes()).Root().Unpack()
		if want := v.Root().Unpack(); !reflect.DeepEqual(again, want) {
			t.Errorf("packed: %+v; as flatc wrote it: %+v", again, want)
		}
	})
}

func TestThreeWaysToWriteTheSameMessageAgree(t *testing.T) {
	f := oracle.NewFlatc(t)
	files := schemaFiles(t, "features.fbs")
	packed := flatbuffers.NewBuilder(0)
	features.FinishEverythingBuffer(packed, everything().Pack(packed))
	built := flatbuffers.NewBuilder(0)
	features.FinishEverythingBuffer(built, buildEverything(built))
	want := toJSON(t, f, files, "features.fbs", packed.FinishedBytes())
	if got := toJSON(t, f, files, "features.fbs", built.FinishedBytes()); got != want {
		t.Errorf("built:\n%s\npacked:\n%s", got, want)
	}
	// flatc's JSON parser does not order by keys that are arrays or structs, so that
	// for its turn there is one of each.
	alone := everything()
	alone.Keyed.Arrays, alone.Keyed.Structs = alone.Keyed.Arrays[:1], alone.Keyed.Structs[:1]
	alone.Keyed.Wholes = alone.Keyed.Wholes[:1]
	packedAlone := flatbuffers.NewBuilder(0)
	features.FinishEverythingBuffer(packedAlone, alone.Pack(packedAlone))
	want = toJSON(t, f, files, "features.fbs", packedAlone.FinishedBytes())
	byFlatc, err := f.ToBinary(files, "features.fbs", []byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if got := toJSON(t, f, files, "features.fbs", byFlatc); got != want {
		t.Errorf("by flatc:\n%s\npacked:\n%s", got, want)
	}
	for name, buf := range map[string][]byte{"packed": packed.FinishedBytes(), "built": built.FinishedBytes(), "by flatc": byFlatc} {
		v, err := fbverify.RootWithOptions[features.Everything](buf, &fbverify.Options{Strict: true, Identifier: features.EverythingIdentifier})
		if err != nil {
			t.Fatal(err)
		}
		n := agree.Root(t, v)
		if n.Nested == 0 || n.Fields < 100 || name == "packed" && n.Fixed == 0 {
			t.Errorf("%s: compared only %+v", name, n)
		}
	}
}

func TestPackIsDeterministicAndStableAcrossUnpack(t *testing.T) {
	pack := func(t1 *features.EverythingT) []byte {
		b := flatbuffers.NewBuilder(0)
		features.FinishEverythingBuffer(b, t1.Pack(b))
		return bytes.Clone(b.FinishedBytes())
	}
	first := pack(everything())
	if second := pack(everything()); !bytes.Equal(first, second) {
		t.Error("the same struct gave other bytes")
	}
	v := root[features.Everything](t, first)
	if again := pack(v.Root().Unpack()); !bytes.Equal(first, again) {
		t.Errorf("unpacked and packed again, it is %d bytes, and was %d", len(again), len(first))
	}
}

func TestPackedTablesWithAllFieldsSetAreFixed(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	d := &features.DefaultsT{
		Name: "n", Empty: "e", Ints: []int32{1}, Words: []string{"w"}, Tables: []*features.ByStringT{{Name: "x", Value: 7}},
		Nan: 1, Inf: 2, Most: 3, Least: 4, Wide: features.WideZero, Deep: features.DeepTop, Third: 6, Tiny: 7,
	}
	features.FinishDefaultsBuffer(b, d.Pack(b))
	v := root[features.Defaults](t, b.FinishedBytes())
	fixed, ok := v.Root().Fixed()
	if !ok {
		t.Fatal("not fixed")
	}
	if fixed.Tiny() != 7 || fixed.Name() != "n" || fixed.Third() != 6 {
		t.Errorf("got %v, %q, %v", fixed.Tiny(), fixed.Name(), fixed.Third())
	}
	n := 0
	for x, f := range features.AllByStringFixed(v.Root().Tables()) {
		if !f.Present() || f.Value() != 7 || x.Value() != 7 {
			t.Errorf("element %d: %v", n, f)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d elements", n)
	}
	// One field at its default is one field less in the vtable.
	b.Reset()
	d.Third = 0.333333333
	features.FinishDefaultsBuffer(b, d.Pack(b))
	if _, ok := root[features.Defaults](t, b.FinishedBytes()).Root().Fixed(); ok {
		t.Error("fixed with a field absent")
	}
}

func TestAnEmptyOwnedStructPacksIntoAValidBuffer(t *testing.T) {
	for name, pack := range map[string]func(*flatbuffers.Builder) flatbuffers.UOffsetT{
		"required": func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			return (&features.EverythingT{Required: new(features.RequiredT)}).Pack(b)
		},
		"nil elements": func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			return (&features.EverythingT{
				Keyed: &features.KeyedT{Strings: []*features.ByStringT{nil, {Name: "a"}, nil}, Wholes: make([]*features.ByWholeT, 2)},
				Bigs:  []*features.BigT{nil, {Type: features.BigText, Value: ""}, {Type: 99}, {Type: features.BigByString, Value: (*features.ByStringT)(nil)}},
				Big:   &features.BigT{Type: 123},
				More:  []*features.EverythingT{nil},
			}).Pack(b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := flatbuffers.NewBuilder(0)
			features.FinishEverythingBuffer(b, pack(b))
			root[features.Everything](t, b.FinishedBytes())
		})
	}
}

func TestNilAndEmptyAreKeptApart(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	in := &features.EverythingT{Bigs: []*features.BigT{}, Nesteds: []features.Nested{}, Keyed: &features.KeyedT{Numbers: []features.ByNumber{}}}
	features.FinishEverythingBuffer(b, in.Pack(b))
	out := root[features.Everything](t, b.FinishedBytes()).Root().Unpack()
	if out.Bigs == nil || out.Nesteds == nil || out.Keyed.Numbers == nil {
		t.Errorf("empty became nil: %+v", out)
	}
	if out.More != nil || out.Keyed.Strings != nil || out.Inner != nil {
		t.Errorf("nil became empty: %+v", out)
	}
}

// TestUnpackKeepsAbsentAndEmptyApart looks at strings and vectors that are there and
// read as if they were not.
func TestUnpackKeepsAbsentAndEmptyApart(t *testing.T) {
	absent, empty := &features.DefaultsT{Name: `a "quoted" name`}, &features.DefaultsT{
		Name: `a "quoted" name`, HasName: true, HasEmpty: true, Ints: []int32{}, Words: []string{}, Tables: []*features.ByStringT{},
	}
	for _, in := range []*features.DefaultsT{absent, empty} {
		b := flatbuffers.NewBuilder(0)
		b.Finish(in.Pack(b))
		v, err := fbverify.Root[features.Defaults](b.FinishedBytes())
		if err != nil {
			t.Fatal(err)
		}
		there := in == empty
		d := v.Root()
		if d.HasName() != there || d.HasEmpty() != there || d.HasTables() != there {
			t.Errorf("in the buffer: got %v, %v, %v, want %v", d.HasName(), d.HasEmpty(), d.HasTables(), there)
		}
		out := d.Unpack()
		if out.Name != in.Name || out.HasName != there || out.HasEmpty != there {
			t.Errorf("unpacked: got %q, %v, %v, want %v", out.Name, out.HasName, out.HasEmpty, there)
		}
		b.Reset()
		b.Finish(out.Pack(b))
		again, err := fbverify.Root[features.Defaults](b.FinishedBytes())
		if err != nil {
			t.Fatal(err)
		}
		if d := again.Root(); d.HasName() != there || d.HasEmpty() != there {
			t.Errorf("packed again: got %v, %v, want %v", d.HasName(), d.HasEmpty(), there)
		}
	}
	// A string that is more than its default says enough by itself.
	b := flatbuffers.NewBuilder(0)
	b.Finish((&features.ByStringT{Name: "x"}).Pack(b))
	v, err := fbverify.Root[features.ByString](b.FinishedBytes())
	if err != nil || *v.Root().Unpack() != (features.ByStringT{Name: "x"}) {
		t.Errorf("got %+v, %v", v.Root().Unpack(), err)
	}
}
