//go:build linux && (amd64 || arm64 || riscv64 || s390x)

package fbverify

import (
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/schema/fbs"
)

// TestTheMachineIsAskedOfBuffersAsLargeAsOffsetsReach, and of larger ones where a
// schema has wide offsets. The bytes are reserved, and nobody may look at them.
func TestTheMachineIsAskedOfBuffersAsLargeAsOffsetsReach(t *testing.T) {
	b, err := syscall.Mmap(-1, 0, rule.MaxBuffer+1, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip("no address space: ", err)
	}
	defer func() {
		if err := syscall.Munmap(b); err != nil {
			t.Error(err)
		}
	}()
	for text, wide := range map[string]bool{"table R {} root_type R;": false, "table R { far:string (offset64); } root_type R;": true} {
		s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte(text)}}, "t.fbs")
		if err != nil {
			t.Fatal(err)
		}
		typ, err := Compile(s, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, ok := typ.message(b[:rule.MaxBuffer], &unset); !ok {
			t.Errorf("wide %v: the machine is not asked of %d bytes", wide, rule.MaxBuffer)
		}
		if _, _, ok := typ.message(b, &unset); ok != wide {
			t.Errorf("wide %v: the machine is asked of %d bytes: %v", wide, len(b), ok)
		}
	}
}
