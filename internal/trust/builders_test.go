package trust_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/internal/trust/trusttest"
)

// order is one buffer that a writer is asked for.
type order struct {
	subject
	schema string
	want   []byte                   // the contents, as JSON
	same   func(json []byte) []byte // makes contents alike that the writer does not tell apart; nil where there are none
	json   *dynamic.JSONOptions
	script string
}

// ordersForBuilders makes random schemas, and for each random contents to be
// written in several ways.
func ordersForBuilders(t *testing.T, few uint64) []*order {
	var orders []*order
	for seed, end := trusttest.Seeds(few); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		text, sch := fbrand.Schema(r, fbrand.SchemaOptions{NoWide: true})
		typ := trusttest.Compile(t, sch)
		for i := range 3 {
			b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Objects: 1 + r.IntN(40), Wide: r.IntN(20) == 0})
			m, err := dynamic.Root(typ, b.Bytes, nil)
			if err != nil {
				t.Fatal(err)
			}
			how := style(i)
			o := &order{schema: text, json: &dynamic.JSONOptions{Defaults: how != forceDefaults}}
			o.typ, o.name = typ, fmt.Sprintf("seed %d, style %d", seed, how)
			if r.IntN(3) == 0 {
				o.prefix = 4
			}
			if o.want, err = dynamic.AppendJSON(nil, m, o.json); err != nil {
				t.Fatal(err)
			}
			identifier := ""
			if r.IntN(2) == 0 {
				identifier = sch.FileIdentifier
			}
			o.script = writeScript(r, m, how, o.prefix > 0, identifier)
			orders = append(orders, o)
		}
	}
	return orders
}

// check holds a writer's buffer to what was ordered, and counts what Strict has
// against it.
func (o *order) check(t *testing.T, buf []byte, strict map[fbverify.Kind]int) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s: %s\n%s\n%s\n%s", o.name, fmt.Sprintf(format, args...), o.schema, o.script, trusttest.Dump(buf))
	}
	if err := o.verify(buf, nil); err != nil {
		fail("refused: %v", err)
	}
	o.judge(t, buf, high(fbverify.Options{}), 0)
	m, err := dynamic.Root(o.typ, buf, trusttest.Framed(o.prefix, nil))
	if err != nil {
		fail("%v", err)
	}
	got, err := dynamic.AppendJSON(nil, m, o.json)
	if err != nil {
		fail("%v", err)
	}
	if o.same != nil {
		got = o.same(got)
	}
	if !bytes.Equal(got, o.want) {
		at := 0 // of the first difference
		for at < min(len(got), len(o.want)) && got[at] == o.want[at] {
			at++
		}
		at = max(0, at-100)
		fail("wrote other contents\nwant %.300s\ngot  %.300s", o.want[at:], got[at:])
	}
	for _, f := range o.explain(buf, &fbverify.Options{Strict: true}) {
		strict[f.Kind]++
	}
}

// writer is a program, or a part of this one, that does what scripts say.
type writer struct {
	name string
	// run returns the buffers that scripts make, one after the other.
	run func(t *testing.T, scripts string) [][]byte
	// strict are the kinds of faults that Strict finds in what it writes.
	strict []fbverify.Kind
}

var writers = []writer{
	{"Go", func(t *testing.T, scripts string) [][]byte { return runGoScripts(scripts) }, []fbverify.Kind{fbverify.ErrTableSize}},
	{"Python", func(t *testing.T, scripts string) [][]byte {
		return drive(t, oracle.Python(t, "testdata/writers/builder.py"), scripts)
	}, nil},
	{"JavaScript", func(t *testing.T, scripts string) [][]byte {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata/writers/js")); err != nil {
			t.Fatal(err)
		}
		return drive(t, oracle.Node(t, dir, "builder.mjs"), scripts)
	}, nil},
	{"Rust", func(t *testing.T, scripts string) [][]byte {
		long(t)
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata/writers/rust")); err != nil {
			t.Fatal(err)
		}
		// Not a release: the crate has assertions of its own.
		command(t, dir, oracle.Cargo(t, dir), "build", "--locked", "--quiet", "--bin", "trust-writer")
		return drive(t, exec.Command(filepath.Join(dir, "target", "debug", "trust-writer")), scripts)
	}, nil},
	{"C++", func(t *testing.T, scripts string) [][]byte {
		long(t)
		return drive(t, buildCPP(t, t.TempDir(), "builder.cc"), scripts)
	}, []fbverify.Kind{fbverify.ErrMisaligned}}, // empty vectors are not aligned for their elements
}

// long skips what compiles code where there is little time.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles code")
	}
}

// drive runs a program that reads input and answers with buffers, each with its
// length before it.
func drive(t *testing.T, cmd *exec.Cmd, input string) (buffers [][]byte) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil {
		text := stderr.String()
		t.Fatalf("%s: %v\n%s", filepath.Base(cmd.Path), err, text[max(0, len(text)-3000):])
	}
	for len(out) >= 4 {
		size := binary.LittleEndian.Uint32(out)
		buffers = append(buffers, out[4:4+size:4+size])
		out = out[4+size:]
	}
	return buffers
}

// TestWhatBuildersWriteIsAccepted lets the builders of several languages write
// random values of random schemas.
func TestWhatBuildersWriteIsAccepted(t *testing.T) {
	orders := ordersForBuilders(t, 60)
	var scripts strings.Builder
	for _, o := range orders {
		scripts.WriteString(o.script)
	}
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			checkAll(t, orders, w.run(t, scripts.String()), w.strict)
		})
	}
}

// checkAll checks what a writer made of all orders, and that Strict finds no other
// faults than those of the given kinds.
func checkAll(t *testing.T, orders []*order, buffers [][]byte, kinds []fbverify.Kind) {
	t.Helper()
	if len(buffers) != len(orders) {
		t.Fatalf("%d buffers of %d", len(buffers), len(orders))
	}
	bytes, strict := 0, map[fbverify.Kind]int{}
	for i, o := range orders {
		o.check(t, buffers[i], strict)
		bytes += len(buffers[i])
	}
	t.Logf("%d buffers of %d bytes accepted; faults that Strict finds: %v", len(orders), bytes, strict)
	for kind := range strict {
		if !slices.Contains(kinds, kind) {
			t.Errorf("Strict refuses: %v", kind)
		}
	}
}
