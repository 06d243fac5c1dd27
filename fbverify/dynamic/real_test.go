package dynamic

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/fbverify/go/schema/bfbs"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/fbs"
)

// part is a FlatBuffer of a real file, in whatever container.
type part struct {
	name string
	typ  *fbverify.Type
	buf  []byte
	opts *fbverify.Options
}

// realParts calls do for each sound FlatBuffer of the files below the folders.
func realParts(t *testing.T, do func(*part), folders ...string) {
	t.Helper()
	// flatc shows deprecated fields, and so must what is compared with it.
	full := map[*fbverify.Type]*fbverify.Type{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			f, err := container.OpenBytes(raw, nil)
			if err != nil {
				return nil // no container: other tests read those
			}
			for p, err := range f.Parts() {
				if err != nil || p.Type() == nil {
					continue
				}
				typ := full[p.Type()]
				if typ == nil {
					if typ, err = IncludeDeprecated(p.Type()); err != nil {
						return err
					}
					full[p.Type()] = typ
				}
				buf, err := p.Bytes()
				if err != nil {
					return err
				}
				opts := p.Options(&fbverify.Options{SkipUTF8: true})
				if typ.Verify(buf, opts) == nil {
					do(&part{filepath.Base(path) + " " + p.Name, typ, buf, opts})
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (p *part) root(t *testing.T) Message {
	t.Helper()
	m, err := Root(p.typ, p.buf, p.opts)
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	return m
}

// unsorted reports whether a keyed vector is not sorted: flatc sorts the values of
// an unsigned enum by number, and their key is signed.
func (p *part) unsorted() bool {
	for _, e := range p.typ.Explain(p.buf, &fbverify.Options{Strict: true}) {
		if e.Kind == fbverify.ErrUnsorted {
			return true
		}
	}
	return false
}

func TestRealFilesSurviveTheWayToJSONAndBack(t *testing.T) {
	n := 0
	json := &JSONOptions{NonUTF8: NonUTF8Escape}
	realParts(t, func(p *part) {
		n++
		first, err := AppendJSON(nil, p.root(t), json)
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		again := *p
		again.buf, err = EncodeJSON(p.typ, first, &EncodeOptions{
			Framing: p.opts.Framing, AllowNonUTF8: true, MaxDepth: p.opts.MaxDepth, Identifier: p.opts.Identifier,
		})
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		second, err := AppendJSON(nil, again.root(t), json)
		if err == nil && !bytes.Equal(first, second) && p.unsorted() {
			t.Logf("%s: a keyed vector is not sorted, and now is", p.name)
			return
		}
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: %v: the second dump differs:\n%.500s\n%.500s", p.name, err, first, second)
		}
	}, filepath.Join(oracle.RepoRoot(), "testdata"), oracle.Corpus(t))
	if n < 100 {
		t.Errorf("only %d parts were found", n)
	}
	t.Logf("%d parts", n)
}

func TestJSONOfRealFilesEqualsFlatcs(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	binary := map[string][]byte{}
	compared, seen := 0, map[string]int{}
	realParts(t, func(p *part) {
		// One file has many parts of one type: a few of each show what there is.
		if seen[p.typ.String()]++; seen[p.typ.String()] > 12 || len(p.buf) > 1<<16 {
			return
		}
		name := p.typ.String()
		if binary[name] == nil {
			b, err := bfbs.Marshal(p.typ.Schema())
			if err != nil {
				t.Fatal(err)
			}
			binary[name] = b
		}
		flags := []string{"--root-type", name, "--allow-non-utf8"}
		if p.opts.Framing == fbverify.SizePrefixed {
			flags = append(flags, "--size-prefixed")
		}
		want, err := flatc.ToJSON(map[string][]byte{"s.bfbs": binary[name]}, "s.bfbs", p.buf, flags...)
		if err != nil {
			t.Logf("%s: flatc cannot print it: %.200v", p.name, err)
			return
		}
		got, err := AppendJSON(nil, p.root(t), &JSONOptions{NonUTF8: NonUTF8Escape, FlatcFloats: true, ASCII: true, Indent: 2})
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		compared++
		if a, b := squeeze(got), squeeze(quoteFloats(want)); !bytes.Equal(a, b) {
			t.Errorf("%s: ours\n%.800s\nflatc's\n%.800s", p.name, a, b)
		}
	}, filepath.Join(oracle.RepoRoot(), "testdata"), oracle.Corpus(t))
	if compared < 50 {
		t.Errorf("only %d parts were compared", compared)
	}
	t.Logf("%d parts", compared)
}

// TestFilesWrittenByFlatcSayWhatTheirJSONSays reads the buffers that flatc made of
// JSON, and makes buffers of the same JSON.
func TestFilesWrittenByFlatcSayWhatTheirJSONSays(t *testing.T) {
	dir := filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers")
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, name := range []string{"survey", "archive"} {
		s, err := fbs.ParseFS(os.DirFS(dir), name+".fbs")
		if err != nil {
			t.Fatal(err)
		}
		typ, err := fbverify.Compile(s, "")
		if err != nil {
			t.Fatal(err)
		}
		buf, err := EncodeJSON(typ, read(name+".json"), &EncodeOptions{OmitDefaults: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ours, err := Root(typ, buf, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := dump(t, ours, nil)
		theirs, err := Root(typ, read(name+".bin"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(t, theirs, nil); got != want {
			t.Errorf("%s.bin: got  %s\nwant %s", name, got, want)
		}
		prefixed, err := Root(typ, read(name+".size-prefixed.bin"), &fbverify.Options{Framing: fbverify.SizePrefixed})
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(t, prefixed, nil); got != want {
			t.Errorf("%s.size-prefixed.bin: got  %s\nwant %s", name, got, want)
		}
		if name != "survey" {
			continue
		}
		messages := 0
		for _, err := range fbverify.NewReader(bytes.NewReader(read("surveys.stream")), typ, nil).All() {
			if err != nil {
				t.Errorf("surveys.stream: %v", err)
			}
			messages++
		}
		if messages != 8 {
			t.Errorf("surveys.stream has %d messages", messages)
		}
	}
}
