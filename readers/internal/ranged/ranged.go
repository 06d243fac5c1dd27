// Package ranged reads ranges of a file for the readers: few reads, within limits, and a
// FlatBuffer verified before anybody sees it.
package ranged

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/readers"
)

const (
	first   = 64 << 10
	gap     = 16 << 10
	maxRead = 256 << 20
	maxSize = 1 << 62 // so that the sum of an offset and a length never overflows

	// most is how many bytes reads are put together to where each is shorter.
	most = 8 << 20

	// align is what the first byte in memory of a read is a multiple of in the file, where that is free
	// to choose: numbers that are aligned in the file are read in place.
	align = 64
)

// Source is a file that is read in ranges. It is safe for concurrent use if its reader is.
type Source struct {
	Format container.Format // for errors
	Size   int64

	r     io.ReaderAt
	whole []byte // the file, where it is in memory
	opts  readers.Options
	total atomic.Int64
}

// New returns a Source of the size bytes of r, or of the bytes that r is.
func New(format container.Format, r io.ReaderAt, size int64, opts *readers.Options) (*Source, error) {
	s := &Source{Format: format, Size: size, r: r}
	if opts != nil {
		s.opts = *opts
	}
	if b, ok := r.(readers.Bytes); ok {
		if s.whole = b[:len(b):len(b)]; size != int64(len(b)) {
			return nil, s.Fault(container.ErrLimit, "", 0, "the size is not that of the bytes", fmt.Sprint(size), fmt.Sprint(len(b)))
		}
	}
	if size < 0 || size > maxSize {
		return nil, s.Fault(container.ErrLimit, "", 0, "the file's size is impossible", fmt.Sprint(size), fmt.Sprintf("0 to %d", int64(maxSize)))
	}
	for _, o := range []struct {
		name  string
		value *int64
		none  int64
	}{{"First", &s.opts.First, first}, {"MaxRead", &s.opts.MaxRead, maxRead}, {"MaxTotal", &s.opts.MaxTotal, math.MaxInt64}} {
		if *o.value < 0 {
			return nil, s.Fault(container.ErrLimit, "", 0, "Options."+o.name+" is negative", fmt.Sprint(*o.value), "0 or more")
		}
		if *o.value == 0 {
			*o.value = o.none
		}
	}
	if s.opts.Gap == 0 {
		s.opts.Gap = gap
	}
	s.opts.Gap = max(0, s.opts.Gap)
	return s, nil
}

// Fault is an error about the file.
func (s *Source) Fault(kind container.Kind, part string, offset int64, detail, found, allowed string) *container.Error {
	return &container.Error{Kind: kind, Format: s.Format, Part: part, Offset: offset, Detail: detail, Found: found, Allowed: allowed}
}

// Fits reports whether length bytes at offset lie between from and to. Both may be of any
// value that a file can say.
func Fits(offset, length uint64, from, to int64) bool {
	return offset >= uint64(from) && offset <= uint64(to) && length <= uint64(to)-offset
}

// Read reads one range, which lies in the file.
func (s *Source) Read(ctx context.Context, part string, at readers.Range) ([]byte, error) {
	if s.whole != nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return s.whole[at.Offset:at.End():at.End()], nil
	}
	b, err := s.fill(ctx, part, at, nil)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// AppendTo is Read into buf's memory from buf[:0] on, where there is room for it.
func (s *Source) AppendTo(ctx context.Context, part string, at readers.Range, buf []byte) ([]byte, error) {
	if s.whole != nil {
		return s.Read(ctx, part, at)
	}
	return s.fill(ctx, part, at, buf)
}

func (s *Source) fill(ctx context.Context, part string, at readers.Range, buf []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if at.Length > min(s.opts.MaxRead, math.MaxInt-1) {
		return nil, s.Fault(container.ErrLimit, part, at.Offset, "it is longer than Options.MaxRead", bytesOf(at.Length), fmt.Sprintf("at most %d", s.opts.MaxRead))
	}
	if total := s.total.Add(at.Length); total > s.opts.MaxTotal {
		s.total.Add(-at.Length)
		return nil, s.Fault(container.ErrLimit, part, at.Offset, "more would be read than Options.MaxTotal", bytesOf(total), fmt.Sprintf("at most %d", s.opts.MaxTotal))
	}
	if int64(cap(buf)) < at.Length {
		buf = make([]byte, at.Length)
	}
	buf = buf[:at.Length]
	for n := 0; n < len(buf); { // a reader that stops short of an end is asked again
		got, err := s.r.ReadAt(buf[n:], at.Offset+int64(n))
		n += got
		if n == len(buf) {
			break
		}
		if err == nil && got > 0 {
			continue
		}
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		e := s.Fault(container.ErrRead, part, at.Offset+int64(n), "cannot read it", "", "")
		e.Err = err
		return nil, e
	}
	return buf, nil
}

// Ends reads the first or the last bytes of the file, as many as Options.First says and not
// fewer than least, where the file has them. It returns them and where they are.
func (s *Source) Ends(ctx context.Context, last bool, least int64) ([]byte, readers.Range, error) {
	n := min(max(s.opts.First, least), s.Size)
	at := readers.Range{Length: n}
	if last {
		at.Offset = (s.Size - n) &^ (align - 1)
		at.Length = s.Size - at.Offset
	}
	if s.whole != nil {
		at = readers.Range{Length: s.Size}
	}
	b, err := s.Read(ctx, "", at)
	return b, at, err
}

// Wanted is a range that is to be read, and its bytes once it was.
type Wanted struct {
	Part string
	readers.Range
	Bytes []byte
}

// ReadAll reads what is wanted, in as few reads as gaps and limits allow. What lies in had is
// taken from there.
func (s *Source) ReadAll(ctx context.Context, wanted []Wanted, had []byte, hadAt readers.Range) error {
	list := make([]*Wanted, 0, len(wanted))
	for i := range wanted {
		w := &wanted[i]
		if w.Offset >= hadAt.Offset && w.End() <= hadAt.End() {
			from := w.Offset - hadAt.Offset
			w.Bytes = had[from : from+w.Length : from+w.Length]
		} else {
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b *Wanted) int { return cmp.Compare(a.Offset, b.Offset) })
	for len(list) > 0 {
		end, n := list[0].End(), 1
		from := list[0].Offset &^ (align - 1)
		for n < len(list) && list[n].Offset-end <= s.opts.Gap && max(end, list[n].End())-from <= min(most, s.opts.MaxRead) {
			end = max(end, list[n].End())
			n++
		}
		if end-from > s.opts.MaxRead {
			from = list[0].Offset
		}
		b, err := s.Read(ctx, list[0].Part, readers.Range{Offset: from, Length: end - from})
		if err != nil {
			return err
		}
		for _, w := range list[:n] {
			w.Bytes = b[w.Offset-from : w.End()-from : w.End()-from]
		}
		list = list[n:]
	}
	return nil
}

// Share is how many times its own bytes the expanded walk of a FlatBuffer may meet. Readers walk
// what they have verified without looking for what they know already, so this is what bounds
// their work; small buffers have a little more.
const (
	share     = 8
	shareMore = 4 << 10
)

// Verified verifies the FlatBuffer that b is, which lies at offset.
func Verified[T fbverify.View[T]](s *Source, part string, offset int64, b []byte, opts fbverify.Options) (fbverify.Verified[T], error) {
	opts.MaxApparentSize = share*int64(len(b)) + shareMore
	opts.Parallel = s.opts.Parallel
	v, err := fbverify.RootWithOptions[T](b, &opts)
	if err == nil {
		return v, nil
	}
	e := s.Fault(container.ErrUnreadable, part, offset, "its FlatBuffer is not sound", "", "")
	e.Err = err
	var fault *fbverify.Error
	if errors.As(err, &fault) {
		e.Offset, e.Size, e.Path = offset+int64(fault.Offset), fault.Size, fault.Path
	}
	return v, e
}

func bytesOf(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// Data reads a range that the caller asks for, into buf where there is room.
func (s *Source) Data(ctx context.Context, at readers.Range, buf []byte) ([]byte, error) {
	if at.Offset < 0 || at.Length < 0 || at.Offset > s.Size || at.Length > s.Size-at.Offset {
		return nil, s.Fault(container.ErrLength, "", max(0, at.Offset), "the range does not lie in the file", fmt.Sprintf("%d bytes at %d", at.Length, at.Offset), fmt.Sprintf("up to %d", s.Size))
	}
	return s.AppendTo(ctx, "", at, buf)
}

// Bytes says how many bytes there are.
func Bytes(n int64) string { return bytesOf(n) }

// Within returns where part, which is a piece of whole's memory, begins in it.
func Within(whole, part []byte) int64 {
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(whole))))
}

// MaxRead is the most bytes that one read may ask for.
func (s *Source) MaxRead() int64 { return s.opts.MaxRead }

// InMemory tells whether reading takes no time and no memory.
func (s *Source) InMemory() bool { return s.whole != nil }

// ReaderAt is the file as an io.ReaderAt, within the limits and until ctx is done.
func (s *Source) ReaderAt(ctx context.Context) io.ReaderAt { return readerAt{s, ctx} }

type readerAt struct {
	s   *Source
	ctx context.Context
}

func (r readerAt) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 || off >= r.s.Size {
		return 0, io.EOF
	}
	n := min(int64(len(b)), r.s.Size-off)
	got, err := r.s.AppendTo(r.ctx, "", readers.Range{Offset: off, Length: n}, b[:0:n])
	if err != nil {
		return 0, err
	}
	if copy(b, got); n < int64(len(b)) {
		return int(n), io.EOF
	}
	return int(n), nil
}
