package container

import (
	"bytes"
	"fmt"
)

// mostSearched is how many bytes of a gap are looked through for the start of another file.
const mostSearched = 1 << 20

// meet keeps account of what the bytes up to offset+length are for, where notes are wanted:
// bytes that were passed over are told, unless a fault hides what they are for.
func (w *walker) meet(offset, length int64) {
	if !w.notes || w.done {
		return
	}
	if from := w.end; offset > from && !w.faulty {
		w.end = offset
		w.gap(from, offset-from)
	}
	w.end = max(w.end, offset+length)
}

// gap tells of bytes that nothing in the file speaks of. Zeros, if they are not very many,
// are some writer's padding.
func (w *walker) gap(pos, n int64) {
	const most = 1 << 16
	if n <= most && w.src.zero(pos, n, n) {
		return
	}
	e := &Error{Kind: ErrNotLooked, Offset: pos, Size: int(min(n, 1<<30)), Detail: "nothing in the file says what " + bytesOf(n) + " from here on are for: they were not looked at"}
	if at, ok := w.anotherFile(pos, n); ok {
		e.Kind, e.Offset, e.Size = ErrRepeated, at, 0
		e.Detail = fmt.Sprintf("another %s file starts here, as when files are written one behind the other: %s from %d on were not looked at", w.f.format, bytesOf(n), pos)
	}
	w.note(e)
}

// marks are what files of a format start with, where it is enough to tell by.
var marks = map[Format]string{Vortex: magicVortex, ArrowFile: magicArrow, Feather: magicFeather}

// anotherFile looks for the end of one file with the start of the next behind it.
func (w *walker) anotherFile(pos, n int64) (at int64, ok bool) {
	mark := marks[w.f.format]
	if mark == "" {
		return 0, false
	}
	b := w.src.read(pos, min(n, mostSearched))
	i := bytes.Index(b, []byte(mark+mark))
	return pos + int64(i+len(mark)), i >= 0
}
