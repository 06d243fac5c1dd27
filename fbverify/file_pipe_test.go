//go:build unix

package fbverify_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fbverify/go/fbverify"
)

// TestPipesAndDevicesAreRefusedAtOnce: nobody writes to the pipe, and the device has no end.
func TestPipesAndDevicesAreRefusedAtOnce(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes with names here: ", err)
	}
	for _, name := range []string{pipe, "/dev/zero", t.TempDir()} {
		for how, open := range map[string]func() error{
			"Map":               func() error { _, err := fbverify.Map(name); return err },
			"MapFile":           func() error { _, err := fbverify.MapFile[Book](name, nil); return err },
			"MapFile with Copy": func() error { _, err := fbverify.MapFile[Book](name, &fbverify.Options{Copy: true}); return err },
			"ReadFile":          func() error { _, err := fbverify.ReadFile[Book](name, nil); return err },
		} {
			done := make(chan error, 1)
			go func() { done <- open() }()
			select {
			case err := <-done:
				if err == nil || !strings.Contains(err.Error(), "not a regular file") {
					t.Errorf("%s of %s: %v", how, name, err)
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("%s of %s does not return", how, name)
			}
		}
	}
}
