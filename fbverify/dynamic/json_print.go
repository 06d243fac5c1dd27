package dynamic

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
)

// The printer walks positions, not Values: a table's fields are known to be of
// its type, so that nothing needs to be looked up or checked again.

// value prints one value of any kind.
func (p *printer) value(v Value, level int) {
	if v.Kind() == KindUnion {
		v = v.Union()
	}
	if v.Kind() == KindNone {
		p.out = append(p.out, "null"...)
		return
	}
	if v.typ.scalar != notScalar {
		p.out = appendScalar(p.out, v.typ, v.aux, &p.opts)
		return
	}
	if !v.Present() {
		switch {
		case v.typ.Kind == KindString && v.typ.field != nil && v.typ.field.schema.HasDefaultString:
			p.out = appendJSONString(p.out, v.typ.field.schema.DefaultString, &p.opts)
		case v.typ.Kind == KindVector && v.typ.field != nil && v.typ.field.schema.HasDefaultVector:
			p.out = append(p.out, "[]"...)
		default:
			p.out = append(p.out, "null"...)
		}
		return
	}
	p.object(v.src, v.typ.field, v.typ, v.pos, int(v.aux), level)
}

// object prints what is no scalar and is present. Of a vector of unions, tags is
// the position of the vector of tags.
func (p *printer) object(src *source, f *Field, t *Type, pos, tags, level int) {
	switch t.Kind {
	case KindString:
		p.str(src, f, pos)
	case KindTable:
		p.table(src, t.Object, pos, level)
	case KindStruct:
		p.structAt(src, t.Object, pos, level)
	case KindArray:
		p.elems(src, f, t, pos, t.Len, 0, level)
	case KindVector:
		n, data := int(src.u32(pos)), pos+4
		if t.longLen {
			n, data = int(src.u64(pos)), pos+8
		}
		if f != nil && t == &f.typ && f.nested != nil && !p.opts.NestedBytes {
			if inner := src.nested(f, data, n); inner != nil {
				p.table(inner, f.nested, inner.follow(0), level)
				return
			}
		}
		if f != nil && f.flexible && t == &f.typ && !p.opts.FlexBytes {
			p.flex(src, f, data, n, level)
			return
		}
		if f != nil && f.base64 != base64None && p.opts.Base64 && isBytes(t) {
			p.base64(src.slice(data, data+n), f.base64)
			return
		}
		p.elems(src, f, t, data, n, tags, level)
	}
}

// open starts an object or array; it reports false if the depth limit leaves it
// out.
func (p *printer) open(c byte, level int) bool {
	if p.opts.Depth > 0 && level >= p.opts.Depth {
		return false
	}
	p.out = append(p.out, c)
	return true
}

// lineStart returns the bytes of a newline and the indentation of a level.
func (p *printer) lineStart(level int) int { return 1 + min(level, maxIndented)*p.opts.Indent }

// line starts a new line, where lines are wanted.
func (p *printer) line(level int) {
	if !p.pretty {
		return
	}
	n := p.lineStart(level)
	for len(p.newline) < n {
		if p.newline == nil {
			p.newline = append(p.newline, '\n')
		}
		p.newline = append(p.newline, "                "...)
	}
	p.out = append(p.out, p.newline[:n]...)
}

// name starts a member of an object.
func (p *printer) name(f *Field, first bool, level int) {
	if !first {
		p.out = append(p.out, ',')
	}
	p.line(level)
	if p.opts.Unquoted {
		p.out = append(p.out, f.plainKey...)
	} else {
		p.out = append(p.out, f.jsonKey...)
	}
	if p.pretty {
		p.out = append(p.out, ' ')
	}
	if len(p.out) >= p.mark {
		p.full()
	}
}

// close ends an object or array.
func (p *printer) close(c byte, empty bool, level int) {
	if !empty {
		p.line(level)
	}
	p.out = append(p.out, c)
}

func (p *printer) table(src *source, o *Object, pos, level int) {
	if !p.open('{', level) {
		p.out = append(p.out, `"{...}"`...)
		return
	}
	if p.tables++; p.tables > maxPrintDepth {
		p.fail(fmt.Errorf("dynamic: tables nest deeper than %d levels", maxPrintDepth))
		return
	}
	vt := pos - int(int32(src.u32(pos)))
	vtn := int(src.u16(vt))
	fields := o.fields
	if !p.opts.Defaults {
		// What is not in the vtable is absent, and of that only the key is printed.
		known := max((vtn-4)/2, 0)
		if o.key != nil && o.key.printable {
			known = max(known, o.key.id+1)
		}
		fields = fields[:min(known, len(fields))]
	}
	first := true
	for _, f := range fields {
		at := 0
		if f.slot < vtn {
			at = int(src.u16(vt + f.slot))
		}
		if at == 0 {
			if !f.printable || !p.opts.Defaults && !f.key {
				continue
			}
			p.name(f, first, level+1)
			if f.optional {
				p.out = append(p.out, "null"...)
			} else {
				p.out = appendScalar(p.out, &f.typ, f.bits, &p.opts)
			}
			first = false
			continue
		}
		at += pos
		if f.kind != notScalar {
			p.name(f, first, level+1)
			p.out = appendScalar(p.out, &f.typ, src.scalar(at, f.kind), &p.opts)
			first = false
			continue
		}
		t, target, tags := &f.typ, at, 0
		switch {
		case t.Kind == KindStruct:
		case f.offset64:
			target = src.follow64(at)
		default:
			target = src.follow(at)
		}
		if f.tag != nil {
			tagAt := 0
			if f.tag.slot < vtn {
				tagAt = int(src.u16(vt + f.tag.slot))
			}
			if tagAt == 0 {
				continue // NONE with a value: never followed
			}
			if t.Kind == KindUnion {
				m := t.union.member(src.scalar(pos+tagAt, f.tag.kind))
				if m == nil {
					continue // a member of a newer schema: its tag says which
				}
				t = &m.typ
			} else {
				tags = src.follow(pos + tagAt)
			}
		}
		p.name(f, first, level+1)
		p.object(src, f, t, target, tags, level+1)
		first = false
		if p.err != nil {
			return
		}
	}
	p.tables--
	p.close('}', first, level)
}

func (p *printer) structAt(src *source, o *Object, pos, level int) {
	if !p.open('{', level) {
		p.out = append(p.out, `"{...}"`...)
		return
	}
	for i, f := range o.fields {
		p.name(f, i == 0, level+1)
		if f.kind != notScalar {
			p.out = appendScalar(p.out, &f.typ, src.scalar(pos+f.slot, f.kind), &p.opts)
		} else {
			p.object(src, f, &f.typ, pos+f.slot, 0, level+1)
		}
	}
	p.close('}', len(o.fields) == 0, level)
}

// elems prints n elements that start at pos.
func (p *printer) elems(src *source, f *Field, t *Type, pos, n, tags, level int) {
	if !p.open('[', level) {
		p.elided("[... ", n, "]")
		return
	}
	left := 0
	if p.opts.Limit > 0 && n > p.opts.Limit {
		n, left = p.opts.Limit, n-p.opts.Limit
	}
	e := t.Elem
	switch {
	case e.scalar == scalarU8 && e.Kind == KindUint && e.Enum == nil:
		p.byteElems(src.slice(pos, pos+n), level)
	case e.scalar != notScalar:
		for i := range n {
			p.next(i, level)
			p.out = appendScalar(p.out, e, src.scalar(pos+i*e.Size, e.scalar), &p.opts)
			if p.err != nil {
				return
			}
		}
	case e.Kind == KindUnion:
		tt := f.tag.typ.Elem
		for i := range n {
			p.next(i, level)
			at := pos + 4*i
			m := e.union.member(src.scalar(tags+4+i*tt.Size, tt.scalar))
			if m == nil || src.u32(at) == 0 {
				p.out = append(p.out, "null"...)
			} else {
				p.object(src, f, &m.typ, src.follow(at), 0, level+1)
			}
			if p.err != nil {
				return
			}
		}
	default:
		for i := range n {
			p.next(i, level)
			at := pos + i*e.Size
			if e.Kind != KindStruct {
				at = src.follow(at)
			}
			p.object(src, f, e, at, 0, level+1)
			if p.err != nil {
				return
			}
		}
	}
	if left > 0 {
		p.next(n, level)
		p.elided("... and ", left, " more")
	}
	p.close(']', n == 0, level)
}

// next starts element i of an array.
func (p *printer) next(i, level int) {
	if i > 0 {
		p.out = append(p.out, ',')
	}
	p.line(level + 1)
	if len(p.out) >= p.mark {
		p.full()
	}
}

// byteElems prints bytes as numbers: what the bulk of large files consists of.
func (p *printer) byteElems(s []byte, level int) {
	const chunk = 2048 // elements between two looks at the mark
	var sep []byte
	if p.pretty {
		p.line(level + 1)
		sep = p.newline[:p.lineStart(level+1)]
	}
	for len(s) > 0 && p.err == nil {
		part := s[:min(chunk, len(s))]
		s = s[len(part):]
		b := p.out
		if p.pretty {
			for _, c := range part {
				n := len(b) + int(byteLen[c])
				b = binary.LittleEndian.AppendUint32(b, byteText[c])[:n]
				b = append(b, sep...)
			}
		} else {
			for _, c := range part {
				n := len(b) + int(byteLen[c])
				b = binary.LittleEndian.AppendUint32(b, byteText[c])[:n]
			}
		}
		if len(s) == 0 {
			b = b[:len(b)-1-len(sep)] // no comma after the last
		}
		p.out = b
		if len(b) >= p.mark {
			p.full()
		}
	}
}

func (p *printer) str(src *source, f *Field, pos int) {
	n := int(src.u32(pos))
	s := src.slice(pos+4, pos+4+n)
	b := append(p.out, '"')
	for len(s) > 0 {
		run := 0
		for most := p.piece(b); run < len(s) && run < most && plain[s[run]]; {
			run++
		}
		b = append(b, s[:run]...)
		s = s[run:]
		if len(s) > 0 && !plain[s[0]] {
			var n int
			var ok bool
			if b, n, ok = appendSpecial(b, s, &p.opts); !ok {
				at := src.base + pos + 4 + n
				p.out = b
				p.fail(fmt.Errorf("dynamic: %sthe string at offset %d is %w, so JSON cannot hold it", fieldPrefix(f), at, ErrNotUTF8))
				return
			}
			s = s[n:]
		}
		if len(b) >= p.mark {
			p.out = b
			p.full()
			if b = p.out; p.err != nil {
				return
			}
		}
	}
	p.out = append(b, '"')
}

// piece returns how many bytes of a string to append to b before the mark is looked at.
func (p *printer) piece(b []byte) int { return min(max(p.mark-len(b), 64), flushAt) }

func fieldPrefix(f *Field) string {
	if f == nil {
		return ""
	}
	return f.String() + ": "
}

func (p *printer) base64(s []byte, kind base64Kind) {
	enc := base64.StdEncoding
	if kind == base64URL {
		enc = base64.URLEncoding
	}
	p.out = append(p.out, '"')
	for len(s) > 0 && p.err == nil {
		part := s[:min(3*4096, len(s))] // a multiple of 3 needs no padding inside
		s = s[len(part):]
		p.out = enc.AppendEncode(p.out, part)
		if len(p.out) >= p.mark {
			p.full()
		}
	}
	p.out = append(p.out, '"')
}
