package dynamic

import (
	"bytes"
	"slices"

	"github.com/fbverify/go/fbverify/internal/keyorder"
)

// sortStructs sorts structs of size bytes each by their key.
func sortStructs(data []byte, size int, key *Field) {
	keys := make([]sortItem, len(data)/size)
	for i := range keys {
		keys[i] = sortItem{data[i*size+key.slot:], i}
	}
	if sortItems(keys, key) {
		return
	}
	from := bytes.Clone(data)
	for i, it := range keys {
		copy(data[i*size:(i+1)*size], from[it.at*size:])
	}
}

// sortTables sorts offsets of tables by the tables' key, which is read back from
// what was written.
func (b *builder) sortTables(offsets []uint32, key *Field) {
	keys := make([]sortItem, len(offsets))
	for i, off := range offsets {
		keys[i] = sortItem{b.key(len(b.buf)-int(off), key), i}
	}
	if sortItems(keys, key) {
		return
	}
	from := slices.Clone(offsets)
	for i, it := range keys {
		offsets[i] = from[it.at]
	}
}

// key returns the key of the table at pos.
func (b *builder) key(pos int, key *Field) []byte {
	vt := pos - int(int32(u32(b.buf, pos)))
	if key.slot >= int(u16(b.buf, vt)) {
		return key.owner.absentKey
	}
	at := int(u16(b.buf, vt+key.slot))
	switch {
	case at == 0:
		return key.owner.absentKey
	case key.typ.Kind != KindString:
		return b.buf[pos+at:]
	case key.offset64:
		s := int(u64(b.buf, pos+at)) - (len(b.buf) - pos - at) // in far
		return b.far[s+4 : s+4+int(u32(b.far, s))]
	}
	s := pos + at + int(u32(b.buf, pos+at))
	return b.buf[s+4 : s+4+int(u32(b.buf, s))]
}

// sortItem is an element that is being sorted.
type sortItem struct {
	key []byte
	at  int // its index before
}

// sortItems sorts elements by their keys, equal ones in the order in which they are.
// It reports whether they were sorted.
func sortItems(items []sortItem, key *Field) bool {
	order := func(x, y sortItem) int { return keyorder.Compare(key.schema.Type, x.key, y.key) }
	if slices.IsSortedFunc(items, order) {
		return true
	}
	// Not SortStableFunc, whose work grows by the square of the logarithm.
	slices.SortFunc(items, func(x, y sortItem) int {
		if c := order(x, y); c != 0 {
			return c
		}
		return x.at - y.at
	})
	return false
}
