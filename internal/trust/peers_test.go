package trust_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/schema/fbs"
)

// peer is another verifier: a program that judges a file of buffers.
type peer struct {
	name    string
	program string
	typ     *fbverify.Type
}

// command runs a program and fails the test where it fails.
func command(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		text := stderr.String()
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, text[:min(len(text), 3000)])
	}
	return out
}

func peerType(t *testing.T, text string) *fbverify.Type {
	t.Helper()
	s, err := fbs.ParseFS(fstest.MapFS{"peers.fbs": {Data: []byte(text)}}, "peers.fbs")
	if err != nil {
		t.Fatal(err)
	}
	return trusttest.Compile(t, s)
}

func tool(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("building a peer takes too long for a short run")
	}
	return oracle.Tool(t, name)
}

// generate writes one generated file into dir.
func generate(t *testing.T, dir string, code map[string][]byte, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range code {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func cpp(t *testing.T) *peer {
	t.Helper()
	compiler := tool(t, "g++")
	flatc := oracle.NewFlatc(t)
	tree := strings.TrimSpace(string(command(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/flatbuffers")))
	dir := t.TempDir()
	code, err := flatc.GenCpp(map[string][]byte{"peers.fbs": []byte(cppSchema)}, "peers.fbs")
	generate(t, dir, code, err)
	program := filepath.Join(dir, "peer")
	command(t, ".", compiler, "-std=c++17", "-O1", "-DNDEBUG", "-I"+filepath.Join(tree, "include"), "-I"+dir, "-o", program, "testdata/peers/main.cc")
	return &peer{"C++", program, peerType(t, cppSchema)}
}

func rust(t *testing.T) *peer {
	t.Helper()
	tool(t, "cargo")
	flatc := oracle.NewFlatc(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/peers/rust")); err != nil {
		t.Fatal(err)
	}
	cargo := oracle.Cargo(t, dir)
	code, err := flatc.GenRust(map[string][]byte{"peers.fbs": []byte(rustSchema)}, "peers.fbs")
	generate(t, filepath.Join(dir, "src"), code, err)
	command(t, dir, cargo, "build", "--release", "--locked", "--quiet")
	return &peer{"Rust", filepath.Join(dir, "target", "release", "trust-peer"), peerType(t, rustSchema)}
}

// judge returns the peer's verdict on each buffer.
func (p *peer) judge(t *testing.T, buffers [][]byte) []bool {
	t.Helper()
	var all []byte
	for _, b := range buffers {
		all = binary.LittleEndian.AppendUint32(all, uint32(len(b)))
		all = append(all, b...)
	}
	name := filepath.Join(t.TempDir(), "buffers")
	if err := os.WriteFile(name, all, 0o666); err != nil {
		t.Fatal(err)
	}
	out := command(t, ".", p.program, name)
	if len(out) != len(buffers) {
		t.Fatalf("%s judged %d of %d buffers", p.name, len(out), len(buffers))
	}
	verdicts := make([]bool, len(out))
	for i, c := range out {
		verdicts[i] = c == '1'
	}
	return verdicts
}

// TestCPPDiffersInTheRowsOfTheTableOnly and its like for Rust judge a corpus of
// damaged buffers, and explain every verdict that differs by a row of differences.
func TestCPPDiffersInTheRowsOfTheTableOnly(t *testing.T)  { differ(t, cpp(t)) }
func TestRustDiffersInTheRowsOfTheTableOnly(t *testing.T) { differ(t, rust(t)) }

func differ(t *testing.T, p *peer) {
	var buffers [][]byte
	var names []string
	for seed, end := trusttest.Seeds(600); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		b := fbrand.ForSchema(r, p.typ.Schema(), p.typ.Root(), fbrand.BufferOptions{Objects: 1 + r.IntN(40), Loose: r.IntN(3) == 0})
		buffers, names = append(buffers, b.Bytes), append(names, fmt.Sprintf("seed %d", seed))
		for range 30 {
			d := fbrand.Damage(r, b)
			buffers, names = append(buffers, d.Bytes), append(names, fmt.Sprintf("seed %d, %s", seed, d.How))
		}
	}
	verdicts := p.judge(t, buffers)
	counts, unexplained, same := map[string]int{}, 0, 0
	for i, buf := range buffers {
		err := p.typ.Verify(buf, nil)
		if (err == nil) == verdicts[i] {
			same++
			continue
		}
		row := differenceOf(p, buf, err)
		counts[row]++
		if row == "" {
			if unexplained++; unexplained <= 5 {
				t.Errorf("%s: %s says %v, and this says %v (Strict: %v)\n%s", names[i], p.name, verdicts[i], err,
					p.typ.Verify(buf, &fbverify.Options{Strict: true}), trusttest.Dump(buf))
			}
		}
	}
	t.Logf("%d buffers, %d verdicts the same, differences by row: %v", len(buffers), same, counts)
	if unexplained > 0 {
		t.Errorf("%d differences that no row explains", unexplained)
	}
	if len(counts) == 0 || same < len(buffers)/2 {
		t.Error("too few buffers differ, or are the same, to have shown anything")
	}
}

// differenceOf finds the row that explains a verdict that differs, "" if none does.
func differenceOf(p *peer, buf []byte, err error) string {
	if err == nil {
		// Accepted here and refused there: something that no reader looks at is bad.
		for _, f := range p.typ.Explain(buf, &fbverify.Options{Strict: true}) {
			for _, d := range differences {
				if d.peer == p.name && d.here && d.explains(f) {
					return d.name
				}
			}
		}
		for _, d := range differences {
			if d.peer == p.name && d.here && d.byBytes != nil && d.byBytes(p, buf) {
				return d.name
			}
		}
		return ""
	}
	// Refused here and accepted there: every fault has to be one that the peer does
	// not look for.
	row := ""
	for _, f := range p.typ.Explain(buf, nil) {
		i := slices.IndexFunc(differences, func(d difference) bool { return d.peer == p.name && !d.here && d.explains(f) })
		if i < 0 {
			return ""
		}
		if row == "" {
			row = differences[i].name
		}
	}
	return row
}

func is(f *fbverify.Error, kind fbverify.Kind, parts ...string) bool {
	if !errors.Is(f, kind) {
		return false
	}
	for _, part := range parts {
		if !strings.Contains(f.Detail, part) {
			return false
		}
	}
	return true
}
