package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/growth"
	"github.com/fbverify/go/internal/oracle"
)

var (
	mostGrowth  = flag.Int("most", 0, "bytes of the largest input of the tests of growth; 0 = two small ones")
	allFamilies = flag.Bool("all", false, "try all families of inputs, which takes hours for large ones")
)

// chosen are every so many of the families, where not all are wanted.
func chosen(families []growth.Family, every int) (list []growth.Family) {
	for i, fam := range families {
		if *allFamilies || i%every == 0 {
			list = append(list, fam)
		}
	}
	return list
}

// grows is a verb, with what it may need.
type grows struct {
	args   []string // the file comes last
	memory float64  // bytes for a byte of the file, beyond what every run takes

	bounded bool // what it prints of what is shared has a bound of its own
}

// growing runs a verb on a family of inputs. What comes out is thrown away: it may be as much
// as the verb bounds it to be.
func growing(t *testing.T, v grows, fam growth.Family, sizes []int, file string, before ...string) {
	t.Helper()
	args := append(append(append([]string{}, v.args...), before...), file)
	if v.args[0] == "diff" {
		args = append(args, file)
	}
	s, stopped := growth.Measure(fam, sizes, 10*time.Second, func(input []byte) {
		if err := os.WriteFile(file, input, 0o600); err != nil {
			t.Fatal(err)
		}
		if code := run(args, io.Discard, io.Discard); code > exitFailed {
			t.Errorf("%v of %s: exit code %d", v.args, fam.Name, code)
		}
	})
	ns, memory := s.PerByte()
	row := fmt.Sprintf("%-28.28s %-40s %9d %9.1f %9.1f %7.2f %7.2f", fmt.Sprint(v.args), fam.Name, s[len(s)-1].Size, ns, memory, s.Factor(), s.MemoryFactor())
	t.Log(row)
	switch {
	case stopped:
		t.Errorf("took more than 10 s:\n%s", row)
	case v.bounded:
	case s.Factor() > 2.2 || s.MemoryFactor() > 2.2:
		t.Errorf("grows faster than its input:\n%s", row)
	case memory > v.memory:
		t.Errorf("more than %v bytes of memory a byte:\n%s", v.memory, row)
	}
}

func growthSizes(from, to int) []int {
	if *mostGrowth == 0 {
		return []int{from, 4 * from}
	}
	return growth.Sizes(from, min(*mostGrowth, to))
}

// TestVerbsGrowAsFilesDo runs what reads buffers on those that were made to be expensive. With
// -v it prints a line for each verb and family.
func TestVerbsGrowAsFilesDo(t *testing.T) {
	dir := t.TempDir()
	schema, file, page := filepath.Join(dir, "g.fbs"), filepath.Join(dir, "g.bin"), filepath.Join(dir, "page.html")
	few := 5
	if testing.Short() {
		few = 10
	}
	families := growth.Single(40)
	if *allFamilies {
		families = append(growth.Single(10), growth.Single(1000)...)
	}
	families = chosen(append(families, growth.Composed(1, 4, 40)...), few)
	families = append(families, growth.Family{Name: "rows", Schema: growth.RowsSchema, Root: "Root", Make: func(size int) []byte { return growth.Rows(size, 0) }})
	t.Logf("%-24s %-40s %9s %9s %9s %7s %7s", "verb", "family", "bytes", "ns/byte", "mem/byte", "time x2", "mem x2")
	for _, fam := range families {
		write(t, schema, []byte(fam.Schema))
		for _, v := range []grows{
			{args: []string{"verify"}, memory: 100},
			{args: []string{"verify", "--all", "--strict"}, memory: 1000}, // the words of ten thousand faults
			{args: []string{"dump"}, memory: 200},
			{args: []string{"dump", "--json"}, memory: 200, bounded: true},
			{args: []string{"dump", "--partial"}, memory: 400},
			{args: []string{"dump", "--path", "**.s"}, memory: 200},
			{args: []string{"annotate"}, memory: 200},
			{args: []string{"annotate", "--json"}, memory: 200},
			{args: []string{"stats"}, memory: 200},
			{args: []string{"html", "-o", page}, memory: 800},
			{args: []string{"diff"}, memory: 200},
		} {
			growing(t, v, fam, growthSizes(16<<10, 16<<20), file, "--schema", schema, "--root", fam.Root)
		}
	}
}

// messages is a family of streams of so many messages as have the size: the first of a real
// one, and then its second again and again.
func messages(t *testing.T, name string) growth.Family {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := container.OpenBytes(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	var starts []int64 // of what is before each message
	at := int64(0)
	for r := range f.Regions() {
		if r.Part != nil {
			starts = append(starts, at)
		}
		if at = r.Offset + r.Length; r.Part == nil && r.Kind == container.Framing {
			at = r.Offset
		}
	}
	if len(starts) < 3 {
		t.Fatalf("%s has %d messages", name, len(starts))
	}
	head, one := b[:starts[1]], b[starts[1]:starts[2]]
	return growth.Family{Name: "messages of " + name, Make: func(size int) []byte {
		return append(bytes.Clone(head), bytes.Repeat(one, max(1, (size-len(head))/len(one)))...)
	}}
}

// TestVerbsGrowAsContainersDo runs what reads containers on those of very many parts.
func TestVerbsGrowAsContainersDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stream.arrows")
	page := file + ".html"
	fam := messages(t, "arrow/plain.arrows")
	for _, v := range []grows{
		{args: []string{"verify"}, memory: 100}, {args: []string{"dump"}, memory: 100}, {args: []string{"dump", "--json"}, memory: 100}, {args: []string{"annotate"}, memory: 100}, {args: []string{"stats"}, memory: 100},
		{args: []string{"html", "-o", page}, memory: 800}, {args: []string{"diff"}, memory: 100},
	} {
		growing(t, v, fam, growthSizes(16<<10, 16<<20), file)
	}
}

// TestVerbsGrowAsSchemasDo runs what reads schemas on those that were made to be expensive.
func TestVerbsGrowAsSchemasDo(t *testing.T) {
	dir := t.TempDir()
	file, data := filepath.Join(dir, "g.fbs"), write(t, filepath.Join(dir, "data"), make([]byte, 64))
	for _, fam := range chosen(growth.SchemaTexts(), 8) {
		verbs := []grows{{args: []string{"schema", "list"}, memory: 2000}, {args: []string{"schema", "print"}, memory: 2000}, {args: []string{"verify", data, "--schema"}, memory: 2000}}
		if *allFamilies { // what all known formats make of the data takes a while
			verbs = append(verbs, grows{args: []string{"schema", "find", data, "--schema"}, memory: 2000})
		}
		for _, v := range verbs {
			growing(t, v, fam, growthSizes(4<<10, 1<<20), file)
		}
	}
}
