// Package programtest compiles programs for the tests of those who run them.
package programtest

import (
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/schema/fbs"
)

// Compile returns the program of the root type of a schema's text.
func Compile(t *testing.T, text string) *program.Program {
	t.Helper()
	s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte(text)}}, "t.fbs")
	if err != nil {
		t.Fatal(err)
	}
	p, err := program.Compile(s, s.Root, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
