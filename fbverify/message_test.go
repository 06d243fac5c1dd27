package fbverify

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify/internal/machine"
	"github.com/fbverify/go/internal/fbasm"
	"github.com/fbverify/go/schema"
)

func emptyTable(t *testing.T) (*Type, []byte) {
	t.Helper()
	s, err := schema.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte("table R {} root_type R;")}}, "t.fbs")
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
		if _, err := typ.refuse(buf, &unset, 0, verdict); refused != errors.Is(err, ErrInternal) || refused != (err != nil) {
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
		name   string
		buf    []byte
		o      *Options
		prefix int
		length int // of what the machine gets; -1: nothing
	}{
		{"nothing", nil, &unset, 0, -1},
		{"three bytes", buf[:3], &unset, 0, -1},
		{"a root offset", buf[:4], &unset, 0, 4},
		{"a buffer", buf, &unset, 0, len(buf)},
		{"half an identifier", buf[:7], named, 0, -1},
		{"an identifier", buf[:8], named, 0, 8},
		{"another identifier", buf, other, 0, -1},
		{"half a prefix", []byte{0, 0, 0}, &unset, 4, -1},
		{"a prefix alone", []byte{0, 0, 0, 0}, &unset, 4, -1},
		{"a prefix and three bytes", []byte{3, 0, 0, 0, 1, 2, 3}, &unset, 4, -1},
		{"a prefix and a root offset", []byte{4, 0, 0, 0, 1, 2, 3, 4}, &unset, 4, 8},
		{"a prefix and more than it says", []byte{4, 0, 0, 0, 1, 2, 3, 4, 5}, &unset, 4, 8},
		{"a prefix and less than it says", []byte{5, 0, 0, 0, 1, 2, 3, 4}, &unset, 4, -1},
		{"half a long prefix", make([]byte, 7), &unset, 8, -1},
		{"a long prefix and a root offset", []byte{4, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, &unset, 8, 12},
		{"a long prefix and less than it says", []byte{4, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4}, &unset, 8, -1},
	} {
		message, ok := typ.message(c.buf, c.o, c.prefix)
		if ok != (c.length >= 0) || ok && len(message) != c.length {
			t.Errorf("%s: %d bytes, %v; want %d", c.name, len(message), ok, c.length)
		}
	}
}
