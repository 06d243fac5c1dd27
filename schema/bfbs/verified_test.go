package bfbs_test

import (
	"os"
	"testing"

	"github.com/fbverify/go/fbverify"
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
