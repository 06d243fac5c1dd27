package fbverify_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
)

func bookFile(t *testing.T, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "book.bin")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestFilesReadAndMapped(t *testing.T) {
	name := bookFile(t, bookBytes("Title", 2.5, "Name"))
	for _, opts := range []*fbverify.Options{nil, {Copy: true}} {
		v, err := fbverify.ReadFile[Book](name, opts)
		if err != nil {
			t.Fatal(err)
		}
		m, err := fbverify.MapFile[Book](name, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []Book{v.Root(), m.Root(), m.Verified().Root()} {
			if r.Title() != "Title" || r.Author().Name() != "Name" {
				t.Errorf("read %q by %q", r.Title(), r.Author().Name())
			}
		}
		if string(m.Bytes()) != string(v.Bytes()) {
			t.Error("the mapped bytes are not the file's")
		}
		if err := errors.Join(m.CloseUnchecked(), m.CloseUnchecked()); err != nil {
			t.Error(err)
		}
		for name, read := range map[string]func(){
			"Bytes": func() { m.Bytes() }, "Root": func() { m.Root() }, "Verified": func() { m.Verified() },
			"Guard": func() { m.Guard(func() error { return nil }) },
		} {
			if says := panicOf(read); !strings.Contains(says, name+" of the mapped file") {
				t.Errorf("%s after CloseUnchecked: %q", name, says)
			}
		}
	}
}

// panicOf returns what f panics with, "" where it does not.
func panicOf(f func()) (says string) {
	defer func() {
		if r := recover(); r != nil {
			says = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

func TestFilesThatCannotBeRead(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := fbverify.ReadFile[Book](missing, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadFile: %v", err)
	}
	if _, err := fbverify.MapFile[Book](missing, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("MapFile: %v", err)
	}
	if _, err := fbverify.MapFile[Book](missing, &fbverify.Options{Copy: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("MapFile with Copy: %v", err)
	}
	if _, err := fbverify.MapFile[Book](t.TempDir(), nil); err == nil {
		t.Error("a directory was mapped")
	}
	empty := bookFile(t, nil)
	if _, err := fbverify.ReadFile[Book](empty, nil); !errors.Is(err, fbverify.ErrTooShort) {
		t.Errorf("ReadFile of an empty file: %v", err)
	}
	if _, err := fbverify.MapFile[Book](empty, nil); !errors.Is(err, fbverify.ErrTooShort) {
		t.Errorf("MapFile of an empty file: %v", err)
	}
	bad := bookFile(t, bookBytes("Title", 1, "Name")[:30])
	if _, err := fbverify.MapFile[Book](bad, nil); !errors.Is(err, fbverify.ErrOutOfBounds) {
		t.Errorf("MapFile of a truncated file: %v", err)
	}
	_, read := fbverify.ReadFile[Book](bad, nil)
	_, mapped := fbverify.MapFile[Book](bad, nil)
	for _, err := range []error{read, mapped} {
		var fault *fbverify.Error
		if !errors.As(err, &fault) || !strings.HasPrefix(fmt.Sprint(err), bad+": ") {
			t.Errorf("the error of a refused file is %q, and should name the file", err)
		}
	}
}

// faultIsLocated tells whether a fault of f is reported with an address in data.
func faultIsLocated(data []byte, f func() error) (is bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		fault, ok := recover().(interface{ Addr() uintptr })
		is = ok && fault.Addr()-reflect.ValueOf(data).Pointer() < uintptr(len(data))
	}()
	f()
	return false
}

func TestGuardTurnsTheFaultOfATruncatedFileIntoAnError(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("files are mapped, and their faults known, on Linux and macOS")
	}
	data := make([]byte, 1<<20)
	copy(data, bookBytes("Title", 1, "Name"))
	name := bookFile(t, data)
	m, err := fbverify.Map(name)
	if err != nil {
		t.Fatal(err)
	}
	defer m.CloseUnchecked()
	sum := func() error {
		n := 0
		for _, c := range m.Bytes() {
			n += int(c)
		}
		if n == 0 {
			return errors.New("no bytes")
		}
		return nil
	}
	if err := m.Guard(sum); err != nil {
		t.Fatalf("before the file was truncated: %v", err)
	}
	if err := os.Truncate(name, 100); err != nil {
		t.Fatal(err)
	}
	if runtime.GOARCH != "amd64" && !faultIsLocated(m.Bytes(), sum) {
		t.Skip("this machine, an emulator, does not report where a fault was, by which Guard tells its own")
	}
	if err := m.Guard(sum); !errors.Is(err, fbverify.ErrFault) {
		t.Errorf("after the file was truncated: %v", err)
	}
	own := errors.New("own")
	if err := m.Guard(func() error { return own }); err != own {
		t.Errorf("an error of the function became %v", err)
	}
	defer func() {
		if r := recover(); r != "other" {
			t.Errorf("another panic became %v", r)
		}
	}()
	m.Guard(func() error { panic("other") })
}
