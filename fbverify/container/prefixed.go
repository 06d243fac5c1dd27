package container

import (
	"fmt"
)

// raw is a file that is one FlatBuffer.
func (w *walker) raw() {
	p := Part{Name: "root", Length: w.f.size}
	switch {
	case w.f.format == BFBS:
		p.Name, p.Root, p.Preset.Identifier = "schema", rootReflection, "BFBS"
	case w.f.opts.Type != nil:
		p.Root = w.f.opts.Type.String()
	}
	w.part(p)
}

// sizePrefixed is a file that is one FlatBuffer with its length before it.
func (w *walker) sizePrefixed() {
	width := w.f.prefixWidth()
	n := w.f.size
	if promised, ok := w.src.uint(0, width); ok && clamp(promised) < n-int64(width) {
		n = clamp(promised) + int64(width)
	}
	if !w.prefixedPart("root", 0, n, w.rootOfType(), width) {
		return
	}
	if n < w.f.size {
		w.report(&Error{Kind: ErrTrailing, Offset: n, Detail: "the file goes on after the message that its size prefix delimits",
			Found: bytesOf(w.f.size - n), Allowed: "none (format stream reads several messages)"})
	}
}

// stream is a file of size-prefixed FlatBuffers in a row.
func (w *walker) stream() {
	w.messages(0, "message", w.rootOfType(), -1, w.f.prefixWidth())
}

// prefixWidth is the number of bytes of the size prefixes of files that do not
// say it themselves.
func (f *File) prefixWidth() int {
	if f.opts.LongPrefix || f.detection.LongPrefix {
		return 8
	}
	return 4
}

func (w *walker) rootOfType() string {
	if w.f.opts.Type != nil {
		return w.f.opts.Type.String()
	}
	return ""
}

func (w *walker) prefixedPart(name string, offset, length int64, root string, width int) bool {
	p := Part{Name: name, Root: root, Offset: offset, Length: length, SizePrefixed: true}
	p.Preset.LongPrefix = width == 8
	return w.part(p)
}

// messages walks FlatBuffers with size prefixes of width bytes from pos to the end
// of the file, or until limit of them were met where limit is not negative. It
// returns how many there were and where they end; ok is false after a fault.
func (w *walker) messages(pos int64, name, root string, limit int64, width int) (n, end int64, ok bool) {
	for pos < w.f.size && n != limit {
		rest := w.f.size - pos - int64(width)
		promised, read := w.src.uint(pos, width)
		if !read {
			w.report(&Error{Kind: ErrTruncated, Part: indexed(name, n, ""), Offset: pos,
				Detail: "the file ends within its size prefix", Found: bytesOf(w.f.size - pos), Allowed: fmt.Sprintf("%d or more", width)})
			return n, pos, false
		}
		size := clamp(promised)
		if size > rest {
			w.report(&Error{Kind: ErrTruncated, Part: indexed(name, n, ""), Offset: pos,
				Detail: "its size prefix promises more than the file has", Found: bytesOf(size), Allowed: fmt.Sprintf("at most %d", rest)})
			return n, pos, false
		}
		if !w.prefixedPart(indexed(name, n, ""), pos, int64(width)+size, root, width) {
			return n, pos, false
		}
		pos += int64(width) + size
		n++
	}
	return n, pos, true
}
