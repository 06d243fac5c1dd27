package input

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAStreamIsKeptWholeWhateverItsSize(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, n := range []int{0, 1, inMemory - 1, inMemory, inMemory + 4321} {
		want := make([]byte, n)
		for i := range want {
			want[i] = byte(i * 7)
		}
		s, err := fromStream("-", bytes.NewReader(want))
		if err != nil {
			t.Fatal(err)
		}
		if s.Size != int64(n) || s.InMemory() != (n < inMemory) {
			t.Errorf("%d bytes: size %d, in memory %t", n, s.Size, s.InMemory())
		}
		if n > 100 {
			if got := s.Around(int64(n-50), 100); !bytes.Equal(got, want[n-50:]) {
				t.Errorf("%d bytes: the end reads as %x", n, got)
			}
		}
		got, err := s.Bytes()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: read back %d, %v", n, len(got), err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAFailingStreamIsAnError(t *testing.T) {
	broken := errors.New("the line is dead")
	if _, err := fromStream("-", io.MultiReader(strings.NewReader("some"), errReader{broken})); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }

// TestALargeFileIsMapped checks that the bytes are those of the file, and that cutting the
// file short is an error and not the end of the program.
func TestALargeFileIsMapped(t *testing.T) {
	name := filepath.Join(t.TempDir(), "large")
	want := bytes.Repeat([]byte("0123456789abcdef"), mapped/16+1000)
	if err := os.WriteFile(name, want, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := OpenMapped(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if b, err := s.Bytes(); err != nil || !bytes.Equal(b, want) {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	if s.mapping == nil || s.mapping.Bytes() == nil {
		t.Skip("files are not mapped on this system")
	}
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	err = s.Guard(func() error {
		b, err := s.Bytes()
		if err == nil && b[len(b)-1] == 'f' {
			return nil // the system kept the page, or read the file into memory
		}
		return err
	})
	if err != nil && !strings.Contains(err.Error(), "truncated") {
		t.Errorf("the error is %v", err)
	}
}

func TestErrorsOfOpeningAreInWords(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(t.Context(), filepath.Join(dir, "nowhere"))
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasSuffix(err.Error(), "nowhere: there is no such file") {
		t.Errorf("the error is %v", err)
	}
	if _, err := Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("the error is %v", err)
	}
}

func TestTypesAreFoundByNameAndSuggested(t *testing.T) {
	for _, c := range []struct{ schema, root, want, wrong string }{
		{"", "tflite.Model", "tflite.Model", ""},
		{"", "Model", "tflite.Model", ""},
		{"", "Modle", "", "did you mean tflite.Model?"},
		{"", "Tensor", "", "several known schemas have such a table"},
		{"vortex/layout", "", "Layout", ""},
		{"vortex/layuot", "", "", "did you mean vortex/layout or"},
		{"vortex/dtype", "Decimal", "Decimal", ""},
		{"arrow/File", "Block", "", "it is a struct"},
		{"nowhere.fbs", "", "", "there is no such file"},
	} {
		types, err := LoadTypes(c.schema, nil, c.root)
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("--schema %q --root %q: the error is %v, want one with %q", c.schema, c.root, err, c.wrong)
			}
		case err != nil:
			t.Errorf("--schema %q --root %q: %v", c.schema, c.root, err)
		case types.Root().String() != c.want:
			t.Errorf("--schema %q --root %q gives %s", c.schema, c.root, types.Root())
		}
	}
}
