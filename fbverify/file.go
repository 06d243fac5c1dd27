package fbverify

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
)

// ReadFile reads a regular file into memory that nobody else can write to, and
// verifies it. Nil opts are the defaults. The error names the file, and wraps an
// [*Error] where the file was read and refused. A pipe or a device, which may have no
// end, is refused unread: [NewReader] reads streams.
func ReadFile[T View[T]](name string, opts *Options) (Verified[T], error) {
	buf, err := readFile(name)
	if err != nil {
		return Verified[T]{}, fmt.Errorf("fbverify: %w", err)
	}
	if opts != nil && opts.Copy {
		own := *opts
		own.Copy = false // buf is a copy
		opts = &own
	}
	root, err := RootWithOptions[T](buf, opts)
	if err != nil {
		return root, fmt.Errorf("%s: %w", name, err)
	}
	return root, nil
}

// openRegular opens a regular file. Opening anything else, such as a pipe that nobody
// writes to, does not wait.
func openRegular(op, name string) (*os.File, int64, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s %s: not a regular file", op, name)
	case info.Size() > int64(maxInt):
		err = fmt.Errorf("%s %s: %d bytes are more than this machine can address", op, name, info.Size())
	default:
		return f, info.Size(), nil
	}
	f.Close()
	return nil, 0, err
}

// readFile reads a regular file as long as it is when it is opened: one that grows
// without end ends all the same.
func readFile(name string) ([]byte, error) {
	f, size, err := openRegular("read", name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, size)
	n, err := io.ReadFull(f, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return buf[:n], nil // it was cut meanwhile
	}
	return buf, err
}

// Mapping is a file mapped into memory, read-only. Opening one costs the same for
// every size, and only pages that are read are loaded.
//
// The bytes are the file's: when another process writes to it, they change, and
// what was verified no longer holds. When another process truncates it, reading
// the bytes that are gone faults, which ends the program, as no recover can catch
// it; [Mapping.Guard] turns such a fault into an error. Map files that are written
// once and replaced by renaming; use [ReadFile] for others.
//
// A mapping lasts until [Mapping.CloseUnchecked], and as long as the program where
// nobody calls that.
//
// On systems without mmap support here (all but the BSDs, Linux and macOS) the
// file is read into memory instead.
type Mapping struct {
	data   []byte
	mapped bool
	closed bool
	name   string
}

// Map maps the whole of a regular file. An empty one has no bytes. A pipe or a device is
// refused.
func Map(name string) (*Mapping, error) {
	data, mapped, err := mapFile(name)
	if err != nil {
		return nil, fmt.Errorf("fbverify: %w", err)
	}
	return &Mapping{data: data, mapped: mapped, name: name}, nil
}

// Bytes returns the file's bytes. They must not be written to, which would end
// the program. It panics after CloseUnchecked.
func (m *Mapping) Bytes() []byte {
	m.open("Bytes")
	return m.data
}

// open panics where the mapping was given up.
func (m *Mapping) open(method string) {
	if m.closed {
		panic("fbverify: " + method + " of the mapped file " + m.name + " after CloseUnchecked: its bytes are no longer there")
	}
}

// CloseUnchecked gives the mapping up, and with it every proof about its bytes: each
// Verified, view, string and slice that was read from them must not be used any more.
// Nothing checks that. Reading one ends the program, or reads what was mapped there
// since. The methods of the Mapping itself panic from then on. Closing twice does
// nothing.
func (m *Mapping) CloseUnchecked() error {
	data, mapped := m.data, m.mapped
	m.data, m.mapped, m.closed = nil, false, true
	if !mapped || len(data) == 0 {
		return nil
	}
	if err := unmap(data); err != nil {
		return fmt.Errorf("fbverify: unmap %s: %w", m.name, err)
	}
	return nil
}

// ErrFault is what [Mapping.Guard] returns, wrapped with the position, when bytes
// of a mapped file cannot be read: the file was truncated, or its disk failed.
var ErrFault = errors.New("the mapped file's bytes cannot be read: was it truncated?")

// Guard calls f, and returns ErrFault, wrapped, when f reads bytes of the mapping
// that are no longer there; f ends at that read. Its own goroutine is guarded, and
// not those that it starts. What f read before is as good as the file was.
func (m *Mapping) Guard(f func() error) (err error) {
	m.open("Guard")
	data := m.data
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		fault, ok := r.(interface{ Addr() uintptr })
		if ok && len(data) > 0 {
			at := fault.Addr() - reflect.ValueOf(data).Pointer()
			if at < uintptr(len(data)) {
				err = fmt.Errorf("fbverify: %s, byte %d: %w", m.name, at, ErrFault)
				return
			}
		}
		panic(r)
	}()
	return f()
}

// MappedFile is a mapped file whose bytes were verified as one buffer of root T.
// What [Mapping] says of other processes, and of CloseUnchecked, holds for its views.
type MappedFile[T View[T]] struct {
	Mapping
	root Verified[T]
}

// MapFile maps a file and verifies it as one buffer. Nil opts are the defaults;
// with opts.Copy the file is read into memory as by [ReadFile]. The error names
// the file, and wraps an [*Error] where it was refused. A file that is truncated while
// it is verified gives [ErrFault], for which the verification keeps to the calling
// goroutine: opts.Parallel is not used.
func MapFile[T View[T]](name string, opts *Options) (*MappedFile[T], error) {
	if opts != nil && opts.Copy {
		root, err := ReadFile[T](name, opts)
		if err != nil {
			return nil, err
		}
		return &MappedFile[T]{Mapping{data: root.Bytes(), name: name}, root}, nil
	}
	m, err := Map(name)
	if err != nil {
		return nil, err
	}
	f := &MappedFile[T]{Mapping: *m}
	var own Options
	if opts != nil {
		own = *opts
	}
	own.Parallel = min(own.Parallel, 1)
	err = f.Guard(func() (err error) {
		f.root, err = RootWithOptions[T](f.data, &own)
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(err, f.CloseUnchecked()) // nobody has seen its bytes
	}
	return f, nil
}

// Verified returns the file's verified root. It panics after CloseUnchecked.
func (f *MappedFile[T]) Verified() Verified[T] {
	f.open("Verified")
	return f.root
}

// Root returns the view of the root table. It panics after CloseUnchecked.
func (f *MappedFile[T]) Root() T {
	f.open("Root")
	return f.root.Root()
}
