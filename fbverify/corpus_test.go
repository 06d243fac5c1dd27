package fbverify_test

import (
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/internal/race"
	"github.com/fbverify/go/schema/bfbs"
)

// corpusCase is one buffer of the corpus with what is known about it.
type corpusCase struct {
	file   string
	typ    *fbverify.Type
	buf    []byte
	strict string // expected with Strict, "" where the corpus does not say
	valid  bool
}

// sizePrefixed are the corpus buffers that start with their own length.
var sizePrefixed = map[string]bool{"google/monsterdata_cstest_sp.mon": true}

func (c *corpusCase) verify(buf []byte, opts *fbverify.Options) error {
	return c.typ.Verify(buf, c.framed(opts))
}

func (c *corpusCase) explain(buf []byte, opts *fbverify.Options) []*fbverify.Error {
	return c.typ.Explain(buf, c.framed(opts))
}

// framed is opts with the framing of the case.
func (c *corpusCase) framed(opts *fbverify.Options) *fbverify.Options {
	if !sizePrefixed[c.file] {
		return opts
	}
	o := fbverify.Options{}
	if opts != nil {
		o = *opts
	}
	o.Framing = fbverify.SizePrefixed
	return &o
}

func corpus(t testing.TB) []corpusCase {
	dir := oracle.Corpus(t)
	f, err := os.Open(filepath.Join(dir, "verdicts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]*fbverify.Type{}
	var cases []corpusCase
	for _, row := range rows[1:] {
		key := row[1] + "#" + row[2]
		if types[key] == nil {
			types[key] = compileBFBS(t, filepath.Join(dir, row[1]), row[2])
		}
		c := corpusCase{file: row[0], typ: types[key], valid: row[4] == "valid", strict: row[5]}
		if c.buf, err = os.ReadFile(filepath.Join(dir, row[0])); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

func compileBFBS(t testing.TB, path, root string) *fbverify.Type {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := bfbs.Load(b)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	typ, err := fbverify.Compile(s, root)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return typ
}

func TestCorpusVerdicts(t *testing.T) {
	for _, c := range corpus(t) {
		t.Run(c.file, func(t *testing.T) {
			err := c.verify(c.buf, nil)
			if (err == nil) != c.valid {
				t.Errorf("by default: %v, want valid=%v", err, c.valid)
			}
			if err != nil {
				t.Log(err)
			}
			strict := c.verify(c.buf, &fbverify.Options{Strict: true})
			switch {
			case c.strict == "valid" && strict != nil, c.strict == "invalid" && strict == nil:
				t.Errorf("strict: %v, want %s", strict, c.strict)
			case strict != nil:
				t.Log("strict: ", strict)
			}
		})
	}
}

// TestEveryChangeIsJudgedAlike changes every byte of every small buffer, cuts
// it everywhere, and holds the machine to the explainer: Verify must never
// panic, and what it refuses it must give a reason for.
func TestEveryChangeIsJudgedAlike(t *testing.T) {
	for _, c := range corpus(t) {
		if len(c.buf) > 4096 {
			continue
		}
		t.Run(c.file, func(t *testing.T) {
			judge := func(b []byte, what string, at int) {
				err := c.verify(b, nil)
				if errors.Is(err, fbverify.ErrInternal) {
					t.Fatalf("%s at %d: machine and explainer disagree", what, at)
				}
				faults := c.explain(b, nil)
				if (err == nil) != (len(faults) == 0) {
					t.Fatalf("%s at %d: Verify says %v, Explain %v", what, at, err, faults)
				}
				if err != nil && *faults[0] != *err.(*fbverify.Error) {
					t.Fatalf("%s at %d: Verify says %v, Explain first %v", what, at, err, faults[0])
				}
			}
			for n := range len(c.buf) {
				judge(c.buf[:n:n], "cut", n)
			}
			b := append([]byte(nil), c.buf...)
			for i, old := range b {
				for bit := range 8 {
					b[i] = old ^ 1<<bit
					judge(b, "bit flipped", i)
				}
				for _, v := range []byte{0, 0xff, old + 1} {
					b[i] = v
					judge(b, "changed", i)
				}
				b[i] = old
			}
		})
	}
}

func TestVerifyAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget")
	}
	for _, c := range corpus(t) {
		if !c.valid {
			continue
		}
		c.verify(c.buf, nil)
		if n := testing.AllocsPerRun(100, func() { c.verify(c.buf, nil) }); n != 0 {
			t.Errorf("%s: %v allocations", c.file, n)
		}
	}
}

func BenchmarkCorpus(b *testing.B) {
	for _, c := range corpus(b) {
		if !c.valid {
			continue
		}
		b.Run(filepath.Base(c.file), func(b *testing.B) {
			b.SetBytes(int64(len(c.buf)))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.verify(c.buf, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
