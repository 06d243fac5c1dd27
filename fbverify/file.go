package fbverify

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
)

// ReadFile reads the file into memory that nobody else can write to, and verifies
// it. Nil opts are the defaults. The error names the file, and wraps an [*Error]
// where the file was read and refused.
func ReadFile[T View[T]](name string, opts *Options) (Verified[T], error) {
	buf, err := os.ReadFile(name)
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

// Mapping is a file mapped into memory, read-only. Opening one costs the same for
// every size, and only pages that are read are loaded.
//
// The bytes are the file's: when another process writes to it, they change, and
// what was verified no longer holds. When another process truncates it, reading
// the bytes that are gone faults, which ends the program, as no recover can catch
// it; [Mapping.Guard] turns such a fault into an error. Map files that are written
// once and replaced by renaming; use [ReadFile] for others.
//
// On systems without mmap support here (all but the BSDs, Linux and macOS) the
// file is read into memory instead.
type Mapping struct {
	data   []byte
	mapped bool
	name   string
}

// Map maps the whole of a regular file. An empty one has no bytes.
func Map(name string) (*Mapping, error) {
	data, mapped, err := mapFile(name)
	if err != nil {
		return nil, fmt.Errorf("fbverify: %w", err)
	}
	return &Mapping{data, mapped, name}, nil
}

// Bytes returns the file's bytes. They must not be written to, which would end
// the program, nor read after Close.
func (m *Mapping) Bytes() []byte { return m.data }

// Close gives the mapping up. Everything that refers to its bytes, each view,
// string and slice read from them, must not be used any more: reading one ends
// the program, or reads what was mapped there since.
func (m *Mapping) Close() error {
	data, mapped := m.data, m.mapped
	m.data, m.mapped = nil, false
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
// What [Mapping] says of other processes, and of Close, holds for its views.
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
		f.Close()
		return nil, err
	}
	return f, nil
}

// Verified returns the file's verified root. It is not valid after Close.
func (f *MappedFile[T]) Verified() Verified[T] { return f.root }

// Root returns the view of the root table. It is not valid after Close.
func (f *MappedFile[T]) Root() T { return f.root.Root() }
