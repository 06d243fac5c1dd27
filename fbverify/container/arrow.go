package container

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fbverify/go/fbverify/traverse"
)

const magicArrow = "ARROW1"

// arrowStream is a file of messages up to an end-of-stream marker or its own end.
// Streams may follow each other, as when several were written to one file.
func (w *walker) arrowStream() {
	m := &ipc{walker: w, end: w.f.size}
	for pos := int64(0); pos < w.f.size; {
		next, how := m.message(pos)
		switch how {
		case faulty, stopped:
			return
		case ended:
			if rest := w.f.size - next; rest > 0 && !m.another(next) {
				if w.src.zero(next, rest, 1<<16) {
					w.region(Padding, "padding", next, rest)
				} else {
					w.report(&Error{Kind: ErrTrailing, Offset: next, Detail: "the file goes on after the end-of-stream marker", Found: bytesOf(rest), Allowed: "none, or another stream"})
				}
				return
			}
		}
		pos = next
	}
}

// another reports whether a message starts at pos.
func (w *ipc) another(pos int64) bool {
	first, ok := w.src.uint(pos, 4)
	prefix := int64(4)
	if first == continuation {
		first, ok = w.src.uint(pos+4, 4)
		prefix = 8
	}
	if !ok {
		return false
	}
	_, ok = arrowMessageKind(w.src, pos+prefix, int64(first))
	return ok
}

// block is an entry of an Arrow file's footer.
type block struct {
	offset, body int64
	metadata     int32
	id           int32
	dictionary   bool
	met          bool
}

func (b *block) name() string {
	if b.dictionary {
		return indexed("dictionary", int64(b.id), "")
	}
	return indexed("batch", int64(b.id), "")
}

// arrowFile is a stream of messages between two marks, and a footer that says
// where the batches are. Both ways lead to the messages: the stream is
// followed, the footer is held against it, and where the stream breaks the footer leads
// on.
func (w *walker) arrowFile() {
	size := w.f.size
	start := int64(8)
	if !w.src.is(0, magicArrow) {
		if !w.report(w.noMark("", 0, magicArrow, "the file does not start with ARROW1")) {
			return
		}
	} else if !w.region(Magic, "magic", 0, 6) || !w.region(Padding, "magic.padding", 6, min(2, size-6)) {
		return
	}
	footer, length, trailer := w.arrowFooter()
	if w.done {
		return
	}
	m := &ipc{walker: w, end: footer}
	blocks, listed := w.arrowBlocks(footer, length)
	if w.done {
		return
	}
	m.name = func(at int64, kind uint64, metadata, body int64) string {
		i, ok := slices.BinarySearchFunc(blocks, at, func(b block, at int64) int { return cmp.Compare(b.offset, at) })
		if !ok {
			if listed && (kind == headerRecordBatch || kind == headerDictionary) {
				return indexed("unlisted", m.found, "") // in the stream, but not in the footer
			}
			return ""
		}
		b := &blocks[i]
		b.met = true
		want := uint64(headerRecordBatch)
		if b.dictionary {
			want = headerDictionary
		}
		switch {
		case kind != want:
			w.report(&Error{Kind: ErrMismatch, Part: b.name(), Offset: at, Detail: "the footer lists it, but the message there is of another kind",
				Found: fmt.Sprintf("a header of type %d", kind), Allowed: fmt.Sprint(want)})
		case int64(b.metadata) != metadata:
			w.report(&Error{Kind: ErrMismatch, Part: b.name(), Offset: at, Detail: "the footer gives its metadata another length than it has",
				Found: bytesOf(int64(b.metadata)), Allowed: fmt.Sprint(metadata)})
		case b.body != body:
			w.report(&Error{Kind: ErrMismatch, Part: b.name(), Offset: at, Detail: "the footer gives its body another length than its message does",
				Found: bytesOf(b.body), Allowed: fmt.Sprint(body)})
		}
		if !listed {
			return "" // names from a list that is cut off would clash with those of the rest
		}
		return b.name()
	}
	if !m.file(start, blocks) || length > 0 && !w.part(arrowPart("footer", rootFooter, footer, length)) {
		return
	}
	if trailer && w.region(Framing, "footer.length", size-10, 4) {
		w.region(Magic, "magic", size-6, 6)
	}
}

// file walks the messages of an Arrow file. It returns false when the
// consumer wants no more.
func (w *ipc) file(pos int64, blocks []block) bool {
	i := 0 // the first block not before pos
	reached := pos
	for pos < w.end {
		next, how := w.message(pos)
		switch how {
		case stopped:
			return false
		case ended, passed:
			pos = next
		}
		reached = max(reached, pos)
		for i < len(blocks) && (blocks[i].met || blocks[i].offset < pos) {
			i++
		}
		if how == passed {
			continue
		}
		// After an end or a fault, the footer says where the next message is.
		if i == len(blocks) {
			if rest := w.end - pos; how == ended && w.src.zero(pos, rest, 1<<16) && !w.region(Padding, "footer.padding", pos, rest) {
				return false
			}
			break
		}
		if blocks[i].offset == pos && how == faulty {
			i++
			if i == len(blocks) {
				break
			}
		}
		pos = blocks[i].offset
	}
	for i := range blocks {
		if b := &blocks[i]; !b.met && !w.report(&Error{Kind: ErrReference, Part: b.name(), Offset: b.offset,
			Detail: "the footer points at a place where no message could be found", Found: fmt.Sprint(b.offset), Allowed: "the start of a message"}) {
			return false
		}
	}
	return true
}

// arrowFooter finds the footer. Without one its length is 0, and messages may
// lie up to pos. trailer says that the file ends with a length and the mark.
func (w *walker) arrowFooter() (pos, length int64, trailer bool) {
	size := w.f.size
	const end = 10 // bytes of length and magic
	if size < 8+end || !w.src.is(size-6, magicArrow) {
		w.report(w.noEnd("footer", 8+end, magicArrow, "so that there is no footer: the file was cut off, or its writer did not close it"))
		return size, 0, false
	}
	n, _ := w.src.uint(size-end, 4)
	length = int64(int32(uint32(n)))
	if length <= 0 || length > size-end-8 {
		w.report(&Error{Kind: ErrLength, Part: "footer.length", Offset: size - end, Detail: "the footer's length does not fit",
			Found: bytesOf(length), Allowed: upTo(size - end - 8)})
		return size - end, 0, true
	}
	return size - end - length, length, true
}

// arrowBlocks returns the blocks that the footer lists and that fit, in order of
// their offsets, and reports those that do not. complete is false where the
// lists could not be read to their ends.
func (w *walker) arrowBlocks(footer, length int64) (blocks []block, complete bool) {
	if length == 0 {
		return nil, false
	}
	lists := map[string]vector{}
	r := w.follow(rootFooter, footer, length, []string{"dictionaries", "recordBatches"}, func(r *reading) func(*traverse.Event) traverse.Answer {
		clear(lists)
		return func(e *traverse.Event) traverse.Answer {
			if e.What == traverse.Vector && e.Sound {
				lists[e.Field.Name] = r.vector(e)
			}
			return traverse.Go
		}
	})
	for _, kind := range []struct {
		field      string
		dictionary bool
	}{{"dictionaries", true}, {"recordBatches", false}} {
		list := lists[kind.field]
		for i := range list.n {
			bl := block{offset: int64(list.uint(i, 0, 8)), metadata: int32(uint32(list.uint(i, 8, 4))), body: int64(list.uint(i, 16, 8)), id: int32(i), dictionary: kind.dictionary}
			if bl.offset < 8 || bl.metadata < 0 || bl.body < 0 || bl.offset > footer || int64(bl.metadata) > footer-bl.offset || bl.body > footer-bl.offset-int64(bl.metadata) {
				if !w.report(&Error{Kind: ErrLength, Part: bl.name(), Offset: list.at(i), Detail: "the block that the footer lists does not fit between the start of the file and its footer",
					Found: fmt.Sprintf("%d+%d bytes at %d", bl.metadata, bl.body, bl.offset), Allowed: fmt.Sprintf("8 to %d", footer)}) {
					return nil, false
				}
				continue
			}
			blocks = append(blocks, bl)
		}
	}
	complete = true
	if f := r.any(); f != nil {
		if complete = false; !w.unreadable("footer", f, "not all messages can be held against it") {
			return nil, false
		}
	}
	slices.SortStableFunc(blocks, func(a, b block) int { return cmp.Compare(a.offset, b.offset) })
	for i := 1; i < len(blocks); i++ {
		if blocks[i].offset == blocks[i-1].offset {
			if !w.report(&Error{Kind: ErrOverlap, Part: blocks[i].name(), Offset: blocks[i].offset, Detail: "the footer lists it at the place where it lists " + blocks[i-1].name()}) {
				return nil, false
			}
		}
	}
	return slices.CompactFunc(blocks, func(a, b block) bool { return a.offset == b.offset }), complete
}
