//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/gogen"
)

// TestASchemaMayComeFromAPipe, and is read once.
func TestASchemaMayComeFromAPipe(t *testing.T) {
	put(t, map[string]string{"other.fbs": "struct S { a:int; }"})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		fmt.Fprint(w, `include "other.fbs"; table Root { s:S; }`)
		w.Close()
	}()
	mustRun(t, "-o", "out", fmt.Sprintf("/dev/fd/%d", r.Fd()))
	r.Close()
	if b, err := os.ReadFile("out/fb_views.go"); err != nil || !bytes.Contains(b, []byte("Root")) {
		t.Errorf("%.100s, %v", b, err)
	}
}

// TestASchemaIsNotReplacedByWhatIsMadeOfIt: a package holds its schema in binary form.
func TestASchemaIsNotReplacedByWhatIsMadeOfIt(t *testing.T) {
	put(t, map[string]string{"s.fbs": "table T { a:int; } root_type T;"})
	mustRun(t, "-o", "out", "s.fbs")
	names := gogen.FileNames()
	binary := "out/" + names[len(names)-1]
	before, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	status, _, errs := fbgen(t, "-o", "out", "-package", "out", binary)
	if after, err := os.ReadFile(binary); status != statusUsage || !strings.Contains(errs, "would be replaced") || err != nil || !bytes.Equal(before, after) {
		t.Errorf("status %d, %s, %v", status, errs, err)
	}
}

// TestASchemaThatIsTooLargeIsRefusedBeforeItIsRead: a file may be larger than memory.
func TestASchemaThatIsTooLargeIsRefusedBeforeItIsRead(t *testing.T) {
	put(t, map[string]string{"s.bfbs": "1234BFBS"})
	if err := os.Truncate("s.bfbs", 1<<40); err != nil {
		t.Skip(err)
	}
	if status, _, errs := fbgen(t, "s.bfbs"); status != statusUsage || !strings.Contains(errs, "more than 64 MiB") {
		t.Errorf("status %d, %s", status, errs)
	}
}
