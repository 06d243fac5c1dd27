package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Output is a file that is written. It appears under its name when all of it is
// there, and not at all when something failed.
type Output struct {
	*bufio.Writer
	name string   // of the file that it becomes; "" for what is written in place
	file *os.File // the temporary file, or the device or pipe; nil for a stream that stays open
	old  os.FileMode
}

// Create starts to write the file of that name, or to w where the name is "" or
// "-". The file is made in the folder it will be in, so that the last step,
// renaming it, cannot fail half way. A name that is a device, a pipe or a descriptor
// of this process, such as /dev/stdout, is written in place.
//
// The inputs are the names of what is read: Create refuses to replace one of them.
func Create(name string, w io.Writer, inputs ...string) (*Output, error) {
	const buffered = 64 << 10
	if name == "" || name == "-" {
		return &Output{Writer: bufio.NewWriterSize(w, buffered)}, nil
	}
	if fd, ok := descriptor(name); ok {
		f := map[uintptr]*os.File{1: os.Stdout, 2: os.Stderr}[fd]
		if f == nil {
			f = os.NewFile(fd, name)
		}
		if _, err := f.Stat(); err != nil {
			return nil, fmt.Errorf("%s: the descriptor is not open", name)
		}
		return &Output{Writer: bufio.NewWriterSize(f, buffered)}, nil
	}
	if err := Distinct(name, inputs...); err != nil {
		return nil, err
	}
	mode := os.FileMode(0o666)
	switch info, err := os.Stat(name); {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s: it is a folder: name a file in it", name)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &Output{Writer: bufio.NewWriterSize(f, buffered), file: f}, nil
	case err == nil:
		mode = info.Mode().Perm()
		if target, err := filepath.EvalSymlinks(name); err == nil {
			name = target // what a link leads to is replaced, not the link
		}
	}
	f, err := createBeside(name, mode)
	if err != nil {
		return nil, err
	}
	unfinished.Store(f.Name(), nil)
	return &Output{Writer: bufio.NewWriterSize(f, buffered), name: name, file: f, old: mode}, nil
}

// descriptor returns the number of a descriptor of this process that a name stands for.
// What it leads to is not to be replaced: who redirected it holds on to the file.
func descriptor(name string) (fd uintptr, ok bool) {
	name = filepath.Clean(name)
	switch name {
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/", fmt.Sprintf("/proc/%d/fd/", os.Getpid())} {
		if number, found := strings.CutPrefix(name, dir); found {
			n, err := strconv.ParseUint(number, 10, 31)
			return uintptr(n), err == nil
		}
	}
	return 0, false
}

// Distinct refuses an output that is one of the inputs, under whatever name.
func Distinct(output string, inputs ...string) error {
	out, err := os.Stat(output)
	if err != nil || !out.Mode().IsRegular() {
		return nil
	}
	for _, name := range inputs {
		if in, err := os.Stat(name); err == nil && os.SameFile(in, out) {
			return fmt.Errorf("%s: it is read as %s, and would be replaced: name another file", output, name)
		}
	}
	return nil
}

// createBeside makes a new file in name's folder, with the permissions that a file
// made there directly would have.
func createBeside(name string, mode os.FileMode) (*os.File, error) {
	dir, base := filepath.Split(name)
	base = base[:min(len(base), 64)] // a name that is as long as names can be leaves room
	for i := range 10_000 {
		f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf(".%s.%d.tmp%d", base, os.Getpid(), i)), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, os.ErrExist) {
			var pe *os.PathError
			if errors.As(err, &pe) {
				err = pe.Err // its path is a name that nobody gave
			}
			return nil, fmt.Errorf("%s: it cannot be written: %w", name, err)
		}
	}
	return nil, fmt.Errorf("%s: too many temporary files beside it", name)
}

// Close finishes the file: on a nil failed it gets its name, else it goes away. It
// returns failed, or what went wrong at the end.
func (o *Output) Close(failed error) error {
	err := failed
	if flush := o.Flush(); err == nil {
		err = flush
	}
	if o.file == nil {
		return err
	}
	if o.name == "" {
		return errors.Join(err, o.file.Close())
	}
	if err == nil && o.old != 0 {
		// The umask applies to a new file; one that is replaced keeps its mode.
		if _, exists := os.Stat(o.name); exists == nil {
			err = o.file.Chmod(o.old)
		}
	}
	if c := o.file.Close(); err == nil {
		err = c
	}
	if err == nil {
		err = os.Rename(o.file.Name(), o.name)
	}
	if err != nil {
		os.Remove(o.file.Name())
	}
	unfinished.Delete(o.file.Name())
	return err
}

// unfinished are the names of the files that are being written.
var unfinished sync.Map

// RemoveUnfinished removes the files that are being written: for a program that has to end
// at once.
func RemoveUnfinished() {
	unfinished.Range(func(name, _ any) bool {
		os.Remove(name.(string))
		return true
	})
}
