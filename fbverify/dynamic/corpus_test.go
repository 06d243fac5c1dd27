package dynamic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fbverify/go/schema/bfbs"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/oracle"
)

// sample is a buffer of the corpus that its own schema says how to read.
type sample struct {
	name    string
	bfbs    []byte
	typ     *fbverify.Type
	buf     []byte
	framing fbverify.Framing
}

func (s *sample) root(t testing.TB) Message {
	t.Helper()
	m, err := Root(s.typ, s.buf, &fbverify.Options{Framing: s.framing})
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return m
}

func loadType(t testing.TB, binary []byte, root string) *fbverify.Type {
	t.Helper()
	s, err := bfbs.Load(binary)
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, root)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// corpus returns the buffers of the corpus that are valid, whole FlatBuffers.
func corpus(t testing.TB) []*sample {
	t.Helper()
	dir := oracle.Corpus(t)
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var all []*sample
	types := map[string]*fbverify.Type{}
	add := func(name, bfbs, root string, framing fbverify.Framing) {
		raw := read(bfbs)
		key := bfbs + " " + root
		if types[key] == nil {
			types[key] = loadType(t, raw, root)
		}
		all = append(all, &sample{name, raw, types[key], read(name), framing})
	}
	for i, line := range strings.Split(string(read("verdicts.tsv")), "\n") {
		col := strings.Split(line, "\t")
		if i == 0 || len(col) < 5 || col[4] != "valid" {
			continue
		}
		framing := fbverify.Unframed
		if strings.HasSuffix(col[0], "_sp.mon") {
			framing = fbverify.SizePrefixed
		}
		add(col[0], col[1], col[2], framing)
	}
	add("google/test_64bit.bin", "schemas/google/test_64bit.bfbs", "RootTable", fbverify.Unframed)
	return all
}

// bareFloat is what flatc prints where JSON has no number.
var bareFloat = regexp.MustCompile(`(?m)(: |^ *)-?(nan|inf)(,?)$`)

// quoteFloats makes JSON of flatc's output.
func quoteFloats(text []byte) []byte {
	return bareFloat.ReplaceAllFunc(text, func(m []byte) []byte {
		i := bytes.IndexAny(m, "-ni")
		n := len(bytes.TrimSuffix(m, []byte(",")))
		word := strings.TrimPrefix(string(m[i:n]), "-")
		if word == "inf" {
			word = string(m[i:n])
		}
		return fmt.Appendf(nil, "%s%q%s", m[:i], word, m[n:])
	})
}

// sameJSON compares two JSON texts as values: numbers by what they are, and not by
// their digits; floats up to what flatc prints of them.
func sameJSON(a, b any, at string) error {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: %v against %v", at, a, b)
		}
		for k := range x {
			if _, ok := y[k]; !ok {
				return fmt.Errorf("%s.%s is only in the first", at, k)
			}
			if err := sameJSON(x[k], y[k], at+"."+k); err != nil {
				return err
			}
		}
		for k := range y {
			if _, ok := x[k]; !ok {
				return fmt.Errorf("%s.%s is only in the second", at, k)
			}
		}
		return nil
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return fmt.Errorf("%s: %d elements against %v", at, len(x), b)
		}
		for i := range x {
			if err := sameJSON(x[i], y[i], fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
		return nil
	case json.Number:
		y, ok := b.(json.Number)
		if ok && x == y {
			return nil
		}
		if ok && (strings.ContainsAny(x.String(), ".eE") || strings.ContainsAny(y.String(), ".eE")) {
			f, _ := x.Float64()
			g, _ := y.Float64()
			if math.Abs(f-g) <= 5.1e-7*math.Max(1, math.Abs(f)) {
				return nil
			}
		}
		return fmt.Errorf("%s: %v against %v", at, a, b)
	}
	if a != b {
		return fmt.Errorf("%s: %#v against %#v", at, a, b)
	}
	return nil
}

func parseJSON(t testing.TB, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("no JSON: %v\n%.2000s", err, text)
	}
	return v
}

func TestJSONOfTheCorpusEqualsFlatcs(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	for _, s := range corpus(t) {
		t.Run(s.name, func(t *testing.T) {
			for _, defaults := range []bool{false, true} {
				flags := []string{"--root-type", s.typ.String()}
				if defaults {
					flags = append(flags, "--defaults-json")
				}
				if s.framing == fbverify.SizePrefixed {
					flags = append(flags, "--size-prefixed")
				}
				want, err := flatc.ToJSON(map[string][]byte{"s.bfbs": s.bfbs}, "s.bfbs", s.buf, flags...)
				if err != nil {
					t.Logf("flatc cannot print it: %.300v", err)
					continue
				}
				want = quoteFloats(want)
				if defaults {
					// From a .bfbs flatc does not learn that the field is deprecated.
					want = regexp.MustCompile(` *"friendly": false,\n`).ReplaceAll(want, nil)
				}
				got, err := AppendJSON(nil, s.root(t), &JSONOptions{Defaults: defaults})
				if err != nil {
					t.Fatal(err)
				}
				if err := sameJSON(parseJSON(t, got), parseJSON(t, want), ""); err != nil {
					t.Errorf("defaults %v: ours against flatc's: %v", defaults, err)
				}
				exact, err := AppendJSON(nil, s.root(t), &JSONOptions{Defaults: defaults, FlatcFloats: true, ASCII: true, Indent: 2})
				if err != nil {
					t.Fatal(err)
				}
				if a, b := squeeze(exact), squeeze(want); !bytes.Equal(a, b) {
					t.Errorf("defaults %v: with flatc's own formatting the text differs:\n%.600s\n%.600s", defaults, a, b)
				}
			}
		})
	}
}

// emptyBrackets are objects and arrays with nothing in them, where flatc starts
// new lines.
var emptyBrackets = regexp.MustCompile(`([{\[])\s+([}\]])`)

// squeeze takes out what flatc writes between the brackets of empty objects, and
// the newline at the end.
func squeeze(text []byte) []byte {
	return bytes.TrimRight(emptyBrackets.ReplaceAll(text, []byte("$1$2")), "\n")
}

func TestCorpusSurvivesTheWayToJSONAndBack(t *testing.T) {
	for _, s := range corpus(t) {
		t.Run(s.name, func(t *testing.T) {
			first, err := AppendJSON(nil, s.root(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			buf, err := EncodeJSON(s.typ, first, &EncodeOptions{Framing: s.framing})
			if err != nil {
				t.Fatal(err)
			}
			again := *s
			again.buf = buf
			second, err := AppendJSON(nil, again.root(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first, second) {
				t.Errorf("the second dump differs:\n%.500s\n%.500s", first, second)
			}
		})
	}
}
