package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"syscall"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/suggest"
	"github.com/fbverify/go/remote"
)

// Stdin is the name that stands for standard input.
const Stdin = "-"

// Source is an open file.
type Source struct {
	Name string // as it was given
	Size int64  // in bytes

	// InFolder says that nobody named the file: it was found in a folder.
	InFolder bool

	r       io.ReaderAt
	mem     []byte // the whole file, when it is in memory anyway
	closers []func() error
	mapping *fbverify.Mapping
}

// inMemory is the size up to which standard input is kept in memory.
const inMemory = 32 << 20

// Open opens the file of that name, or that a URL leads to, or standard input for [Stdin].
// The error names the file and says what to do where that is known. Of a URL ranges are read
// as they are asked for, until ctx ends.
func Open(ctx context.Context, name string) (*Source, error) {
	if remote.IsURL(name) {
		return openURL(ctx, name)
	}
	if name == Stdin {
		if info, err := os.Stdin.Stat(); err == nil && isDevice(info) {
			return nil, fmt.Errorf("standard input: it is a device, not a file")
		}
		return fromStream(name, os.Stdin)
	}
	info, err := os.Stat(name)
	if err != nil {
		err = plain(name, err)
		if errors.Is(err, fs.ErrNotExist) {
			if hint := suggest.File(name); hint != "" {
				err = fmt.Errorf("%w%s", err, hint)
			}
		}
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, fileError(name, errors.New("it is a folder, not a file"))
	case isDevice(info):
		return nil, fileError(name, errors.New("it is a device, not a file"))
	case !info.Mode().IsRegular():
		// Pipes and devices have no size and cannot be read at a position.
		f, err := os.Open(name)
		if err != nil {
			return nil, plain(name, err)
		}
		defer f.Close()
		return fromStream(name, f)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, plain(name, err)
	}
	return &Source{Name: name, Size: info.Size(), r: f, closers: []func() error{f.Close}}, nil
}

// mapped is the size from which a file is mapped into memory and not read.
const mapped = 1 << 20

// largest is the size up to which a file that cannot be mapped is read.
const largest = 1 << 30

// OpenMapped is Open for verbs that look at every byte: the file's bytes are at hand, and
// a large file is mapped and not read; one that lies elsewhere is read by ranges. What works with the bytes belongs inside
// [Source.Guard].
func OpenMapped(ctx context.Context, name string) (*Source, error) {
	s, err := OpenMappable(ctx, name)
	if err != nil || s.mem != nil || s.Fetched() {
		return s, err
	}
	if s.Size > largest {
		s.Close()
		return nil, fileError(name, fmt.Errorf("its %s bytes cannot be mapped into memory, and are too many to be read into it", ui.Thousands(s.Size)))
	}
	if _, err := s.Bytes(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// OpenMappable is [OpenMapped] for verbs that look at some of the bytes: a file that is small
// or cannot be mapped is read where it lies.
func OpenMappable(ctx context.Context, name string) (*Source, error) {
	s, err := Open(ctx, name)
	if err != nil || s.mem != nil {
		return s, err
	}
	if f, ok := s.r.(*os.File); ok && s.Size >= mapped {
		if m, err := fbverify.Map(f.Name()); err == nil {
			if int64(len(m.Bytes())) != s.Size {
				m.CloseUnchecked() // it changed meanwhile
				return s, nil
			}
			s.mapping, s.mem = m, m.Bytes()
			s.closers = append(s.closers, m.CloseUnchecked)
		}
	}
	return s, nil
}

// Guard calls f. Where the bytes are those of a mapped file, and another process cut it
// short meanwhile, it returns an error instead of ending the program.
func (s *Source) Guard(f func() error) error {
	if s.mapping == nil {
		return f()
	}
	return s.mapping.Guard(f)
}

// FromBytes is a Source of bytes in memory.
func FromBytes(name string, b []byte) *Source {
	return &Source{Name: name, Size: int64(len(b)), r: bytes.NewReader(b), mem: b}
}

// plain says what went wrong with a file in words, with the file's name first.
func plain(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileError(name, &openError{"there is no such file", err})
	case errors.Is(err, fs.ErrPermission):
		return fileError(name, &openError{"no permission to read it", err})
	}
	return fileError(name, err)
}

// fileError is an error of the file of that name.
func fileError(name string, err error) error { return &ui.FileError{Name: name, Err: err} }

// openError keeps the cause for errors.Is and says it in our words.
type openError struct {
	words string
	cause error
}

func (e *openError) Error() string { return e.words }
func (e *openError) Unwrap() error { return e.cause }

// isDevice reports whether a file is a device that gives bytes without end, such as
// /dev/zero. Terminals and the null device are none.
func isDevice(info fs.FileInfo) bool {
	if info.Mode()&fs.ModeDevice == 0 {
		return false
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, null) {
		return false
	}
	if tty, err := os.Stdin.Stat(); err == nil && os.SameFile(info, tty) && ui.IsTerminal(os.Stdin) {
		return false
	}
	return true
}

// spooled is how many bytes of a stream are kept at most, however much room there is.
const spooled = 8 << 30

// spoolLimit is how many bytes of a stream may be written to f: some of the room beside it.
func spoolLimit(f *os.File) int64 {
	if free, ok := freeSpace(f); ok {
		return min(spooled, free/4)
	}
	return spooled
}

// fromStream keeps what r has to say.
func fromStream(name string, r io.Reader) (*Source, error) {
	head, err := io.ReadAll(io.LimitReader(r, inMemory))
	if err != nil {
		return nil, plain(name, err)
	}
	if len(head) < inMemory {
		return FromBytes(name, head), nil
	}
	f, err := os.CreateTemp("", "fbinspect-*")
	if err != nil {
		return nil, fileError(name, fmt.Errorf("it is larger than %d bytes and needs a temporary file: %w", inMemory, err))
	}
	closers := []func() error{f.Close}
	// Where the system allows it the file loses its name now, so that nothing is
	// left behind however this process ends.
	if os.Remove(f.Name()) != nil {
		closers = append(closers, func() error { return os.Remove(f.Name()) })
	}
	s := &Source{Name: name, r: f, closers: closers}
	limit := spoolLimit(f)
	n, err := f.Write(head)
	if err == nil {
		var rest int64
		rest, err = io.Copy(f, io.LimitReader(r, limit+1))
		s.Size = int64(n) + rest
		if err == nil && rest > limit {
			err = fmt.Errorf("it goes on after %s bytes: write it to a file and name that", ui.Thousands(s.Size))
		}
	}
	if err != nil {
		s.Close()
		return nil, fileError(name, fmt.Errorf("cannot be copied to a temporary file: %w", err))
	}
	return s, nil
}

// Close releases the file.
func (s *Source) Close() error {
	var err error
	for _, c := range s.closers {
		err = errors.Join(err, c())
	}
	s.closers = nil
	return err
}

// ReadAt reads at a position of the file.
func (s *Source) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.r.ReadAt(p, off)
	if errors.Is(err, syscall.EISDIR) {
		err = errors.New("it is a folder")
	}
	return n, err
}

// Around returns up to n bytes from offset on, fewer at the end of the file and
// where reading fails. It is for showing bytes, not for judging them.
func (s *Source) Around(offset int64, n int) []byte {
	if offset < 0 || offset >= s.Size {
		return nil
	}
	b := make([]byte, min(int64(n), s.Size-offset))
	got, _ := s.r.ReadAt(b, offset)
	return b[:got]
}

// InMemory reports whether the bytes of the file's parts are its own memory.
func (s *Source) InMemory() bool { return s.mem != nil }

// Bytes returns the whole file, which must not be written to.
func (s *Source) Bytes() ([]byte, error) {
	if s.mem != nil || s.Size == 0 {
		return s.mem, nil
	}
	if s.Size > math.MaxInt-1 {
		return nil, fileError(s.Name, fmt.Errorf("%d bytes are more than this machine can address", s.Size))
	}
	b := make([]byte, s.Size)
	if n, err := s.r.ReadAt(b, 0); n < len(b) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fileError(s.Name, err)
	}
	s.mem = b
	return b, nil
}

// Container opens the file as what it is, or as the format that the flags name. A file
// that is known to be something else is called that.
func (s *Source) Container(t *Types, format container.Format) (*container.File, error) {
	opts := &container.Options{Format: format, Type: t.Root()}
	var f *container.File
	var err error
	if s.mem != nil {
		f, err = container.OpenBytes(s.mem, opts)
	} else {
		f, err = container.Open(s, s.Size, opts)
	}
	if err == nil && format == container.Unknown && t.overrule(f, s) {
		return s.Container(t, container.Raw)
	}
	if errors.Is(err, container.ErrUnknownFormat) || err == nil && format == container.Unknown && f.Detection().Confidence == container.Guess {
		if what, advice := s.Foreign(); what != "" {
			if advice != "" {
				what += "; " + advice
			}
			return nil, &container.Error{Kind: container.ErrUnknownFormat, Detail: what}
		}
	}
	return f, err
}
