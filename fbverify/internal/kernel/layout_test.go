//go:build amd64

package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unsafe"
)

// TestWhatAssemblyTakesForGranted of the layout of structs, beyond where fields are: it
// gets those from the compiler.
func TestWhatAssemblyTakesForGranted(t *testing.T) {
	var r Run
	var k Kind
	half := unsafe.Offsetof(k.ChildVTable)
	for what, is := range map[string]bool{
		"vectors are 16 bytes, since their number is shifted by four": unsafe.Sizeof(Vector{}) == 16,
		"halves of kinds are 16 bytes, since their number is":         half == 16 && unsafe.Sizeof(k) == 2*half,
		"both halves of a kind have their shape at one place":         unsafe.Offsetof(k.ChildShape)-half == unsafe.Offsetof(k.Shape),
		"the first half begins where a kind does":                     unsafe.Offsetof(k.VTable) == 0,
		"kinds lie at a multiple of their size":                       unsafe.Offsetof(r.Kinds)%unsafe.Sizeof(k) == 0,
	} {
		if !is {
			t.Error("not so: ", what)
		}
	}
}

// TestAssemblyNamesFields: where they are is for the compiler to say.
func TestAssemblyNamesFields(t *testing.T) {
	number := regexp.MustCompile(`[^_\w+]\d+\((DI|BX|BP|R15)\)`)
	files, err := filepath.Glob("*.s")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if number.MatchString(line) && !strings.Contains(line, "LEAQ") {
				t.Errorf("%s:%d: a field by its number:%s", name, i+1, line)
			}
		}
	}
}
