package fbverify

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify/internal/machine"
	"github.com/fbverify/go/internal/fbasm"
	"github.com/fbverify/go/schema/fbs"
)

func emptyTable(t *testing.T) (*Type, []byte) {
	t.Helper()
	s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte("table R {} root_type R;")}}, "t.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ, err := Compile(s, "")
	if err != nil {
		t.Fatal(err)
	}
	return typ, fbasm.Build(fbasm.U32(12), fbasm.Text("NAME"), fbasm.U16(4, 4), fbasm.U32(4))
}

// TestWhatOnlyTheMachineRefusesIsRefused: if the two ever disagree, that is an error
// of its own kind.
func TestWhatOnlyTheMachineRefusesIsRefused(t *testing.T) {
	typ, buf := emptyTable(t)
	for verdict, refused := range map[machine.Verdict]bool{machine.Invalid: true, machine.Shared: false, unknown: false} {
		if _, err := typ.refuse(buf, &unset, verdict); refused != errors.Is(err, ErrInternal) || refused != (err != nil) {
			t.Errorf("verdict %d on a sound buffer: %v", verdict, err)
		}
	}
}

// TestTheMachineIsAskedOfWhatHasAHeader: no more is cut off, and nothing is left to the
// explainer, but what it has to explain.
func TestTheMachineIsAskedOfWhatHasAHeader(t *testing.T) {
	typ, buf := emptyTable(t)
	named := &Options{Identifier: "NAME"}
	other := &Options{Identifier: "EMAN"}
	for _, c := range []struct {
		name    string
		buf     []byte
		o       *Options
		framing Framing
		length  int // of what the machine gets; -1: nothing
	}{
		{"nothing", nil, &unset, Unframed, -1},
		{"three bytes", buf[:3], &unset, Unframed, -1},
		{"a root offset", buf[:4], &unset, Unframed, 4},
		{"a buffer", buf, &unset, Unframed, len(buf)},
		{"half an identifier", buf[:7], named, Unframed, -1},
		{"an identifier", buf[:8], named, Unframed, 8},
		{"another identifier", buf, other, Unframed, -1},
		{"half a prefix", []byte{0, 0, 0}, &unset, SizePrefixed, -1},
		{"a prefix alone", []byte{0, 0, 0, 0}, &unset, SizePrefixed, -1},
		{"a prefix and three bytes", []byte{3, 0, 0, 0, 1, 2, 3}, &unset, SizePrefixed, -1},
		{"a prefix and a root offset", []byte{4, 0, 0, 0, 1, 2, 3, 4}, &unset, SizePrefixed, 8},
		{"a prefix and more than it says", []byte{4, 0, 0, 0, 1, 2, 3, 4, 5}, &unset, SizePrefixed, 8},
		{"a prefix and less than it says", []byte{5, 0, 0, 0, 1, 2, 3, 4}, &unset, SizePrefixed, -1},
		{"half a long prefix", make([]byte, 7), &unset, LongSizePrefixed, -1},
		{"a long prefix and a root offset", []byte{4, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, &unset, LongSizePrefixed, 12},
		{"a long prefix and less than it says", []byte{4, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4}, &unset, LongSizePrefixed, -1},
	} {
		o := *c.o
		o.Framing = c.framing
		message, _, ok := typ.message(c.buf, &o)
		if ok != (c.length >= 0) || ok && len(message) != c.length {
			t.Errorf("%s: %d bytes, %v; want %d", c.name, len(message), ok, c.length)
		}
	}
}

// TestSharingIsSeenFromEitherSideOfThePrefix: positions count from its first byte, or
// from after it, where that is what alignments keep to; a side that is at fault says
// nothing.
func TestSharingIsSeenFromEitherSideOfThePrefix(t *testing.T) {
	s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte("table N { value:long; v:[N]; s:string; } root_type N;")}}, "t.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ, err := Compile(s, "")
	if err != nil {
		t.Fatal(err)
	}
	// The value is aligned where positions count from base bytes on.
	build := func(base, offsets int, bad bool) []byte {
		text := fbasm.Offset("text")
		if bad {
			text = fbasm.U32(0)
		}
		parts := []fbasm.Part{
			fbasm.Bytes(make([]byte, 4)...), fbasm.Offset("root"), fbasm.Label("vt"), fbasm.U16(10, 24, 8, 16, 20), fbasm.Label("leaf vt"), fbasm.U16(4, 4),
			fbasm.Align(8), fbasm.Bytes(make([]byte, base)...), fbasm.Label("root"), fbasm.VTable("vt"), fbasm.U32(0), fbasm.U64(7), fbasm.Offset("v"), text,
			fbasm.Label("v"), fbasm.U32(uint32(offsets)),
		}
		for range offsets {
			parts = append(parts, fbasm.Offset("leaf"))
		}
		buf := fbasm.Build(append(parts, fbasm.Label("leaf"), fbasm.VTable("leaf vt"), fbasm.Label("text"), fbasm.U32(0, 0))...)
		buf[0], buf[1] = byte(len(buf)-4), byte((len(buf)-4)>>8)
		return buf
	}
	const few, many = 2, 400
	whole := build(0, many, false)
	for _, c := range []struct {
		name    string
		buf     []byte
		o       *Options
		framing Framing
		shares  bool
	}{
		{"a few, from the prefix", build(0, few, false), &unset, SizePrefixed, false},
		{"a few, from after it", build(4, few, false), &unset, SizePrefixed, false},
		{"many, from the prefix", build(0, many, false), &unset, SizePrefixed, true},
		{"many, from after it", build(4, many, false), &unset, SizePrefixed, true},
		{"many, from after it, without it", build(4, many, false)[4:], &unset, Unframed, true},
		{"many, from the prefix, without it", build(0, many, false)[4:], &unset, Unframed, false},
		{"many, Strict", build(0, many, false), &Options{Strict: true}, SizePrefixed, false},
		{"many, of which one byte is missing", whole[:len(whole)-1], &unset, SizePrefixed, false},
		{"a few and a fault", build(0, few, true), &unset, SizePrefixed, false},
	} {
		o := *c.o
		o.Framing = c.framing
		if got := typ.verdict(c.buf, &o) == machine.Shared; got != c.shares {
			t.Errorf("%s: shares %v", c.name, got)
		}
	}
}

// TestFaultsOfAPrefixedBufferAreThoseFromItsPrefix where counting from after it does not
// help: all of them, and where they are in what was given.
func TestFaultsOfAPrefixedBufferAreThoseFromItsPrefix(t *testing.T) {
	s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte("table N { words:[string]; } root_type N;")}}, "t.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ, err := Compile(s, "")
	if err != nil {
		t.Fatal(err)
	}
	buf, at := fbasm.Assemble(fbasm.U32(0), fbasm.Offset("root"), fbasm.Label("vt"), fbasm.U16(6, 8, 4), fbasm.Align(4), fbasm.Label("root"), fbasm.VTable("vt"), fbasm.Offset("v"),
		fbasm.Label("v"), fbasm.U32(2), fbasm.Label("first"), fbasm.U32(0), fbasm.Label("second"), fbasm.U32(0))
	buf[0] = byte(len(buf) - 4)
	faults := typ.Explain(buf, &Options{Framing: SizePrefixed})
	if len(faults) != 2 || faults[0].Offset != at["first"] || faults[1].Offset != at["second"] {
		t.Errorf("%v", faults)
	}
	var first *Error
	if err := typ.Verify(buf, &Options{Framing: SizePrefixed}); !errors.As(err, &first) || first.Offset != at["first"] {
		t.Errorf("%v", err)
	}
}
