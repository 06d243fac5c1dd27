package container

import "fmt"

const magicFeather = "FEA1"

// Field ids of arrow.ipc.feather.fbs: CTable.columns, Column.values,
// .metadata_type and .metadata, CategoryMetadata.levels, and the place of a
// PrimitiveArray.
const (
	featherColumns                                   = 2
	columnValues, columnMetadataType, columnMetadata = 1, 2, 3
	categoryLevels, categoryMetadata                 = 0, 1
	primitiveOffset, primitiveBytes                  = 2, 5
)

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
	b := w.flat(end, length)
	var spans []span // id: twice the column's number, plus one for its levels
	place := func(i int64, name string, t table, id int) bool {
		if t.pos < 0 {
			return true
		}
		offset, n := int64(t.uint(primitiveOffset, 8, 0)), int64(t.uint(primitiveBytes, 8, 0))
		if b.fault != nil || n == 0 {
			return true
		}
		if offset < 4 || n < 0 || offset > end || n > end-offset {
			return w.report(&Error{Kind: ErrLength, Part: indexed("column", i, name), Offset: b.base + t.pos, Detail: "its bytes do not fit between the start of the file and the metadata",
				Found: fmt.Sprintf("%d bytes at %d", n, offset), Allowed: fmt.Sprintf("4 to %d", end)})
		}
		spans = append(spans, span{offset, n, id})
		return true
	}
	columns := b.root(0).vector(featherColumns, 4, "the list of columns")
	for i := range columns.n {
		c := columns.table(i, "a column")
		if !place(i, ".values", c.table(columnValues, "a column's values"), int(2*i)) {
			return false
		}
		if c.uint(columnMetadataType, 1, 0) == categoryMetadata {
			levels := c.table(columnMetadata, "a column's metadata").table(categoryLevels, "a category's levels")
			if !place(i, ".levels", levels, int(2*i+1)) {
				return false
			}
		}
		if b.fault != nil {
			break
		}
	}
	if f := b.take(); f != nil && !w.unreadable("metadata", f, "not all columns can be found") {
		return false
	}
	return w.dataSpans(spans, 4, end, func(id int) string {
		return indexed("column", int64(id/2), [...]string{".values", ".levels"}[id%2])
	})
}

// dataSpans tells the ranges of bytes between pos and end apart; what lies
// between them and is zero is padding.
func (w *walker) dataSpans(spans []span, pos, end int64, name func(id int) string) bool {
	if !w.regions {
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
