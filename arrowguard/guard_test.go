package arrowguard_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/fbverify/go/arrowguard"
	"github.com/fbverify/go/fbverify"
)

var (
	mutants = flag.Int("mutants", 3000, "how many damaged inputs of each kind to try")
	seed    = flag.Uint64("seed", 1, "of the damage")
	alone   = flag.Bool("alone", false, "count the panics of arrow-go alone, too, in processes of their own")
)

// An input is a stream or a file, and what opens it.
type input struct {
	name string
	file bool
	data []byte
}

// inputs are what real writers wrote, here and beside the repository, and one of each type.
func inputs(t testing.TB) (list []input) {
	patterns := []string{"../testdata/arrow/*", "../../shared/corpus/arrow/valid/*"}
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				continue // a folder
			}
			if file := bytes.HasPrefix(data, []byte("ARROW1")); file || !strings.Contains(name, ".") || strings.Contains(name, "stream") || strings.HasSuffix(name, ".arrows") {
				list = append(list, input{filepath.Base(name), file, data})
			}
		}
	}
	for _, codec := range []string{"", "lz4", "zstd"} {
		list = append(list, written(t, codec, true), written(t, codec, false))
	}
	if len(list) < 10 {
		t.Fatalf("only %d inputs", len(list))
	}
	return list
}

// written has a column of each type that arrow-go's JSON reader can fill, and dictionaries.
func written(t testing.TB, codec string, file bool) input {
	child := arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true}
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "f", Type: arrow.PrimitiveTypes.Float64},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "ls", Type: arrow.BinaryTypes.LargeString, Nullable: true},
		{Name: "v", Type: arrow.BinaryTypes.StringView, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int16), Nullable: true},
		{Name: "ll", Type: arrow.LargeListOf(arrow.BinaryTypes.String), Nullable: true},
		{Name: "fl", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), Nullable: true},
		{Name: "st", Type: arrow.StructOf(child, arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}), Nullable: true},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), Nullable: true},
		{Name: "ts", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
		{Name: "d", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "fb", Type: &arrow.FixedSizeBinaryType{ByteWidth: 3}, Nullable: true},
		{Name: "dc", Type: &arrow.Decimal128Type{Precision: 10, Scale: 2}, Nullable: true},
		{Name: "di", Type: dict, Nullable: true},
		{Name: "n", Type: arrow.Null, Nullable: true},
	}, nil)
	rows := `[{"i":1,"b":true,"f":1.5,"s":"one","ls":"eins","v":"a view that is longer than twelve bytes","l":[1,2],"ll":["a","b"],"fl":[1,2],
		"st":{"x":1,"y":"z"},"m":[{"key":"k","value":1}],"ts":"2020-01-02T03:04:05Z","d":"2020-01-02","fb":"YWJj","dc":"1.25","di":"red","n":null},
		{"i":null,"b":null,"f":0,"s":null,"ls":null,"v":null,"l":null,"ll":null,"fl":null,"st":null,"m":null,"ts":null,"d":null,"fb":null,"dc":null,"di":"blue","n":null}]`
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	opts := []ipc.Option{ipc.WithSchema(schema)}
	switch codec {
	case "lz4":
		opts = append(opts, ipc.WithLZ4())
	case "zstd":
		opts = append(opts, ipc.WithZstd())
	}
	var b bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	if w = ipc.NewWriter(&b, opts...); file {
		b.Reset()
		if w, err = ipc.NewFileWriter(&b, opts...); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return input{"written " + codec, file, b.Bytes()}
}

// A way is a way of opening an input and building all of its batches.
type way struct {
	name string
	file bool
	read func(data []byte) (batches []arrow.RecordBatch, err error)
}

func files(open func(data []byte) (*ipc.FileReader, error)) func([]byte) ([]arrow.RecordBatch, error) {
	return func(data []byte) (batches []arrow.RecordBatch, err error) {
		f, err := open(data)
		if err != nil {
			return nil, err
		}
		for i := range min(f.NumRecords(), 100) {
			r, err := f.RecordBatchAt(i)
			if err != nil {
				return batches, err
			}
			batches = append(batches, r)
		}
		return batches, nil
	}
}

func streams(open func(r io.Reader) (*ipc.Reader, error)) func([]byte) ([]arrow.RecordBatch, error) {
	return func(data []byte) (batches []arrow.RecordBatch, err error) {
		r, err := open(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		for len(batches) < 100 && r.Next() {
			r.RecordBatch().Retain()
			batches = append(batches, r.RecordBatch())
		}
		return batches, r.Err()
	}
}

var guarded = []way{
	{"stream", false, streams(func(r io.Reader) (*ipc.Reader, error) { return arrowguard.NewReader(r) })},
	{"file", true, files(func(b []byte) (*ipc.FileReader, error) { return arrowguard.NewFileReader(bytes.NewReader(b)) })},
	{"mapped", true, files(func(b []byte) (*ipc.FileReader, error) { return arrowguard.NewMappedFileReader(b) })},
}

var unguarded = []way{
	{"stream", false, streams(func(r io.Reader) (*ipc.Reader, error) { return ipc.NewReader(r) })},
	{"file", true, files(func(b []byte) (*ipc.FileReader, error) { return ipc.NewFileReader(bytes.NewReader(b)) })},
	{"mapped", true, files(func(b []byte) (*ipc.FileReader, error) { return ipc.NewMappedFileReader(b) })},
}

// try reads, and reports a panic as one.
func try(w way, data []byte) (batches []arrow.RecordBatch, panicked any, err error) {
	defer func() { panicked = recover() }()
	batches, err = w.read(data)
	return batches, nil, err
}

func TestWhatArrowReadsIsReadAlike(t *testing.T) {
	for _, in := range inputs(t) {
		for i, w := range guarded {
			if w.file != in.file {
				continue
			}
			want, wantPanic, wantErr := try(unguarded[i], in.data)
			if wantPanic != nil { // a mapped file with dictionaries
				want, _, wantErr = try(unguarded[i-1], in.data)
			}
			got, panicked, err := try(w, in.data)
			if panicked != nil || (err != nil) != (wantErr != nil) || len(got) != len(want) {
				t.Errorf("%s as %s: %d batches, %v, panic %v; arrow-go alone has %d, %v", in.name, w.name, len(got), err, panicked, len(want), wantErr)
				continue
			}
			for i := range got {
				if !array.RecordEqual(got[i], want[i]) {
					t.Errorf("%s as %s: batch %d differs", in.name, w.name, i)
				}
			}
		}
	}
}

// damage changes a few bytes: what numbers are made of, and where they are cut off.
func damage(r *rand.Rand, data []byte) []byte {
	b := bytes.Clone(data)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(b))
		switch r.IntN(6) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2, 3: // a number of four or eight bytes, small, negative or large
			at &^= 3
			v := []uint64{0, 1, 2, 7, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 1 << 40, 1<<63 - 1, 1 << 63, ^uint64(0), r.Uint64N(uint64(len(b)) + 1)}[r.IntN(15)]
			for i := range min(4<<r.IntN(2), len(b)-at) {
				b[at+i] = byte(v >> (8 * i))
			}
		case 4:
			b[at] += byte(1 + r.IntN(3))
		case 5:
			if r.IntN(8) == 0 {
				b = b[:at+1]
			}
		}
	}
	return b
}

// damaged are the damaged inputs of a way: those of the corpus beside the repository, where it
// is, then as many mutants as are asked for.
func damaged(t testing.TB, w way) (n int, at func(n int) (name string, data []byte)) {
	fuzz, err := filepath.Glob("../../shared/corpus/arrow/fuzz/*")
	if err != nil {
		t.Fatal(err)
	}
	var fit []input
	for _, in := range inputs(t) {
		if in.file == w.file {
			fit = append(fit, in)
		}
	}
	return len(fuzz) + *mutants, func(n int) (string, []byte) {
		if n < len(fuzz) {
			data, err := os.ReadFile(fuzz[n])
			if err != nil {
				t.Fatal(err)
			}
			return filepath.Base(fuzz[n]), data
		}
		in := fit[n%len(fit)]
		return fmt.Sprintf("mutant %d of %s", n, in.name), damage(rand.New(rand.NewPCG(*seed, uint64(n))), in.data)
	}
}

func TestNothingPanics(t *testing.T) {
	for i, w := range guarded {
		counts, recovered := map[string]int{}, map[string]int{}
		total, at := damaged(t, w)
		for n := range total {
			name, data := at(n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, panicked, err := try(w, data)
			runtime.ReadMemStats(&after)
			// A body may be taken on trust up to 64 MiB, and a byte of Zstandard be 32 KiB.
			if used := after.TotalAlloc - before.TotalAlloc; used > 200<<20 {
				t.Errorf("%s as %s: %d bytes allocated for %d", name, w.name, used, len(data))
			}
			var guard *arrowguard.Error
			switch {
			case panicked != nil:
				counts["panics"]++
				t.Errorf("%s as %s: panic: %v", name, w.name, panicked)
			case errors.As(err, &guard):
				counts["refused by the guard"]++
			case err != nil && (strings.Contains(err.Error(), "unknown error") || strings.Contains(err.Error(), "error reading record batch")):
				counts["panics that arrow-go recovers from"]++
				recovered[fmt.Sprintf("%.90v", err)]++
			case err != nil:
				counts["refused by arrow-go"]++
			default:
				counts["read"]++
			}
		}
		t.Logf("%s: %v", w.name, counts)
		for err, n := range recovered {
			t.Logf("%6d %s", n, err)
		}
		if counts["refused by the guard"] == 0 || counts["read"] == 0 {
			t.Errorf("%s: %v: the damage was none, or all was refused", w.name, counts)
		}
		if *alone {
			panics, deaths := countAlone(t, i)
			t.Logf("%s, arrow-go alone: %d panics, %d ends of the process", w.name, panics, deaths)
		}
	}
}

// aloneVariable tells a test binary to read damaged inputs with arrow-go alone, from a number
// on, and to print a line for each.
const aloneVariable = "ARROWGUARD_ALONE"

func TestMain(m *testing.M) {
	flag.Parse()
	if from := os.Getenv(aloneVariable); from != "" {
		var i, n int
		if _, err := fmt.Sscan(from, &i, &n); err != nil {
			panic(err)
		}
		total, at := damaged(&testing.T{}, unguarded[i])
		for ; n < total; n++ {
			_, data := at(n)
			_, panicked, _ := try(unguarded[i], data)
			fmt.Println(n, panicked != nil)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// countAlone reads the damaged inputs with arrow-go alone. A number in them can make it ask for
// so much memory that the process ends: another goes on behind that input.
func countAlone(t *testing.T, way int) (panics, deaths int) {
	for next := 0; ; {
		cmd := exec.Command(os.Args[0], fmt.Sprintf("-mutants=%d", *mutants), fmt.Sprintf("-seed=%d", *seed))
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", aloneVariable, way, next))
		out, err := cmd.Output()
		for _, line := range strings.Split(string(out), "\n") {
			var n int
			var panicked bool
			if _, err := fmt.Sscan(line, &n, &panicked); err == nil {
				next = n + 1
				if panicked {
					panics++
				}
			}
		}
		if err == nil {
			return panics, deaths
		}
		deaths++
		next++
	}
}

func TestErrorsSayWhatAndWhere(t *testing.T) {
	in := written(t, "", true)
	for at := range in.data {
		b := bytes.Clone(in.data)
		b[at] ^= 0x80
		_, _, err := try(guarded[1], b)
		var e *arrowguard.Error
		if err == nil || !errors.As(err, &e) {
			continue
		}
		if e.Part == "" || e.Error() == "" || !errors.Is(err, arrowguard.ErrInvalid) || e.Offset < 0 || e.Offset > int64(len(b)) && e.Fault != nil {
			t.Fatalf("byte %d: %+v", at, e)
		}
		if e.Fault != nil && !errors.Is(err, e.Fault.Kind) {
			t.Fatalf("byte %d: %v is not of its fault's kind", at, err)
		}
	}
	if !errors.Is(error(&arrowguard.Error{Fault: &fbverify.Error{Kind: fbverify.ErrOutOfBounds}}), fbverify.ErrOutOfBounds) {
		t.Error("the fault's kind cannot be asked for")
	}
}
