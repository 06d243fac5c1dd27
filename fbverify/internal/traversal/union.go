package traversal

import (
	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/fbverify/traverse"
)

// tag reads the tag of a union.
func (w *walker) tag(at uint64, u *program.Union) int64 {
	switch u.TagSize {
	case 1:
		if u.Signed {
			return int64(int8(w.b[at]))
		}
		return int64(w.b[at])
	case 2:
		if u.Signed {
			return int64(int16(w.u16(at)))
		}
		return int64(w.u16(at))
	case 4:
		if u.Signed {
			return int64(int32(w.u32(at)))
		}
		return int64(w.u32(at))
	}
	return int64(w.u64(at))
}

// loneTag looks at a union's tag by itself.
func (w *walker) loneTag(at uint64, f *program.Field, hasValue bool) {
	tag := w.tag(at, f.Union)
	member := f.Union.Member(tag)
	switch {
	case member != nil && !hasValue:
		w.fault(rule.UnionValueMissing, at, uint64(f.Union.TagSize), signed(rule.ThingUnionType, tag, 0), "the union's type is %s (%d), and there is no value", member.Def.Name, tag)
	case member == nil && tag != 0 && w.cfg.Strict:
		w.fault(rule.UnionTagUnknown, at, uint64(f.Union.TagSize), signed(rule.ThingUnionType, tag, 0), "the union's type is %d, which %s does not name", tag, f.Union.Enum.Name)
	}
}

// union walks the value at `at` of a union whose tag is at `tagAt`.
func (w *walker) union(tagAt, at uint64, u *program.Union, depth int) {
	tag := w.tag(tagAt, u)
	member := u.Member(tag)
	if member == nil {
		w.unknown = w.unknown || tag != 0
		if tag == 0 && w.cfg.Strict {
			w.fault(rule.UnionValueUnexpected, at, rule.OffsetSize, about(rule.ThingUnionValue, 0, 0), "the union's type is NONE, and there is a value")
		}
		return
	}
	w.member(at, member, depth)
}

// member walks a value that is known to be of a member type.
func (w *walker) member(at uint64, m *program.Member, depth int) {
	w.memberDef = m.Def
	switch m.Op {
	case program.SubTable:
		w.tableAt(at, m.Table, depth)
	case program.String:
		w.str(at, false, m.Node)
	default:
		pos, ok := w.follow(at, false, uint64(m.Size), uint64(m.Align), rule.ThingStruct, words{text: "a struct"})
		if !ok {
			return
		}
		if w.listener != nil {
			if !w.meetStruct(at, pos, m) {
				return
			}
			w.met()
		}
		w.bytes += uint64(m.Size)
		if w.limits(pos); w.stop || !w.cfg.Strict {
			return
		}
		if w.listener != nil {
			w.values(pos, m.Def.Type)
			return
		}
		w.remembered(w.key(pos, m.Node), uint64(m.Size), uint64(m.Size), 0, func() { w.values(pos, m.Def.Type) })
	}
}

// unionVector walks a vector of unions: the vector of tags that the offset at
// tagsAt leads to, and that of values, at `at`.
func (w *walker) unionVector(tagsAt, at uint64, f *program.Field, depth int) {
	u := f.Union
	tags, n, ok := w.tags(tagsAt, &w.owner.Fields[f.Def.ID-1])
	if !ok {
		return
	}
	pos, values, count, ok := w.elements(at, f, words{text: "the vector of a union's values"})
	if !ok {
		return
	}
	if n != count {
		w.fault(rule.UnionVectors, pos, rule.OffsetSize, about(rule.ThingUnionValue, n, count), "the union has %d types and %d values", n, count)
		return
	}
	if w.listener != nil {
		if w.meetVector(at, pos, rule.OffsetSize, count, rule.OffsetSize, f, w.pos(tags), true) {
			w.members(tags, values, count, u, depth)
			w.met()
		}
		return
	}
	k := w.key(pos, f.Node)
	k.tag = tags
	w.remembered(k, 4*count, elementEffort*4*count, depth, func() { w.members(tags, values, count, u, depth) })
}

// tags follows the offset at `at` to the tags of a vector of unions.
func (w *walker) tags(at uint64, f *program.Field) (data, count uint64, ok bool) {
	pos, data, count, ok := w.elements(at, f, words{text: "the vector of a union's types"})
	if ok && w.listener != nil && w.meetVector(at, pos, rule.OffsetSize, count, uint64(f.ElemSize), f, traverse.None, true) {
		w.met()
	}
	return data, count, ok && !w.stop
}

// members walks the values of a vector of unions.
func (w *walker) members(tags, values, count uint64, u *program.Union, depth int) {
	w.each(count, func(i uint64) {
		tagAt, valueAt := tags+i*uint64(u.TagSize), values+4*i
		tag := w.tag(tagAt, u)
		switch member := u.Member(tag); {
		case member != nil && w.u32(valueAt) == 0:
			w.fault(rule.UnionValueMissing, valueAt, rule.OffsetSize, signed(rule.ThingUnionValue, tag, 0), "the union's type is %s (%d), and there is no value", member.Def.Name, tag)
		case member != nil:
			w.member(valueAt, member, depth)
		case !w.cfg.Strict: // nobody follows it
			w.unknown = w.unknown || tag != 0
		case tag != 0:
			w.fault(rule.UnionTagUnknown, tagAt, uint64(u.TagSize), signed(rule.ThingUnionType, tag, 0), "the union's type is %d, which %s does not name", tag, u.Enum.Name)
		case w.u32(valueAt) != 0:
			w.fault(rule.UnionValueUnexpected, valueAt, rule.OffsetSize, about(rule.ThingUnionValue, 0, 0), "the union's type is NONE, and there is a value")
		}
	})
}
