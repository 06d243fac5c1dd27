package dynamic

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// flexWriter writes a FlexBuffer front to back: what a value refers to before it.
type flexWriter struct {
	buf  []byte
	keys map[string]int // where each key is
}

// flexItem is a value that its parent is yet to store: itself, or for what lies
// apart the position of that.
type flexItem struct {
	typ    uint8
	width  uint8 // logarithm of the bytes it needs, or of the width of what it refers to
	inline bool
	bits   uint64 // of the number, or the position
	key    string // in a map
}

// flexWidth returns the logarithm of the bytes that an unsigned integer needs.
func flexWidth(u uint64) uint8 {
	switch n := bits.Len64(u); {
	case n <= 8:
		return 0
	case n <= 16:
		return 1
	case n <= 32:
		return 2
	}
	return 3
}

func (w *flexWriter) align(width uint8) {
	for len(w.buf)&(1<<width-1) != 0 {
		w.buf = append(w.buf, 0)
	}
}

// number appends the low bytes of a number.
func (w *flexWriter) number(u uint64, width uint8) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], u)
	w.buf = append(w.buf, b[:1<<width]...)
}

// store appends an item in its parent's width.
func (w *flexWriter) store(it *flexItem, width uint8) {
	switch {
	case !it.inline:
		w.number(uint64(len(w.buf))-it.bits, width)
	case it.typ == flexFloat && width == 2:
		w.number(uint64(math.Float32bits(float32(math.Float64frombits(it.bits)))), width)
	default:
		w.number(it.bits, width)
	}
}

// needs returns the width that an item needs as element i after the current end.
func (w *flexWriter) needs(it *flexItem, i int) uint8 {
	if it.inline {
		return it.width
	}
	for width := uint8(0); width < 3; width++ {
		size := uint64(1) << width
		at := (uint64(len(w.buf))+size-1)&^(size-1) + uint64(i)*size
		if flexWidth(at-it.bits) <= width {
			return width
		}
	}
	return 3
}

// packed returns an item's type as its parent of that width stores it.
func (it *flexItem) packed(parent uint8) byte {
	if it.inline {
		return it.typ<<2 | max(it.width, parent)
	}
	return it.typ<<2 | it.width
}

// text writes a string.
func (w *flexWriter) text(s []byte) flexItem {
	width := flexWidth(uint64(len(s)))
	w.align(width)
	w.number(uint64(len(s)), width)
	at := len(w.buf)
	w.buf = append(append(w.buf, s...), 0)
	return flexItem{typ: flexString, width: width, bits: uint64(at)}
}

// vector writes items as a vector; with keys, the positions of a map's keys, as a
// map; and as a vector of keys where typ says so.
func (w *flexWriter) vector(typ uint8, items []flexItem, keys *flexItem) flexItem {
	width, prefix := flexWidth(uint64(len(items))), 1
	if keys != nil {
		width, prefix = max(width, w.needs(keys, 0)), 3
	}
	for i := range items {
		width = max(width, w.needs(&items[i], i+prefix))
	}
	w.align(width)
	if keys != nil {
		w.store(keys, width)
		w.number(1<<keys.width, width)
	}
	w.number(uint64(len(items)), width)
	at := len(w.buf)
	for i := range items {
		w.store(&items[i], width)
	}
	if typ != flexVectorKey {
		for i := range items {
			w.buf = append(w.buf, items[i].packed(width))
		}
	}
	return flexItem{typ: typ, width: width, bits: uint64(at)}
}

func (w *flexWriter) mapOf(items []flexItem) flexItem {
	keys := make([]flexItem, len(items))
	for i, it := range items {
		at, ok := w.keys[it.key]
		if !ok {
			at = len(w.buf)
			w.buf = append(append(w.buf, it.key...), 0)
			w.keys[it.key] = at
		}
		keys[i] = flexItem{typ: flexKey, bits: uint64(at)}
	}
	names := w.vector(flexVectorKey, keys, nil)
	return w.vector(flexMap, items, &names)
}

// finish writes the root, its type and its width.
func (w *flexWriter) finish(root flexItem) []byte {
	width := w.needs(&root, 0)
	w.align(width)
	w.store(&root, width)
	return append(w.buf, root.packed(0), 1<<width)
}

// flexField reads any JSON value as a FlexBuffer and writes it as the vector of
// bytes that a field with the attribute flexbuffer holds.
func (e *encoder) flexField(f *Field) int {
	w := &flexWriter{keys: make(map[string]int)}
	data := w.finish(e.flexValue(w))
	return e.writeVector(f, data, len(data), max(8, forceAlign(f.schema)))
}

func (e *encoder) flexValue(w *flexWriter) flexItem {
	switch e.tok {
	case tokString:
		e.checkUTF8()
		it := w.text(e.str)
		e.next()
		return it
	case tokNumber:
		return e.flexNumber()
	case tokIdent:
		it := flexItem{inline: true}
		switch word := string(e.str); strings.TrimLeft(word, "+-") {
		case "true":
			it.typ, it.bits = flexBool, 1
		case "false":
			it.typ = flexBool
		case "null":
		case "nan", "inf", "infinity":
			it = flexDouble(e.float(&Type{scalar: scalar64}, e.str))
		default:
			e.failf("expected a value, found %s", e.found())
		}
		e.next()
		return it
	case '[', '{':
	default:
		e.failf("expected a value, found %s", e.found())
	}
	if e.depth++; e.depth > e.opts.MaxDepth {
		e.failf("values nest deeper than %d levels", e.opts.MaxDepth)
	}
	var it flexItem
	if e.tok == '[' {
		it = e.flexVector(w)
	} else {
		it = e.flexMap(w)
	}
	e.depth--
	return it
}

func (e *encoder) flexVector(w *flexWriter) flexItem {
	var items []flexItem
	e.next()
	for e.tok != ']' {
		items = append(items, e.flexValue(w))
		if e.tok != ']' {
			e.comma(']')
		}
	}
	e.next()
	return w.vector(flexVector, items, nil)
}

func (e *encoder) flexMap(w *flexWriter) flexItem {
	var items []flexItem
	start := e.start
	e.next()
	for e.tok != '}' {
		name, at := e.memberName()
		if bytes.IndexByte(name, 0) >= 0 {
			e.failAt(at, "the name of a flexbuffer's member cannot have a NUL in it")
		}
		key := string(name)
		e.next()
		it := e.flexValue(w)
		it.key = key
		items = append(items, it)
		if e.tok != '}' {
			e.comma('}')
		}
	}
	slices.SortFunc(items, func(a, b flexItem) int { return strings.Compare(a.key, b.key) })
	for i := 1; i < len(items); i++ {
		if items[i].key == items[i-1].key {
			e.failAt(start, "the object has two members named %s", clip(strconv.Quote(items[i].key)))
		}
	}
	e.next()
	return w.mapOf(items)
}

func (e *encoder) flexNumber() flexItem {
	var it flexItem
	neg, mag, ok := parseInteger(e.str)
	switch {
	case ok && !neg && mag > math.MaxInt64:
		it = flexItem{typ: flexUint, width: 3, inline: true, bits: mag}
	case ok && (mag <= math.MaxInt64 || mag == 1<<63):
		i := int64(mag)
		if neg {
			i = -i
		}
		zigzag := uint64(i<<1) ^ uint64(i>>63) // as many bits as the signed number needs
		it = flexItem{typ: flexInt, width: flexWidth(zigzag), inline: true, bits: uint64(i)}
	default:
		it = flexDouble(e.float(&Type{scalar: scalar64}, e.str))
	}
	e.next()
	return it
}

func flexDouble(f float64) flexItem {
	it := flexItem{typ: flexFloat, width: 3, inline: true, bits: math.Float64bits(f)}
	if float64(float32(f)) == f {
		it.width = 2
	}
	return it
}
