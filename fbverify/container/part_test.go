package container

import (
	"bytes"
	"testing"

	"github.com/fbverify/go/fbverify"
)

func TestAnEmptyPartIsRefused(t *testing.T) {
	var p Part
	if _, err := p.Bytes(); err == nil {
		t.Error("it has bytes")
	}
	if err := p.Verify(nil); err == nil {
		t.Error("it is valid")
	}
	if _, err := p.Explain(&fbverify.Options{}); err == nil {
		t.Error("it has faults to explain")
	}
	if p.Type() != nil {
		t.Error("it has a type")
	}
}

func TestPartsOfOneFileMayBeVerifiedAtOnce(t *testing.T) {
	b := twoArrays().bytes()
	f, err := Open(pieces{bytes.NewReader(b)}, int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := make(chan error)
	n := 0
	for range 4 {
		for p, err := range f.Parts() {
			if err != nil {
				t.Fatal(err)
			}
			n++
			go func() { verdicts <- p.Verify(nil) }()
		}
	}
	for range n {
		if err := <-verdicts; err != nil {
			t.Error(err)
		}
	}
}

func TestAppendToUsesTheMemoryItIsGiven(t *testing.T) {
	b := twoBatches().bytes()
	f, err := Open(pieces{bytes.NewReader(b)}, int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1<<10)
	for p := range f.Parts() {
		got, err := p.AppendTo(buf)
		if err != nil || &got[0] != &buf[0] || !bytes.Equal(got, b[p.Offset:p.Offset+p.Length]) {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}
