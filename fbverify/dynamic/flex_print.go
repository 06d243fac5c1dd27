package dynamic

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// The types of FlexBuffers values: the upper six bits of a packed type, whose
// lower two are the logarithm of a width.
const (
	flexNull = iota
	flexInt
	flexUint
	flexFloat
	flexKey
	flexString
	flexIndirectInt
	flexIndirectUint
	flexIndirectFloat
	flexMap
	flexVector
	flexVectorInt // and on to 15: of uints, floats, keys, strings
	_
	_
	flexVectorKey
	flexVectorString
	flexVectorInt2   // and on to 24: two, three and four of ints, uints, floats
	flexVectorFloat4 = flexVectorInt2 + 8
	flexBlob         = 25
	flexBool         = 26
	flexVectorBool   = 36
)

// flexReader reads a FlexBuffer, which no verification has looked into: every
// position is checked here. A fault ends the reading by setting bad.
type flexReader struct {
	buf   []byte
	level int // of the value as a whole

	// What is left to read, in values and in bytes of text: sharing could make a few
	// bytes stand for very many.
	values, text int64

	bad error
}

// flexRef is a value: where it or its offset is stored, in how many bytes, its
// type, and the width of what it refers to.
type flexRef struct {
	pos           int
	parent, width int
	typ           uint8
}

func (r *flexReader) fail(format string, args ...any) {
	if r.bad == nil {
		r.bad = fmt.Errorf(format, args...)
	}
}

// uint reads an unsigned integer of 1, 2, 4 or 8 bytes; 0 if it is not inside.
func (r *flexReader) uint(pos, width int) uint64 {
	if pos < 0 || width > len(r.buf) || pos > len(r.buf)-width {
		r.fail("%d bytes at %d are outside of its %d bytes", width, pos, len(r.buf))
		return 0
	}
	switch width {
	case 1:
		return uint64(r.buf[pos])
	case 2:
		return uint64(u16(r.buf, pos))
	case 4:
		return uint64(u32(r.buf, pos))
	}
	return u64(r.buf, pos)
}

func (r *flexReader) int(pos, width int) int64 {
	shift := 64 - 8*width
	return int64(r.uint(pos, width)<<shift) >> shift
}

func (r *flexReader) float(pos, width int) float64 {
	switch width {
	case 4:
		return float64(math.Float32frombits(uint32(r.uint(pos, 4))))
	case 8:
		return math.Float64frombits(r.uint(pos, 8))
	}
	r.fail("a float of %d bytes, which has no meaning yet", width)
	return 0
}

// target follows the offset of a value, which points backward.
func (r *flexReader) target(v flexRef) int {
	off := r.uint(v.pos, v.parent)
	if off > uint64(v.pos) {
		r.fail("the offset at %d leads to before the start", v.pos)
		return 0
	}
	return v.pos - int(off)
}

// span returns count elements of size bytes at pos, or nil.
func (r *flexReader) span(pos int, count uint64, size int) []byte {
	if pos < 0 || pos > len(r.buf) || count > uint64(len(r.buf)-pos)/uint64(size) {
		r.fail("%d elements at %d are outside of its %d bytes", count, pos, len(r.buf))
		return nil
	}
	return r.buf[pos : pos+int(count)*size]
}

// root finds the root value, from the end.
func (r *flexReader) root() flexRef {
	n := len(r.buf)
	if n < 3 {
		r.fail("%d bytes are too few", n)
		return flexRef{}
	}
	width := int(r.buf[n-1])
	if width != 1 && width != 2 && width != 4 && width != 8 || width > n-2 {
		r.fail("the root's width is %d", width)
		return flexRef{}
	}
	return packedRef(n-2-width, width, r.buf[n-2])
}

func packedRef(pos, parent int, packed uint8) flexRef {
	return flexRef{pos: pos, parent: parent, width: 1 << (packed & 3), typ: packed >> 2}
}

// flex prints a FlexBuffer as flatc does: as the JSON it stands for.
func (p *printer) flex(src *source, f *Field, pos, n, level int) {
	r := &flexReader{buf: src.slice(pos, pos+n), level: level, values: int64(n) + 1<<16, text: 64*int64(n) + 1<<20}
	p.flexValue(r, r.root(), level)
	if r.bad != nil && p.err == nil {
		p.fail(fmt.Errorf("dynamic: %sthe flexbuffer at offset %d is malformed: %w; its bytes can be printed with FlexBytes", fieldPrefix(f), src.base+pos, r.bad))
	}
}

// maxFlexDepth bounds how deep FlexBuffers nest.
const maxFlexDepth = 256

func (p *printer) flexValue(r *flexReader, v flexRef, level int) {
	if r.values--; r.values < 0 {
		r.fail("it stands for more values than it has bytes")
	}
	if level-r.level > maxFlexDepth {
		r.fail("it nests deeper than %d levels", maxFlexDepth)
	}
	if r.bad != nil || p.err != nil {
		return
	}
	if len(p.out) >= p.mark {
		p.full()
	}
	switch v.typ {
	case flexNull:
		p.out = append(p.out, "null"...)
	case flexBool:
		p.out = strconv.AppendBool(p.out, r.uint(v.pos, v.parent) != 0)
	case flexInt:
		p.out = strconv.AppendInt(p.out, r.int(v.pos, v.parent), 10)
	case flexUint:
		p.out = strconv.AppendUint(p.out, r.uint(v.pos, v.parent), 10)
	case flexFloat:
		p.out = appendFloat(p.out, r.float(v.pos, v.parent), 64, &p.opts)
	case flexIndirectInt:
		p.out = strconv.AppendInt(p.out, r.int(r.target(v), v.width), 10)
	case flexIndirectUint:
		p.out = strconv.AppendUint(p.out, r.uint(r.target(v), v.width), 10)
	case flexIndirectFloat:
		p.out = appendFloat(p.out, r.float(r.target(v), v.width), 64, &p.opts)
	case flexKey:
		p.flexText(r, r.key(v))
	case flexString, flexBlob:
		at := r.target(v)
		p.flexText(r, r.span(at, r.uint(at-v.width, v.width), 1))
	case flexMap:
		p.flexMap(r, v, level)
	case flexVector:
		at := r.target(v)
		n := r.uint(at-v.width, v.width)
		r.span(at, n, v.width+1) // elements, and after them their types
		p.flexElems(r, at, n, v.width, -1, level)
	case flexVectorBool:
		at := r.target(v)
		p.flexElems(r, at, r.uint(at-v.width, v.width), v.width, flexBool, level)
	default:
		switch {
		case v.typ >= flexVectorInt && v.typ <= flexVectorString:
			at := r.target(v)
			p.flexElems(r, at, r.uint(at-v.width, v.width), v.width, int(v.typ-flexVectorInt+flexInt), level)
		case v.typ >= flexVectorInt2 && v.typ <= flexVectorFloat4:
			i := int(v.typ - flexVectorInt2)
			p.flexElems(r, r.target(v), uint64(i/3+2), v.width, i%3+flexInt, level)
		default:
			r.fail("the value at %d is of the unknown type %d", v.pos, v.typ)
		}
	}
}

// key returns the bytes of a key, which end at a NUL.
func (r *flexReader) key(v flexRef) []byte {
	at := r.target(v)
	if n := bytes.IndexByte(r.buf[at:], 0); n >= 0 {
		return r.buf[at : at+n]
	}
	r.fail("the key at %d does not end", at)
	return nil
}

func (p *printer) flexText(r *flexReader, s []byte) {
	if r.text -= int64(len(s)); r.text < 0 {
		r.fail("it stands for more than 64 times as much text as it has bytes")
	}
	if r.bad != nil {
		return
	}
	p.out = append(p.out, '"')
	for len(s) > 0 {
		if plain[s[0]] {
			p.out, s = append(p.out, s[0]), s[1:]
			continue
		}
		var n int
		var ok bool
		if p.out, n, ok = appendSpecial(p.out, s, &p.opts); !ok {
			r.fail("it has a string that is %w, so that JSON cannot hold it", ErrNotUTF8)
			return
		}
		s = s[n:]
		if len(p.out) >= p.mark {
			if p.full(); p.err != nil {
				return
			}
		}
	}
	p.out = append(p.out, '"')
}

// flexElems prints n elements at pos, of one type, or of types that follow the
// elements if elem is -1.
func (p *printer) flexElems(r *flexReader, pos int, n uint64, width, elem, level int) {
	r.span(pos, n, width)
	if r.bad != nil {
		return
	}
	if !p.open('[', level) {
		p.elided("[... ", int(n), "]")
		return
	}
	count := int(n)
	shown := count
	if p.opts.Limit > 0 && count > p.opts.Limit {
		shown = p.opts.Limit
	}
	for i := range shown {
		p.next(i, level)
		at := pos + i*width
		if elem < 0 {
			p.flexValue(r, packedRef(at, width, r.buf[pos+count*width+i]), level+1)
		} else {
			p.flexValue(r, flexRef{at, width, 1, uint8(elem)}, level+1)
		}
		if r.bad != nil || p.err != nil {
			return
		}
	}
	if shown < count {
		p.next(shown, level)
		p.elided("... and ", count-shown, " more")
	}
	p.close(']', count == 0, level)
}

func (p *printer) flexMap(r *flexReader, v flexRef, level int) {
	at, w := r.target(v), v.width
	n := r.uint(at-w, w)
	keyWidth := int(min(r.uint(at-2*w, w), 255))
	keys := r.target(flexRef{pos: at - 3*w, parent: w})
	if r.bad == nil && keyWidth != 1 && keyWidth != 2 && keyWidth != 4 && keyWidth != 8 {
		r.fail("a map's keys have %d bytes", keyWidth)
	}
	if r.bad != nil {
		return
	}
	if m := r.uint(keys-keyWidth, keyWidth); m != n {
		r.fail("a map has %d keys and %d values", m, n)
	}
	r.span(keys, n, keyWidth)
	if values := r.span(at, n, w+1); r.bad != nil || values == nil && n > 0 {
		return
	}
	if !p.open('{', level) {
		p.out = append(p.out, `"{...}"`...)
		return
	}
	count := int(n)
	for i := range count {
		p.next(i, level)
		p.flexText(r, r.key(flexRef{pos: keys + i*keyWidth, parent: keyWidth}))
		p.out = append(p.out, ':')
		if p.pretty {
			p.out = append(p.out, ' ')
		}
		p.flexValue(r, packedRef(at+i*w, w, r.buf[at+count*w+i]), level+1)
		if r.bad != nil || p.err != nil {
			return
		}
	}
	p.close('}', count == 0, level)
}

// elided prints a string that stands for what is left out.
func (p *printer) elided(before string, n int, after string) {
	p.out = append(p.out, '"')
	p.out = append(p.out, before...)
	p.out = strconv.AppendInt(p.out, int64(n), 10)
	p.out = append(p.out, after...)
	p.out = append(p.out, '"')
}
