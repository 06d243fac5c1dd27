package fbread_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/internal/race"
)

// Whole chains of reads must inline, up to the last load. What the compiler made
// of the functions below is looked up in this test's own binary: go test strips
// the symbols, so it is built once more.

//go:noinline
func chainView(h Hier) uint64 { return h.Intermediate().Leaf().A() }

//go:noinline
func chainFixed(h HierFixed) uint64 { return h.Intermediate().Leaf().A() }

//go:noinline
func chainRoot(buf []byte) uint64 {
	return fbread.As[Hier](fbread.RootUnchecked(buf)).Intermediate().Leaf().I()
}

//go:noinline
func chainString(v item) string { return v.Name() }

//go:noinline
func chainVector(v fbread.Vector[item]) (n int) {
	for _, t := range v.All() {
		n += len(t.Name())
	}
	return n
}

//go:noinline
func chainIndex(v fbread.Vector[item], i int) uint32 { return v.At(i).Key() }

//go:noinline
func chainStrings(v fbread.StringVector) (n int) {
	for s := range v.Values() {
		n += len(s)
	}
	return n
}

//go:noinline
func chainStruct(v item) (float64, bool) {
	p, ok := fbread.InlineStruct[pair](fbread.Unchecked(v), 8)
	return p.D, ok
}

//go:noinline
func chainAllFixed(v fbread.Vector[Leaf]) (n uint64) {
	for _, f := range fbread.AllFixedUnchecked[LeafFixed](v, vtableLeaf) {
		if f.Present() {
			n += f.I()
		}
	}
	return n
}

func TestChainsOfReadsHaveNoCalls(t *testing.T) {
	if testing.Short() || race.Enabled || fbreadDebug {
		t.Skip("only the code of release builds is looked at")
	}
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("calls are looked for in the code of amd64 and arm64")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command here")
	}
	exe := filepath.Join(t.TempDir(), "chains.test")
	if out, err := exec.Command(goTool, "test", "-c", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	dump := exec.Command(goTool, "tool", "objdump", "-s", `fbread_test\.chain`, exe)
	dump.Stderr = os.Stderr
	out, err := dump.Output()
	if err != nil {
		t.Fatal(err)
	}
	// AllFixed compares a vtable that it has not seen in a call.
	allowed := regexp.MustCompile(`runtime\.(morestack|panicIndex|panicBounds|panicunsafe(string|slice)len|memequal)|fbread\.matches`)
	seen := 0
	function := ""
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "TEXT ") {
			function = strings.Fields(line)[1]
			function = function[strings.LastIndex(function, ".")+1:]
			seen++
			continue
		}
		if (strings.Contains(line, "\tCALL ") || strings.Contains(line, "\tBL ")) && !allowed.MatchString(line) {
			t.Errorf("%s calls: %s", function, strings.TrimSpace(line))
		}
	}
	if seen < 9 {
		t.Errorf("%d functions were found, want 9", seen)
	}
}

func TestChainsReadTheRightFields(t *testing.T) {
	h := fbread.As[Hier](fbread.RootUnchecked(buildHier(false)))
	f, _ := h.Fixed()
	r := fbread.RootUnchecked(everything())
	tables := fbread.Tables[item](r, slot(idTables))
	equal(t, "view", chainView(h), 21)
	equal(t, "fixed", chainFixed(f), 21)
	equal(t, "root", chainRoot(buildHier(false)), 29)
	equal(t, "string", chainString(tables.At(2)), "cow")
	equal(t, "vector", chainVector(tables), 9)
	equal(t, "index", chainIndex(tables, 1), 5)
	equal(t, "strings", chainStrings(fbread.Strings(r, slot(idStrings))), 4)
	_, ok := chainStruct(tables.At(0))
	equal(t, "struct", ok, false)
	leaves := fbread.Tables[Leaf](fbread.RootUnchecked(buildLeaves(3)), 4)
	equal(t, "all fixed", chainAllFixed(leaves), 9+19+29)
}
