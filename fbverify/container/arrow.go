package container

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/internal/places"
)

const magicArrow = places.Arrow

// The readers that let a deviation of an Arrow file or stream pass.
const (
	readersArrowFields = "pyarrow, arrow-go, arrow-js, Polars, flechette"                                  // metadata of any bytes; vectors aligned to four
	readersArrowEnd    = "pyarrow, arrow-go, arrow-rs, Arrow Java, Polars"                                 // look for a file's mark at its end
	readersArrowFooter = "pyarrow, arrow-go, arrow-rs, Arrow Java, arrow-js, Polars"                       // take the schema from the footer
	readersArrowStop   = "pyarrow, arrow-go, arrow-rs, Arrow Java, arrow-js, Polars, nanoarrow, flechette" // stop at the mark of a stream's end
)

// arrowStream is a file of messages up to an end-of-stream marker or its own end.
// Streams may follow each other, as when several were written to one file.
func (w *walker) arrowStream() {
	m := &ipc{walker: w, end: w.f.size}
	mark := true // the stream that was met last has an end
	for pos := int64(0); pos < w.f.size; {
		next, how := m.message(pos)
		switch how {
		case faulty, stopped:
			return
		case passed:
			if m.found == 1 && m.names.schemas == 0 && !w.note(&Error{Kind: ErrMissing, Part: "schema", Offset: pos, Detail: "there is no schema before the first message: these are messages alone, which no reader of streams opens"}) {
				return
			}
			mark = false
		case ended:
			mark = true
			rest := w.f.size - next
			switch {
			case rest == 0:
			case m.another(next):
				if !w.note(&Error{Kind: ErrRepeated, Offset: next, Detail: "another stream starts after the end-of-stream mark: readers stop before it, unless they are asked to go on"}) {
					return
				}
			case w.src.zero(next, rest, 1<<16):
				w.region(Padding, "padding", next, rest)
				return
			default:
				w.deviate(readersArrowStop, &Error{Kind: ErrTrailing, Offset: next, Size: int(min(rest, 1<<30)), Detail: "the file goes on after the end-of-stream mark",
					Found: bytesOf(rest), Allowed: "none, or another stream"})
				w.meet(next, rest)
				return
			}
		}
		pos = next
	}
	if !mark {
		w.note(&Error{Kind: ErrMissing, Part: "end-of-stream", Offset: w.f.size, Detail: "the stream has no mark at its end, so that it cannot be told whether all of it is there"})
	}
}

// another reports whether a message starts at pos.
func (w *ipc) another(pos int64) bool {
	prefix, length := w.prefix(pos)
	if prefix == 0 {
		return false
	}
	_, ok := arrowMessageKind(w.src, pos+prefix, length)
	return ok
}

// block is an entry of an Arrow file's footer.
type block struct {
	at           int64 // of the entry in the file
	offset, body int64
	metadata     int32
	id           int32
	dictionary   bool
	met          bool
}

// The places of a Block's numbers, in bytes from its start.
const (
	blockMetadata = 8
	blockBody     = 16
)

// fits reports whether the block lies before the footer, and if not which number does not.
func (b *block) fits(footer int64) (at int64, width int, ok bool) {
	switch {
	case b.offset < 8 || b.offset > footer:
		return b.at, 8, false
	case b.metadata < 0 || int64(b.metadata) > footer-b.offset:
		return b.at + blockMetadata, 4, false
	case b.body < 0 || b.body > footer-b.offset-int64(b.metadata):
		return b.at + blockBody, 8, false
	}
	return 0, 0, true
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
		if !w.deviate(readersArrowEnd, w.noMark("", 0, magicArrow, "the file does not start with ARROW1")) {
			return
		}
		w.meet(0, start)
	} else if !w.region(Magic, "magic", 0, 6) || !w.region(Padding, "magic.padding", 6, min(2, size-6)) {
		return
	}
	footer, length, missing := w.arrowFooter()
	w.faulty = w.faulty || missing != nil
	m := &ipc{walker: w, end: footer}
	blocks, listed := w.arrowBlocks(footer, length)
	if w.done {
		return
	}
	m.name = func(at int64, kind uint64, metadata, body int64) string {
		i, ok := slices.BinarySearchFunc(blocks, at, func(b block, at int64) int { return cmp.Compare(b.offset, at) })
		if !ok {
			if listed && (kind == headerRecordBatch || kind == headerDictionary) {
				name := indexed("unlisted", m.found, "") // in the stream, but not in the footer
				w.note(&Error{Kind: ErrNotLooked, Part: name, Offset: at, Detail: "the footer does not list it: readers of files do not find it"})
				return name
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
			w.report(&Error{Kind: ErrMismatch, Part: b.name(), Offset: b.at, Size: 8, Detail: "the footer lists it, but the message there is of another kind",
				Found: fmt.Sprintf("a header of type %d", kind), Allowed: fmt.Sprint(want)})
		case int64(b.metadata) != metadata:
			w.report(&Error{Kind: ErrMismatch, Part: b.name(), Offset: b.at + blockMetadata, Detail: "the footer gives its metadata another length than it has",
				Found: bytesOf(int64(b.metadata)), Allowed: fmt.Sprint(metadata)})
		case b.body != body:
			w.report(&Error{Kind: ErrMismatch, Part: b.name(), Offset: b.at + blockBody, Size: 8, Detail: "the footer gives its body another length than its message does",
				Found: bytesOf(b.body), Allowed: fmt.Sprint(body)})
		}
		if !listed {
			return "" // names from a list that is cut off would clash with those of the rest
		}
		return b.name()
	}
	if !m.file(start, blocks, length > 0, missing) || length > 0 && !w.part(arrowPart("footer", rootFooter, footer, length)) {
		return
	}
	if (missing == nil || missing.Kind != ErrTruncated) && w.region(Framing, "footer.length", size-10, 4) {
		w.region(Magic, "magic", size-6, 6)
	}
}

// file walks the messages of an Arrow file, and tells the fault that its footer is missing.
// It returns false when the consumer wants no more.
func (w *ipc) file(pos int64, blocks []block, footer bool, missing *Error) bool {
	i := 0 // the first block not before pos
	reached := pos
	mark := false // of the end, behind the last message
	if end, ok := w.bareSchema(pos, blocks); ok {
		e := &Error{Kind: ErrMissing, Part: "schema", Offset: pos, Detail: "there is no length before the schema message: it cannot be told where it ends but from the footer"}
		if footer && !w.deviate(readersArrowFooter, e) || !footer && !w.report(e) || !w.part(arrowPart("schema", rootMessage, pos, end-pos)) {
			return false
		}
		pos = end
		w.names.schemas++
	}
	// Writers may align the first message to more than eight bytes.
	if n := w.padding(pos); n > 0 {
		if !w.region(Padding, "magic.padding", pos, n) {
			return false
		}
		pos += n
	}
	whole := true
	for pos < w.end {
		next, how := w.message(pos)
		whole = whole && how != faulty
		mark = how == ended
		if how == passed && w.found == 1 && w.names.schemas == 0 && footer && !w.deviate(readersArrowFooter, &Error{Kind: ErrMissing, Part: "schema", Offset: pos, Detail: "there is no schema message before the first batch"}) {
			return false
		}
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
	if missing != nil {
		if missing.Kind == ErrTruncated && w.found > 0 && whole && pos == w.end {
			missing.Whole = true
			missing.Detail += fmt.Sprintf("; all %d messages before it are whole", w.found)
		}
		if !w.report(missing) {
			return false
		}
	} else if !mark && w.found > 0 && !w.note(&Error{Kind: ErrMissing, Part: "end-of-stream", Offset: reached, Detail: "there is no end-of-stream mark behind the last message"}) {
		return false
	}
	for i := range blocks {
		if b := &blocks[i]; !b.met && !w.report(&Error{Kind: ErrReference, Part: b.name(), Offset: b.at, Size: 8,
			Detail: "the footer points at a place where no message could be found", Found: fmt.Sprint(b.offset), Allowed: "the start of a message"}) {
			return false
		}
	}
	return true
}

// padding returns how many zeros stand at pos before the first message, as where that is aligned to
// 64 bytes.
func (w *ipc) padding(pos int64) int64 {
	const most = 64
	for n := int64(8); n < most; n += 8 {
		if !w.src.zero(pos+n-8, 8, 8) {
			return 0
		}
		if first, ok := w.src.uint(pos+n, 4); ok && first == continuation && w.another(pos+n) {
			return n
		}
	}
	return 0
}

// bareSchema returns where a schema message ends that stands at pos without the length before
// it: at the first batch, or at the end-of-stream mark.
func (w *ipc) bareSchema(pos int64, blocks []block) (end int64, ok bool) {
	if first, ok := w.src.uint(pos, 4); !ok || first == continuation || first == 0 {
		return 0, false
	}
	end = w.end
	if len(blocks) > 0 {
		end = min(end, blocks[0].offset)
	} else if mark, ok := w.src.uint(end-8, 8); ok && mark == continuation {
		end -= 8
	}
	if w.another(pos) {
		return 0, false // it has one
	}
	kind, ok := arrowMessageKind(w.src, pos, end-pos)
	return end, ok && kind == headerSchema
}

// arrowFooter finds the footer. Without one its length is 0, missing is why, and messages
// may lie up to pos.
func (w *walker) arrowFooter() (pos, length int64, missing *Error) {
	size := w.f.size
	const end = 10 // bytes of length and magic
	if size < 8+end || !w.src.is(size-6, magicArrow) {
		return size, 0, w.noEnd("footer", 8+end, magicArrow, "so that there is no footer: the file was cut off, or its writer did not close it")
	}
	n, _ := w.src.uint(size-end, 4)
	length = int64(int32(uint32(n)))
	if length <= 0 || length > size-end-8 {
		return size - end, 0, &Error{Kind: ErrLength, Part: "footer.length", Offset: size - end, Detail: "the footer's length does not fit",
			Found: bytesOf(length), Allowed: upTo(size - end - 8)}
	}
	return size - end - length, length, nil
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
			bl := block{at: list.at(i), offset: int64(list.uint(i, 0, 8)), metadata: int32(uint32(list.uint(i, 8, 4))), body: int64(list.uint(i, 16, 8)), id: int32(i), dictionary: kind.dictionary}
			if at, width, fits := bl.fits(footer); !fits {
				if !w.report(&Error{Kind: ErrLength, Part: bl.name(), Offset: at, Size: width, Detail: "the block that the footer lists does not fit between the start of the file and its footer",
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
			if !w.report(&Error{Kind: ErrOverlap, Part: blocks[i].name(), Offset: blocks[i].at, Size: 8, Detail: "the footer lists it at the place where it lists " + blocks[i-1].name()}) {
				return nil, false
			}
		}
	}
	return slices.CompactFunc(blocks, func(a, b block) bool { return a.offset == b.offset }), complete
}
