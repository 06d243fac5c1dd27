package container

import (
	"fmt"

	"github.com/fbverify/go/fbverify/traverse"
)

const magicFeather = "FEA1"

// categoryMetadata is the tag of CategoryMetadata among what a column's type needs besides.
const categoryMetadata = 1

// featherFields are those that lead from a CTable to the place of a PrimitiveArray.
var featherFields = []string{"columns", "values", "metadata_type", "metadata", "levels", "offset", "total_bytes"}

// feather is a Feather file of version 1: columns one after the other, and a
// CTable that says where, between two marks.
func (w *walker) feather() {
	size := w.f.size
	const head, trailer = 4, 8 // magic; length and magic
	if !w.src.is(0, magicFeather) {
		if !w.report(w.noMark("", 0, magicFeather, "the file does not start with FEA1")) {
			return
		}
	} else if !w.region(Magic, "magic", 0, head) {
		return
	}
	if size < head+trailer || !w.src.is(size-4, magicFeather) {
		w.report(w.noEnd("metadata", head+trailer, magicFeather, "so that its columns cannot be found: it was cut off"))
		return
	}
	n, _ := w.src.uint(size-trailer, 4)
	length := int64(n)
	end := size - trailer - length
	if length == 0 || end < head {
		w.report(&Error{Kind: ErrLength, Part: "metadata.length", Offset: size - trailer, Detail: "the length of the metadata does not fit",
			Found: bytesOf(length), Allowed: upTo(size - trailer - head)})
	} else if !w.featherColumns(end, length) ||
		!w.part(Part{Name: "metadata", Root: rootCTable, Offset: end, Length: length}) {
		return
	}
	if w.region(Framing, "metadata.length", size-trailer, 4) {
		w.region(Magic, "magic", size-4, 4)
	}
}

// featherColumns tells the columns' bytes apart, which end where the metadata
// starts.
func (w *walker) featherColumns(end, length int64) bool {
	type array struct {
		offsetAt      int64 // where the numbers stand
		bytesAt       int64
		id            int // twice the column's number, plus one for its levels
		offset, bytes int64
	}
	var arrays []array
	r := w.follow(rootCTable, end, length, featherFields, func(r *reading) func(*traverse.Event) traverse.Answer {
		arrays = nil
		column, last := 0, &array{}
		return func(e *traverse.Event) traverse.Answer {
			switch {
			case !e.Sound:
			case e.What == traverse.Table && e.Index != traverse.None:
				column = e.Index
			case e.What == traverse.Table && (e.Depth == 3 && e.Field.Name == "values" || e.Field != nil && e.Field.Name == "levels"):
				arrays = append(arrays, array{offsetAt: r.base + int64(e.Pos), id: 2*column + e.Depth - 3})
				last = &arrays[len(arrays)-1]
			case e.What != traverse.Field:
			case e.Field.Name == "metadata" && e.Member != nil && e.Member.Value != categoryMetadata:
				return traverse.Skip
			case e.Field.Name == "offset":
				last.offset, last.offsetAt = int64(r.value(e)), r.base+int64(e.Pos)
			case e.Field.Name == "total_bytes":
				last.bytes, last.bytesAt = int64(r.value(e)), r.base+int64(e.Pos)
			}
			return traverse.Again // columns may share what they have
		}
	})
	var spans []span
	for _, a := range arrays {
		if a.bytes == 0 {
			continue
		}
		if a.offset < 4 || a.bytes < 0 || a.offset > end || a.bytes > end-a.offset {
			at := a.offsetAt
			if a.offset >= 4 && a.offset <= end {
				at = a.bytesAt
			}
			if !w.report(&Error{Kind: ErrLength, Part: featherData(a.id), Offset: at, Size: 8, Detail: "its bytes do not fit between the start of the file and the metadata",
				Found: fmt.Sprintf("%d bytes at %d", a.bytes, a.offset), Allowed: fmt.Sprintf("4 to %d", end)}) {
				return false
			}
			continue
		}
		spans = append(spans, span{a.offset, a.bytes, a.id})
	}
	if f := r.any(); f != nil && !w.unreadable("metadata", f, "not all columns can be found") {
		return false
	}
	return w.dataSpans(spans, 4, end, featherData)
}

// featherData names the bytes of a column's values or levels.
func featherData(id int) string {
	return indexed("column", int64(id/2), [...]string{".values", ".levels"}[id%2])
}

// dataSpans tells the ranges of bytes between pos and end apart; what lies
// between them and is zero is padding.
func (w *walker) dataSpans(spans []span, pos, end int64, name func(id int) string) bool {
	if !w.regions && !w.notes {
		return !w.done
	}
	sortSpans(spans)
	between := func(to int64) bool {
		if n := to - pos; n > 0 && n < 4096 && w.src.zero(pos, n, n) {
			return w.region(Padding, "padding", pos, n)
		}
		return true
	}
	for _, s := range spans {
		if !between(s.offset) || !w.region(Data, name(s.id), s.offset, s.length) {
			return false
		}
		pos = max(pos, s.offset+s.length)
	}
	return between(end)
}
