package dynamic

import "sort"

// The type of a union comes before its value, as flatc writes it, or after. Where it
// comes after, the text is looked through for it.

// tagOf returns the tag of the union f.
func (e *encoder) tagOf(f *Field, tags *tagFinder) uint64 {
	m, ok := e.findTag(f, tags)
	if !ok {
		e.failf("the union needs its type: a field %q", f.tag.Name())
	}
	back := e.here()
	e.seek(m)
	e.next()
	var tag uint64
	if !e.isNull() {
		tag = e.scalar(&f.tag.typ, f.tag)
	}
	e.seek(back)
	e.next()
	return tag
}

// tagsOf returns the tags of a vector of unions.
func (e *encoder) tagsOf(f *Field, tags *tagFinder) []uint64 {
	m, ok := e.findTag(f, tags)
	if !ok {
		e.failf("the vector of unions needs its types: a field %q", f.tag.Name())
	}
	back := e.here()
	e.seek(m)
	e.next()
	var list []uint64
	if !e.isNull() {
		e.elements(f.tag, func(int) { list = append(list, e.scalar(f.tag.typ.Elem, f.tag)) })
	}
	e.seek(back)
	e.next()
	return list
}

// tagFinder finds the type fields of one table.
type tagFinder struct {
	fields int             // where the table's entries of e.fields start
	all    map[*Field]mark // the values of all of them, once one was not found at the end of e.fields
}

// findTag finds the value of a union's type field. It mostly is the field before.
func (e *encoder) findTag(f *Field, tags *tagFinder) (mark, bool) {
	if n := len(e.fields); n > tags.fields && e.fields[n-1].f == f.tag {
		return mark(e.fields[n-1].pos), true
	}
	if tags.all == nil {
		tags.all = map[*Field]mark{}
		for _, v := range e.fields[tags.fields:] {
			if v.f.value != nil {
				tags.all[v.f] = mark(v.pos)
			}
		}
		e.lookAhead(f.owner, tags.all)
	}
	m, ok := tags.all[f.tag]
	return m, ok
}

// lookAhead adds the type fields in what is left of an object, the current token
// being a member's value. It is done once for an object, and skips in one step what an
// object around it has looked through, so that its work does not grow with the depth.
func (e *encoder) lookAhead(o *Object, tags map[*Field]mark) {
	back := e.here()
	e.skipKnown()
	for e.tok == ',' {
		e.next()
		if e.tok != tokString && e.tok != tokIdent {
			break // a trailing comma, or an array of fields: their types come first
		}
		name, _ := e.memberName()
		e.next()
		if f := o.byName[string(name)]; f != nil && f.value != nil {
			if _, ok := tags[f]; !ok {
				tags[f] = e.here()
			}
		}
		e.skipKnown()
	}
	e.seek(back)
	e.next()
}

// extent is an object or array of the text.
type extent struct{ start, end int }

// shortExtent is the length up to which they are not worth remembering.
const shortExtent = 64

// skipKnown takes a value in one step where it was skipped before, and remembers the
// objects and arrays in it otherwise. What is skipped lies in what was skipped before, or
// after all of it, so that their list is in the order of their starts.
func (e *encoder) skipKnown() {
	if e.tok != '{' && e.tok != '[' {
		e.skipValue(false)
		return
	}
	i := sort.Search(len(e.skipped), func(i int) bool { return e.skipped[i].start >= e.start })
	switch {
	case i < len(e.skipped) && e.skipped[i].start == e.start:
		e.pos = e.skipped[i].end
		e.next()
	default:
		// What is short was not remembered where a part of it was skipped before.
		e.skipValue(i == len(e.skipped))
	}
}
