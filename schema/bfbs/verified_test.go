package bfbs_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/formats"
)

// Load reads a .bfbs without verifying it beforehand. What it takes must be what
// a verification takes, also of bytes that the model does not need.
func TestWhatLoadsIsAValidBuffer(t *testing.T) {
	s, err := formats.Load("reflection/reflection")
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(s, "")
	b, err := os.ReadFile("../../testdata/flatbuffers/archive.bfbs")
	if err != nil {
		t.Fatal(err)
	}
	// Doc comments need not be UTF-8.
	opts := &fbverify.Options{SkipUTF8: true}
	loaded, refused, wrong := 0, 0, 0
	for i, was := range b {
		for _, now := range []byte{0, 0xff, was + 1, was ^ 0x80, was ^ 4} {
			b[i] = now
			if _, err := bfbs.Load(b); err != nil {
				refused++
				continue
			}
			loaded++
			if err := typ.Verify(b, opts); err != nil {
				if wrong++; wrong < 10 {
					t.Errorf("byte %d from %#x to %#x: %v", i, was, now, err)
				}
			}
		}
		b[i] = was
	}
	if loaded < 1000 || refused < 1000 {
		t.Errorf("%d were loaded and %d refused", loaded, refused)
	}
}

// TestTheReflectionSchemaIsTheGeneratedOne: the bytes that prove a .bfbs are those that fbgen
// wrote for reflection.fbs.
func TestTheReflectionSchemaIsTheGeneratedOne(t *testing.T) {
	ours, err := os.ReadFile("reflection.bfbs")
	if err != nil {
		t.Fatal(err)
	}
	generated, err := os.ReadFile("../../generated/reflection/fb_schema.bfbs")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(ours, generated) {
		t.Error("reflection.bfbs is not generated/reflection/fb_schema.bfbs: copy it")
	}
}

// TestUncheckedIsTheSameSchema: what is embedded in generated code loads as it does with all
// checks.
func TestUncheckedIsTheSameSchema(t *testing.T) {
	for _, k := range formats.All() {
		s, err := k.Load()
		if err != nil {
			t.Fatal(err)
		}
		b, err := bfbs.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		checked, err := bfbs.Load(b)
		if err != nil {
			t.Fatal(err)
		}
		unchecked := bfbs.LoadUnchecked(b)
		if err := unchecked.Check(); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
		for _, d := range schema.Differences(checked, unchecked, 5) {
			t.Errorf("%s: %s", k.Name, d)
		}
	}
}

// TestOnlyWhatWasLoadedUncheckedIsNotChecked: a copy of such a schema is anyone's.
func TestOnlyWhatWasLoadedUncheckedIsNotChecked(t *testing.T) {
	b, err := os.ReadFile("reflection.bfbs")
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() *schema.Schema{
		"loaded": func() *schema.Schema {
			s, err := bfbs.Load(b)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		"a copy": func() *schema.Schema { s := *bfbs.LoadUnchecked(b); return &s },
	} {
		s := spoil()
		s.Objects[0].Fields[0].ID = 7
		if _, err := fbverify.Compile(s, ""); err == nil {
			t.Errorf("%s: a schema that is not sound compiles", name)
		}
	}
}

var inputsOfFirstUse = []struct{ name, root string }{
	{"vortex", "Layout"}, {"arrow", "org.apache.arrow.flatbuf.Message"}, {"tflite", "tflite.Model"},
}

// BenchmarkFirst is what a program pays before its first verification with generated code:
// the embedded schema becomes a model, and the model a type.
func BenchmarkFirst(b *testing.B) {
	for _, in := range inputsOfFirstUse {
		binary, err := os.ReadFile("../../generated/" + in.name + "/fb_schema.bfbs")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(in.name+"/load", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bfbs.LoadUnchecked(binary)
			}
		})
		b.Run(in.name+"/load-compile", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fbverify.MustCompile(bfbs.LoadUnchecked(binary), in.root)
			}
		})
		b.Run(in.name+"/checked", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bfbs.Load(binary); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
