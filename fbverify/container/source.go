package container

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/fbverify/go/fbverify"
)

const (
	pageSize  = 4 << 10 // bytes read at a time
	pageSlots = 64      // pages kept; page n lies in slot n % pageSlots
	maxSize   = 1 << 62 // so that the sum of a position and a length never overflows an int64
)

// source reads small pieces of a file at any position through a few cached
// pages: walking a layout tree costs a read for each page, not for each
// field. It is for one goroutine.
type source struct {
	r     io.ReaderAt
	size  int64
	whole []byte // the file, when it is in memory: then there are no pages
	pages [pageSlots]page
	err   error // the first error of reading; what was read after it is nothing
}

type page struct {
	no    int64 // number of the page plus one; 0 = empty
	bytes []byte
}

// at returns the n bytes at pos, at most 64, or nil when they do not lie in
// the file or could not be read. They are valid until the next call.
func (s *source) at(pos int64, n int, scratch *[64]byte) []byte {
	if pos < 0 || pos > s.size || int64(n) > s.size-pos {
		return nil
	}
	if s.whole != nil {
		return s.whole[pos : pos+int64(n)]
	}
	in := int(pos % pageSize)
	p := s.page(pos / pageSize)
	if in+n <= len(p) {
		return p[in : in+n]
	}
	if p == nil || in > len(p) {
		return nil
	}
	out := append(scratch[:0], p[in:]...)
	p = s.page(pos/pageSize + 1)
	if len(p) < n-len(out) {
		return nil
	}
	return append(out, p[:n-len(out)]...)
}

// page returns page no, shorter than pageSize at the end of the file, nil when
// it could not be read.
func (s *source) page(no int64) []byte {
	p := &s.pages[no%pageSlots]
	if p.no == no+1 {
		return p.bytes
	}
	if s.err != nil || no*pageSize >= s.size {
		return nil
	}
	if p.bytes == nil {
		p.bytes = make([]byte, 0, pageSize)
	}
	p.no = 0
	want := min(pageSize, s.size-no*pageSize)
	b, err := readRange(s.r, p.bytes[:0], no*pageSize, want)
	if err != nil {
		s.err = err
		return nil
	}
	p.no, p.bytes = no+1, b
	return b
}

// read returns the n bytes at pos, which lie in the file, nil when they could not be
// read. Few of them come from the pages.
func (s *source) read(pos, n int64) []byte {
	if s.whole != nil {
		return s.whole[pos : pos+n : pos+n]
	}
	if n > pageSize {
		b, err := readRange(s.r, nil, pos, n)
		if err != nil && s.err == nil {
			s.err = err
		}
		return b
	}
	b := make([]byte, 0, n)
	for int64(len(b)) < n {
		at := pos + int64(len(b))
		p := s.page(at / pageSize)
		if in := at % pageSize; in < int64(len(p)) {
			b = append(b, p[in:min(int64(len(p)), in+n-int64(len(b)))]...)
			continue
		}
		return nil
	}
	return b
}

// uint returns the little-endian number of width bytes at pos, and whether it
// could be read.
func (s *source) uint(pos int64, width int) (uint64, bool) {
	var scratch [64]byte
	b := s.at(pos, width, &scratch)
	if b == nil {
		return 0, false
	}
	switch width {
	case 1:
		return uint64(b[0]), true
	case 2:
		return uint64(binary.LittleEndian.Uint16(b)), true
	case 4:
		return uint64(binary.LittleEndian.Uint32(b)), true
	default:
		return binary.LittleEndian.Uint64(b), true
	}
}

// message returns the size of the message that starts at pos; the error is that of
// [fbverify.Framing.Size].
func (s *source) message(f fbverify.Framing, pos int64) (int64, error) {
	var scratch [64]byte
	head := s.at(pos, int(min(int64(f.Prefix()), s.size-pos)), &scratch)
	return f.Size(head, s.size-pos)
}

// is reports whether text stands at pos.
func (s *source) is(pos int64, text string) bool {
	var scratch [64]byte
	b := s.at(pos, len(text), &scratch)
	return b != nil && string(b) == text
}

// zero reports whether the n bytes at pos are all zero, looking at no more
// than limit of them.
func (s *source) zero(pos, n, limit int64) bool {
	var scratch [64]byte
	for n = min(n, limit); n > 0; {
		k := min(n, 64)
		b := s.at(pos, int(k), &scratch)
		if b == nil {
			return false
		}
		for _, c := range b {
			if c != 0 {
				return false
			}
		}
		pos, n = pos+k, n-k
	}
	return true
}

// readRange appends the n bytes at pos to buf. It grows buf as bytes arrive, so
// that a size that promises more than the file has cannot ask for memory.
func readRange(r io.ReaderAt, buf []byte, pos, n int64) ([]byte, error) {
	const step = 1 << 20
	for n > 0 {
		k := int(min(n, max(step, int64(len(buf)))))
		if room := cap(buf) - len(buf); room < k {
			grown := make([]byte, len(buf), len(buf)+k)
			copy(grown, buf)
			buf = grown
		}
		got, err := r.ReadAt(buf[len(buf):len(buf)+k], pos)
		if got < k {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		buf = buf[:len(buf)+k]
		pos, n = pos+int64(k), n-int64(k)
	}
	return buf, nil
}
