package container

import (
	"errors"
	"fmt"

	"github.com/fbverify/go/fbverify"
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
	if w.part(p) && w.f.format == BFBS {
		p.file = w.f
		w.again(p, "BFBS")
	}
}

// sizePrefixed is a file that is one FlatBuffer with its length before it.
func (w *walker) sizePrefixed() {
	framing := w.f.format.Framing()
	n, _ := w.src.message(framing, 0) // all of it where it is wrong: verifying the part says so
	if !w.part(Part{Name: "root", Root: w.rootOfType(), Length: n, Framing: framing}) {
		return
	}
	if n < w.f.size {
		w.deviate("readers of one message, which look no further than its prefix says", &Error{Kind: ErrTrailing, Offset: n, Size: int(min(w.f.size-n, 1<<30)), Detail: "the file goes on after the message that its size prefix delimits",
			Found: bytesOf(w.f.size - n), Allowed: "none"})
		w.meet(n, w.f.size-n)
	}
}

// stream is a file of size-prefixed FlatBuffers in a row.
func (w *walker) stream() {
	w.messages(0, "message", w.rootOfType(), -1, w.f.format.Framing())
}

func (w *walker) rootOfType() string {
	if w.f.opts.Type != nil {
		return w.f.opts.Type.String()
	}
	return ""
}

// messages walks FlatBuffers with size prefixes from pos to the end of the file, or
// until limit of them were met where limit is not negative. It returns how many
// there were and where they end; ok is false after a fault.
func (w *walker) messages(pos int64, name, root string, limit int64, framing fbverify.Framing) (n, end int64, ok bool) {
	for pos < w.f.size && n != limit {
		size, ok := w.message(indexed(name, n, ""), root, pos, framing)
		if !ok {
			return n, pos, false
		}
		pos += size
		n++
	}
	return n, pos, true
}

// message hands on the size-prefixed FlatBuffer at pos, and returns its size. Where
// there is none that is whole, it reports that, and ok is false.
func (w *walker) message(name, root string, pos int64, framing fbverify.Framing) (size int64, ok bool) {
	size, err := w.src.message(framing, pos)
	if fault := (*fbverify.Error)(nil); errors.As(err, &fault) {
		rest, prefix := w.f.size-pos, int64(framing.Prefix())
		e := &Error{Kind: ErrTruncated, Part: name, Offset: pos, Detail: "the file ends within its size prefix", Found: bytesOf(rest), Allowed: fmt.Sprintf("%d or more", prefix)}
		if fault.Kind == fbverify.ErrSizePrefix {
			e.Size, e.Detail = fault.Size, "its size prefix promises more than the file has"
			e.Found, e.Allowed = fmt.Sprintf("%d bytes", fault.Found), fmt.Sprintf("at most %d", rest-prefix)
		}
		w.report(e)
		return 0, false
	}
	return size, w.part(Part{Name: name, Root: root, Offset: pos, Length: size, Framing: framing})
}
