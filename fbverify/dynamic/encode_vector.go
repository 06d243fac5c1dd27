package dynamic

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
)

// stringValue reads a string, writes it and returns its offset, or its position in
// the second part.
func (e *encoder) stringValue(far bool) int {
	if e.tok != tokString {
		e.failf("expected a string, found %s", e.found())
	}
	e.checkUTF8()
	var off int
	if far {
		off = e.b.farVector(e.str, len(e.str), 1, 4)
		e.b.far = append(e.b.far, 0)
	} else {
		off = e.b.string(e.str)
	}
	e.next()
	return off
}

// elements reads an array and calls read at each element; read takes it.
func (e *encoder) elements(f *Field, read func(i int)) {
	if e.tok != '[' {
		e.failf("expected an array for the %s, found %s", &f.typ, e.found())
	}
	e.next()
	e.elementsFrom(f, 0, read)
}

// elementsFrom is elements from element first on, whose token is the current one.
func (e *encoder) elementsFrom(f *Field, first int, read func(i int)) {
	e.push(f, first)
	top := len(e.path) - 1
	for i := first; e.tok != ']'; i++ {
		e.path[top].index = i
		read(i)
		if e.tok != ']' {
			e.comma(']')
		}
	}
	e.pop()
	e.next()
}

// vectorValue reads an array, writes the vector and returns its offset, or its
// position in the second part.
func (e *encoder) vectorValue(f *Field) int {
	elem := f.typ.Elem
	switch elem.Kind {
	case KindString, KindTable:
		return e.objectVector(f)
	}
	lo := len(e.scratch)
	count := 0
	switch {
	case f.base64 != base64None && e.tok == tokString && isBytes(&f.typ):
		e.base64(f.base64)
		count = len(e.scratch) - lo
	case elem.Kind == KindStruct:
		e.elements(f, func(int) { e.structValue(elem.Object); count++ })
		if key := elem.Object.key; key != nil {
			sortStructs(e.scratch[lo:], elem.Size, key)
		}
	default:
		count = e.scalars(f, elem)
	}
	align := max(f.schema.Type.ElementType().Align(), forceAlign(f.schema))
	off := e.writeVector(f, e.scratch[lo:], count, align)
	e.scratch = e.scratch[:lo]
	return off
}

// scalars reads an array of scalars onto scratch and returns their number.
func (e *encoder) scalars(f *Field, elem *Type) int {
	count := 0
	if e.tok == '[' && (elem.Kind == KindInt || elem.Kind == KindUint) {
		count = e.plainIntegers(elem)
		e.next()
		e.elementsFrom(f, count, func(int) {
			e.scratch = appendBits(e.scratch, elem.scalar, e.scalar(elem, f))
			count++
		})
		return count
	}
	e.elements(f, func(int) {
		e.scratch = appendBits(e.scratch, elem.scalar, e.scalar(elem, f))
		count++
	})
	return count
}

// plainIntegers reads the decimal integers, with commas after them, that an array
// starts with: what large files mostly consist of. It stops before the first
// element that is anything else, and before the last, and leaves errors to scalar.
func (e *encoder) plainIntegers(t *Type) (count int) {
	most := uint64(math.MaxUint64) >> (64 - 8*t.Size)
	if t.Kind == KindInt {
		most >>= 1 // the least value is left to scalar too
	}
	src, out, i, done := e.src, e.scratch, e.pos, e.pos
	for {
		for i < len(src) && class[src[i]] == classSpace {
			i++
		}
		neg := i < len(src) && src[i] == '-' && t.Kind == KindInt
		if neg {
			i++
		}
		first, n := i, uint64(0)
		for i < len(src) && i-first < 19 && src[i]-'0' <= 9 {
			n = n*10 + uint64(src[i]-'0')
			i++
		}
		if i == first || n > most {
			break
		}
		for i < len(src) && class[src[i]] == classSpace {
			i++
		}
		if i == len(src) || src[i] != ',' {
			break
		}
		i++
		if neg {
			n = -n
		}
		out = appendBits(out, t.scalar, n)
		done = i
		count++
	}
	e.scratch, e.pos = out, done
	return count
}

// writeVector writes the bytes of a vector where the field wants it.
func (e *encoder) writeVector(f *Field, data []byte, count, align int) int {
	word := 4
	if f.typ.longLen {
		word = 8
	}
	if f.offset64 {
		return e.b.farVector(data, count, align, word)
	}
	off := e.b.vector(data, count, align)
	if e.b.tooLarge {
		e.failf("the buffer is larger than its offsets can address")
	}
	return off
}

// forceAlign returns the alignment that a vector's attribute asks for. What
// is no alignment asks for none: the schema's check has refused it.
func forceAlign(f *schema.Field) int {
	s, ok := f.Attribute("force_align")
	if !ok {
		return 1
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 1<<15 || n&(n-1) != 0 {
		return 1
	}
	return n
}

// objectVector reads an array of strings or tables.
func (e *encoder) objectVector(f *Field) int {
	elem := f.typ.Elem
	lo := len(e.offsets)
	e.elements(f, func(int) {
		off := 0
		if elem.Kind == KindTable {
			off = e.table(elem.Object)
		} else {
			off = e.stringValue(false)
		}
		e.offsets = append(e.offsets, uint32(off))
	})
	own := e.offsets[lo:]
	if elem.Kind == KindTable && elem.Object.key != nil {
		if e.b.tooLarge {
			e.failf("the buffer is larger than its offsets can address")
		}
		e.b.sortTables(own, elem.Object.key)
	}
	off := e.b.offsetVector(own)
	e.offsets = e.offsets[:lo]
	return off
}

// unionVector reads an array of a union's values.
func (e *encoder) unionVector(f *Field, finder *tagFinder) int {
	tags := e.tagsOf(f, finder)
	lo := len(e.offsets)
	start := e.start
	e.elements(f, func(i int) {
		if i >= len(tags) {
			e.failf("%s has %d types, and here are more values", f.tag.Name(), len(tags))
		}
		off := 0
		switch m := f.typ.Elem.union.member(tags[i]); {
		case m != nil:
			off = e.member(m)
		case e.isNull():
			e.next()
		default:
			e.failf("element %d of %s is a type that takes no value: expected null, found %s", i, f.tag.Name(), e.found())
		}
		e.offsets = append(e.offsets, uint32(off))
	})
	own := e.offsets[lo:]
	if len(own) != len(tags) {
		e.failAt(start, "%s has %d types, and here are %d values", f.tag.Name(), len(tags), len(own))
	}
	off := e.b.offsetVector(own)
	e.offsets = e.offsets[:lo]
	return off
}

// nestedValue reads the value of a field that holds a buffer: an object, or its
// bytes, which must verify.
func (e *encoder) nestedValue(f *Field) int {
	if e.tok == '{' {
		outer := e.b
		e.b = newBuilder(64)
		root := e.table(f.nested)
		inner, ok := e.b.finish(root, "", 0)
		align := e.b.minAlign
		e.b = outer
		if !ok {
			e.failf("the nested buffer is larger than its offsets can address")
		}
		return e.writeVector(f, inner, len(inner), max(align, forceAlign(f.schema)))
	}
	lo, start := len(e.scratch), e.start
	if e.tok == tokString && f.base64 != base64None {
		e.base64(f.base64)
	} else {
		elem := f.typ.Elem
		if e.tok != '[' {
			e.failf("expected an object for the nested %s, or an array of bytes, found %s", f.nested.Name(), e.found())
		}
		e.scalars(f, elem)
	}
	data := e.scratch[lo:]
	depth := e.opts.MaxDepth - e.depth // what is left for the tables inside
	if depth <= 0 {
		e.failAt(start, "tables nest deeper than %d levels", e.opts.MaxDepth)
	}
	t, err := f.owner.model.nestedType(f.nested.schema)
	if err == nil {
		err = t.Verify(data, &fbverify.Options{MaxDepth: depth, SkipUTF8: e.opts.AllowNonUTF8, SkipConstraints: true})
	}
	if err != nil {
		e.failAt(start, "the bytes are no %s: %v", f.nested.Name(), err)
	}
	off := e.writeVector(f, data, len(data), max(8, forceAlign(f.schema)))
	e.scratch = e.scratch[:lo]
	return off
}

// base64 reads a string of bytes onto scratch, padded or not.
func (e *encoder) base64(kind base64Kind) {
	enc, name := base64.RawStdEncoding, "base64"
	if kind == base64URL {
		enc, name = base64.RawURLEncoding, "base64url"
	}
	text := bytes.TrimRight(e.str, "=")
	var err error
	if e.scratch, err = enc.AppendDecode(e.scratch, text); err != nil || len(e.str)-len(text) > 2 {
		e.failf("expected %s, found %s", name, e.found())
	}
	e.next()
}
