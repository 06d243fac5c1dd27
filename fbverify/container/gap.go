package container

import (
	"bytes"
	"fmt"
	"math"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/traverse"
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

// again looks for another FlatBuffer with the identifier behind what a part is, whose end stands
// nowhere: as when files are written one behind the other. Only of a file in memory.
func (w *walker) again(p Part, identifier string) {
	if !w.notes || w.src.whole == nil || p.Length < 8 {
		return
	}
	b := w.src.whole[p.Offset : p.Offset+p.Length]
	const most = 8 // places where it might be
	from := 8
	for range most {
		i := bytes.Index(b[from:], []byte(identifier))
		if i < 0 {
			return
		}
		at := from + i - 4
		from += i + len(identifier)
		if like, fields := looksLikeTable(w.src, p.Offset+int64(at), p.Length-int64(at)); !like || fields == 0 || takes(p.Type(), b, at) {
			continue
		}
		w.note(&Error{Kind: ErrRepeated, Part: p.Name, Offset: p.Offset + int64(at),
			Detail: fmt.Sprintf("another %s file starts here, as when files are written one behind the other: readers do not get there", w.f.format)})
		return
	}
}

// takes reports whether an object of the FlatBuffer has the byte at a position.
func takes(t *fbverify.Type, b []byte, at int) bool {
	k := &taker{at: at}
	_ = t.Traversal(b, &fbverify.Options{MaxTables: math.MaxInt32}).Run(k)
	return k.taken
}

// taker listens for the object that has the byte at a position.
type taker struct {
	at    int
	taken bool
}

func (k *taker) Enter(e *traverse.Event) traverse.Answer {
	if e.What != traverse.Buffer && e.Pos <= k.at && k.at < e.End() {
		k.taken = true
		return traverse.Stop
	}
	return traverse.Go
}

func (k *taker) Leave(*traverse.Event) {}
