package bfbs

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fbverify/go/internal/wire"
	"github.com/fbverify/go/schema"
)

// record is one table of the .bfbs, and where it was found.
type record struct {
	l      *loader
	t      wire.Table
	parent *record
	label  string
	index  int // in the vector called label, or -1
}

func (r *record) path() string {
	if r.parent == nil {
		return r.label
	}
	p := r.parent.path() + "." + r.label
	if r.index >= 0 {
		p += "[" + strconv.Itoa(r.index) + "]"
	}
	return p
}

func (r *record) fail(err error) {
	if r.l.err == nil && err != nil {
		r.l.err = fmt.Errorf("%s: %w", r.path(), err)
	}
}

// at returns the position of a field's bytes, and whether there are any.
func (r *record) at(id uint64, name string, required bool) (pos uint64, ok bool) {
	if r.l.err != nil {
		return 0, false
	}
	pos, ok, err := r.t.Field(id)
	r.fail(err)
	if required && !ok && err == nil {
		r.fail(fmt.Errorf("at offset %d: the required field %s is missing", r.t.Pos, name))
	}
	return pos, ok && r.l.err == nil
}

func (r *record) uint(id, size uint64, name string) uint64 {
	pos, ok := r.at(id, name, false)
	if !ok {
		return 0
	}
	v, err := r.l.r.Uint(pos, size, name)
	r.fail(err)
	return v
}

func (r *record) int(id, size uint64, name string, absent int64) int64 {
	pos, ok := r.at(id, name, false)
	if !ok {
		return absent
	}
	v, err := r.l.r.Int(pos, size, name)
	r.fail(err)
	return v
}

func (r *record) bool(id uint64, name string) bool { return r.uint(id, 1, name) != 0 }

func (r *record) float(id uint64, name string) float64 {
	pos, ok := r.at(id, name, false)
	if !ok {
		return 0
	}
	v, err := r.l.r.Float64(pos, name)
	r.fail(err)
	return v
}

// charge takes n tables or elements off the allowance.
func (r *record) charge(n uint64) bool {
	l := r.l
	if l.err == nil && n > uint64(l.units) {
		r.fail(errors.New("the offsets of this schema share so many of its parts that it stands for far more than its size"))
	}
	if l.err != nil {
		return false
	}
	l.units -= int64(n)
	return true
}

// vector returns the positions of the elements, offsets, of a vector.
func (r *record) vector(id uint64, name string, required bool) (start, count uint64) {
	pos, ok := r.at(id, name, required)
	if !ok {
		return 0, 0
	}
	pos, err := r.l.r.Follow(pos, 4, name)
	if err == nil {
		start, count, err = r.l.r.Vector(pos, 4, 4, 4, name)
	}
	r.fail(err)
	if err != nil || !r.charge(count) {
		return 0, 0
	}
	return start, count
}

func (r *record) tables(id uint64, name string, required bool) []record {
	start, count := r.vector(id, name, required)
	var list []record
	for i := uint64(0); i < count; i++ {
		child, ok := r.follow(start+4*i, name, int(i))
		if !ok {
			return nil
		}
		list = append(list, child)
	}
	return list
}

// follow returns the table that the offset at pos leads to.
func (r *record) follow(pos uint64, name string, index int) (record, bool) {
	child := record{l: r.l, parent: r, label: name, index: index}
	to, err := r.l.r.Follow(pos, 4, name)
	if err == nil {
		child.t, err = r.l.r.Table(to)
	}
	child.fail(err)
	return child, child.charge(1)
}

// utf8Rule says what becomes of a string that is no UTF-8.
type utf8Rule bool

const (
	utf8Required utf8Rule = false
	utf8Replaced utf8Rule = true
)

func (r *record) strs(id uint64, name string, rule utf8Rule) []string {
	start, count := r.vector(id, name, false)
	var list []string
	for i := uint64(0); i < count && r.l.err == nil; i++ {
		list = append(list, r.text(start+4*i, name, rule))
	}
	return list
}

func (r *record) str(id uint64, name string, required bool) string {
	pos, ok := r.at(id, name, required)
	if !ok {
		return ""
	}
	return r.text(pos, name, utf8Required)
}

// text returns the string that the offset at pos leads to.
func (r *record) text(pos uint64, name string, rule utf8Rule) string {
	l := r.l
	to, err := l.r.Follow(pos, 4, name)
	if err != nil {
		r.fail(err)
		return ""
	}
	if s, ok := l.strings[to]; ok {
		return s
	}
	b, err := l.r.String(to, name)
	if err == nil && int64(len(b)) > l.chars {
		err = errors.New("the strings of this schema overlap")
	}
	if err != nil {
		r.fail(err)
		return ""
	}
	l.chars -= int64(len(b))
	s := l.text[to+4 : to+4+uint64(len(b))]
	if !utf8.ValidString(s) {
		if rule == utf8Required {
			r.fail(fmt.Errorf("at offset %d: %s %q is not UTF-8", to+4, name, s))
			return ""
		}
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	l.strings[to] = s
	return s
}

// object returns the object whose table an offset leads to: one of the schema's
// own, or a copy of one, which is known by its name.
func (r *record) object(id uint64, name string, required bool) *schema.Object {
	pos, ok := r.at(id, name, required)
	if !ok {
		return nil
	}
	o, ok := r.follow(pos, name, -1)
	if !ok {
		return nil
	}
	if known := r.l.objectAt[o.t.Pos]; known != nil {
		return known
	}
	full := o.str(objectName, "name", true)
	if known := r.l.objectNamed(full); known != nil {
		return known
	}
	o.fail(fmt.Errorf("%q is none of the schema's objects", full))
	return nil
}

func (l *loader) objectNamed(name string) *schema.Object {
	if l.byName == nil {
		l.byName = make(map[string]*schema.Object, len(l.s.Objects))
		for _, o := range l.s.Objects {
			l.byName[o.Name] = o
		}
	}
	return l.byName[name]
}

func (r *record) attributes(id uint64) []schema.Attribute {
	list := r.tables(id, "attributes", false)
	var attributes []schema.Attribute
	for i := range list {
		attributes = append(attributes, schema.NewAttribute(list[i].str(keyValueKey, "key", true), list[i].str(keyValueValue, "value", false)))
	}
	sort.SliceStable(attributes, func(i, j int) bool { return attributes[i].Key < attributes[j].Key })
	for i := 1; i < len(attributes); i++ {
		if attributes[i].Key == attributes[i-1].Key {
			r.fail(fmt.Errorf("the attribute %q is there twice", attributes[i].Key))
		}
	}
	return attributes
}

// typ reads a reflection.Type; absent means None.
func (r *record) typ(id uint64, name string, required bool) schema.Type {
	pos, ok := r.at(id, name, required)
	if !ok {
		return schema.Type{}
	}
	t, ok := r.follow(pos, name, -1)
	if !ok {
		return schema.Type{}
	}
	typ := schema.Type{
		Base:        t.baseType(typeBase, "base_type"),
		Element:     t.baseType(typeElement, "element"),
		FixedLength: int(t.uint(typeFixedLength, 2, "fixed_length")),
	}
	// These follow from the rest, but must be sound as all of it.
	t.uint(typeBaseSize, 4, "base_size")
	t.uint(typeElementSize, 4, "element_size")
	index := t.int(typeIndex, 4, "index", defaultTypeIndex)
	refers := typ.Base
	switch typ.Base {
	case schema.Vector, schema.Vector64, schema.Array:
		refers = typ.Element
	}
	s := r.l.s
	switch {
	case refers == schema.Obj && (index < 0 || index >= int64(len(s.Objects))):
		t.fail(fmt.Errorf("index %d: the type is an object, and there are %d", index, len(s.Objects)))
	case refers == schema.Obj:
		typ.Object = s.Objects[index]
	case (refers == schema.Union || refers.IsInteger()) && index >= int64(len(s.Enums)):
		t.fail(fmt.Errorf("index %d: the type is an enum, and there are %d", index, len(s.Enums)))
	case (refers == schema.Union || refers.IsInteger()) && index >= 0:
		typ.Enum = s.Enums[index]
	}
	return typ
}

func (r *record) baseType(id uint64, name string) schema.BaseType {
	b := r.uint(id, 1, name)
	if b > uint64(schema.Vector64) {
		r.fail(fmt.Errorf("%s is %d, which names no type", name, b))
		return schema.None
	}
	return schema.BaseType(b)
}
