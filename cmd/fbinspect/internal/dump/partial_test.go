package dump

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/fbs"
)

// sample returns a type and a file of the repository's testdata.
func sample(t *testing.T, schema, file string) (*fbverify.Type, []byte) {
	t.Helper()
	dir := filepath.Join(oracle.RepoRoot(), "testdata")
	s, err := fbs.ParseFS(os.DirFS(filepath.Join(dir, "flatbuffers")), schema)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return fbverify.MustCompile(s, ""), b
}

func partially(t *testing.T, d *Dumper, typ *fbverify.Type, b []byte, framing fbverify.Framing) string {
	t.Helper()
	d.Warn = func(string, ...any) {}
	var out bytes.Buffer
	p := container.Part{Name: "root", Length: int64(len(b)), Framing: framing}
	if err := d.partial(&out, typ, p, b, &d.Options, false); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// framed puts a length before a message.
func framed(b []byte, framing fbverify.Framing) []byte {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(b)))
	return append(head[:framing.Prefix():framing.Prefix()], b...)
}

var framings = []fbverify.Framing{fbverify.Unframed, fbverify.SizePrefixed, fbverify.LongSizePrefixed}

// TestWhatIsSoundIsPrintedAsIfProved: nothing is broken here, so that all is printed that
// a dump of proved bytes prints.
func TestWhatIsSoundIsPrintedAsIfProved(t *testing.T) {
	for _, name := range []string{"survey", "archive"} {
		typ, b := sample(t, name+".fbs", "flatbuffers/"+name+".bin")
		msg, err := dynamic.Root(typ, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := dynamic.AppendValueJSON(nil, msg.Root().AsValue(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		delete(want, "extra") // a FlexBuffer: here it is bytes
		for _, framing := range framings {
			var got map[string]any
			out := partially(t, &Dumper{AsJSON: true}, typ, framed(b, framing), framing)
			err := json.Unmarshal([]byte(out), &got)
			delete(got, "extra")
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %v: %v\n%s\nwant\n%s", name, framing, err, out, text)
			}
		}
	}
}

// TestDamageIsPrintedAloneWhateverTheFraming: of each damaged file the same is printed with
// every framing, offsets aside, also where the prefix promises too much.
func TestDamageIsPrintedAloneWhateverTheFraming(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(oracle.RepoRoot(), "testdata", "damaged", "*.bin"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	damaged := 0
	for _, file := range files {
		typ, b := sample(t, "survey.fbs", "damaged/"+filepath.Base(file))
		if len(b) < 8 {
			continue
		}
		want := withoutOffsets(partially(t, &Dumper{}, typ, b, fbverify.Unframed))
		if strings.Contains(want, "!!") {
			damaged++
		}
		for _, framing := range framings[1:] {
			whole := framed(b, framing)
			if got := withoutOffsets(partially(t, &Dumper{}, typ, whole, framing)); got != want {
				t.Errorf("%s, %v:\n%s\nwant\n%s", filepath.Base(file), framing, got, want)
			}
			whole[framing.Prefix()-2] = 0x7f
			if got := withoutOffsets(partially(t, &Dumper{}, typ, whole, framing)); got != want {
				t.Errorf("%s, %v with a prefix that promises too much:\n%s\nwant\n%s", filepath.Base(file), framing, got, want)
			}
		}
	}
	if damaged < 8 {
		t.Errorf("%d files in which something is broken", damaged)
	}
}

// withoutOffsets leaves the sentences of faults out.
func withoutOffsets(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		before, _, _ := strings.Cut(line, "!! ")
		b.WriteString(strings.TrimRight(before, "\n") + map[bool]string{true: "!!"}[len(before) < len(line)] + "\n")
	}
	return b.String()
}

// TestEveryChangedBytePrintsJSON, whole and of a path, and the rest of the data with it.
func TestEveryChangedBytePrintsJSON(t *testing.T) {
	typ, b := sample(t, "survey.fbs", "flatbuffers/survey.bin")
	step := 1
	if testing.Short() {
		step = 11
	}
	path, err := dynamic.ParsePath("stations[*].shots[1:]")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(b); i += step {
		changed := bytes.Clone(b)
		changed[i] ^= byte(1 + rand.IntN(255))
		for _, d := range []*Dumper{{AsJSON: true}, {AsJSON: true, Path: path}, {AsJSON: true, Tree: TreeOptions{Depth: 2}, JSON: dynamic.JSONOptions{Limit: 1}}} {
			out := partially(t, d, typ, changed, fbverify.Unframed)
			for line := range strings.Lines(out) {
				if !json.Valid([]byte(line)) {
					t.Fatalf("byte %d: no JSON: %s", i, line)
				}
			}
		}
	}
}

// TestWhatIsSharedIsPrintedEachTimeWithinBounds: a list of one string over and over is
// printed whole where that is short, and to a bound where it is not.
func TestWhatIsSharedIsPrintedEachTimeWithinBounds(t *testing.T) {
	s, err := fbs.Parse("s.fbs", []byte(`table Tree { next: [Tree]; name: string; } root_type Tree;`))
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(s, "")
	for depth, want := range map[int]string{3: "", 20: errTooMuch.Error()} {
		out := partially(t, &Dumper{Options: fbverify.Options{MaxDepth: 64}}, typ, sharedTrees(depth), fbverify.Unframed)
		if got := strings.Count(out, "name: "); want == "" && got != 1<<depth || want != "" && !strings.Contains(out, want) {
			t.Errorf("%d deep: %d names\n%.300s", depth, got, out)
		}
		if len(out) > 256<<20 {
			t.Errorf("%d deep: %d bytes are printed", depth, len(out))
		}
	}
}

// sharedTrees is a tree whose two branches are the same one, down to a leaf with a name.
func sharedTrees(depth int) []byte {
	var b []byte
	put := func(words ...int) {
		for _, v := range words {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	}
	put(20, 6|8<<16, 4, 8|8<<16, 0|4<<16) // the vtables of a branch, which has next, and of a leaf, which has name
	for range depth {
		put(len(b)-4, 4, 2, 8, 4)
	}
	put(len(b)-12, 4, 1)
	return append(b, 'x', 0, 0, 0)
}

// TestAnElementThatIsBrokenLeavesTheOthers, and takes their place in JSON.
func TestAnElementThatIsBrokenLeavesTheOthers(t *testing.T) {
	s, err := fbs.Parse("s.fbs", []byte(`table T { names: [string]; } root_type T;`))
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(s, "")
	type broken struct {
		at   int // of the element whose offset is overwritten; -1 for a string's bytes
		text string
	}
	for _, c := range []broken{{0, `{"names":[null,"b","c"]}`}, {1, `{"names":["a",null,"c"]}`}, {2, `{"names":["a","b",null]}`}, {-1, `{"names":[null,"b","c"]}`}} {
		b, err := dynamic.EncodeJSON(typ, []byte(`{"names":["a","b","c"]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.at < 0 {
			b[bytes.IndexByte(b, 'a')] = 0xff
		} else {
			vector := bytes.Index(b, []byte{3, 0, 0, 0})
			copy(b[vector+4+4*c.at:], "\xff\xff\xff\x7f")
		}
		if got := strings.TrimSpace(partially(t, &Dumper{AsJSON: true}, typ, b, fbverify.Unframed)); got != c.text {
			t.Errorf("%d: %s, want %s", c.at, got, c.text)
		}
		if got := partially(t, &Dumper{Style: ui.Style{}}, typ, b, fbverify.Unframed); strings.Count(got, "!!") != 1 {
			t.Errorf("%d: %s", c.at, fmt.Sprint(got))
		}
	}
}
