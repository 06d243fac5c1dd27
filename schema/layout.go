package schema

import (
	"fmt"
	"strconv"

	"github.com/fbverify/go/schema/internal/words"
)

// InlineSize returns the bytes a value of the type takes where it stands: in a
// table, a struct or as an element of a vector. Tables, strings, vectors and
// union values stand there as an offset. The sizes of structs must be known.
//
// The type of a union has the size of the union's underlying type. That is what
// C++ code by flatc writes and reads; flatc itself writes one byte from JSON
// whatever the type.
func (t Type) InlineSize() int {
	switch {
	case t.Base == UType && t.Enum != nil:
		return t.Enum.Underlying.Size()
	case t.Base == Array:
		return t.ElementType().InlineSize() * t.FixedLength
	case t.IsStruct():
		return t.Object.ByteSize
	}
	return t.Stored().Size()
}

// Stored returns the base type that the value is stored as: Base, but for the tag
// of a union that names an underlying type, which is as wide as that says. flatc's
// own JSON parser writes one byte also there; the code it generates, which is what
// files are written and read with, does not.
func (t Type) Stored() BaseType {
	if t.Base == UType && t.Enum != nil && t.Enum.Underlying != None {
		return t.Enum.Underlying
	}
	return t.Base
}

// Align returns the alignment, in bytes, of a value of the type where it stands.
func (t Type) Align() int {
	switch {
	case t.Base == Array:
		return t.ElementType().Align()
	case t.IsStruct():
		return max(t.Object.MinAlign, 1)
	}
	return max(t.Stored().Size(), 1)
}

// maxStructSize is the most bytes a struct can have, the largest int32: .bfbs
// files keep sizes as such. flatc does not look.
const maxStructSize = 1<<31 - 1

// MaxFieldOffset is the largest offset of a struct's field, which .bfbs files keep
// in 16 bits. flatc does not look.
const MaxFieldOffset = 1<<16 - 1

// maxAlign is the largest value of force_align.
const maxAlign = 32

// LayoutError is a fault in the layout of a struct; Field is nil when it is the
// struct's own.
type LayoutError struct {
	Field *Field
	Text  string
}

func (e *LayoutError) Error() string { return e.Text }

// Layout sets the offsets and paddings of a struct's fields, its alignment
// and its size, by the rules of the format, which are those of C: each field at
// the next multiple of its alignment, the whole padded to its own. The structs
// in it must be laid out already.
//
// The alignment is that of the most aligned field, or what the attribute
// force_align says. claimed is an alignment known otherwise, for a schema without
// the attribute; 0 for none.
func (o *Object) Layout(claimed int) *LayoutError {
	size, natural := int64(0), 1
	var last *Field
	for _, f := range o.Fields {
		align := f.Type.Align()
		natural = max(natural, align)
		padding := -size & int64(align-1)
		if last != nil {
			last.Padding = int(padding)
		}
		size += padding
		if size > MaxFieldOffset {
			return &LayoutError{f, fmt.Sprintf("the field %s.%s would be at offset %d; at most %d is possible", o.Name, f.Name, size, MaxFieldOffset)}
		}
		f.Offset, f.Padding = int(size), 0
		bytes := int64(1)
		if f.Type.Base == Array {
			bytes = int64(f.Type.FixedLength) * int64(f.Type.ElementType().InlineSize())
		} else {
			bytes = int64(f.Type.InlineSize())
		}
		if size += bytes; size > maxStructSize-maxAlign {
			return &LayoutError{f, fmt.Sprintf("the struct %s would have more than %d bytes", o.Name, maxStructSize)}
		}
		last = f
	}
	if last == nil || size == 0 {
		return &LayoutError{nil, fmt.Sprintf("the struct %s has no fields; it needs at least one", o.Name)}
	}
	o.MinAlign = natural
	value, forced := o.Attribute("force_align")
	if !forced && claimed != 0 {
		value, forced = strconv.FormatInt(int64(claimed), 10), true
	}
	if forced {
		n, err := ParseInteger(value, UByte)
		if err != nil || n < int64(natural) || n > maxAlign || n&(n-1) != 0 {
			return &LayoutError{nil, fmt.Sprintf("the struct %s cannot have the alignment %s: allowed are powers of two from %d, its fields' own, to %d",
				o.Name, words.Quote(value), natural, maxAlign)}
		}
		o.MinAlign = int(n)
	}
	last.Padding = int(-size & int64(o.MinAlign-1))
	o.ByteSize = int(size) + last.Padding
	return nil
}

// MaxStructDepth is how deep structs may lie in one another. flatc has no limit,
// but whoever walks a schema may do so by calling itself.
const MaxStructDepth = 64

// structsInOrder returns the structs among the objects, each after those that are
// part of it, and the depth of each: 1 for a struct of scalars. An error tells of
// structs that contain themselves, or lie too deep.
func structsInOrder(objects []*Object) (order []*Object, err error) {
	missing := map[*Object]int{} // parts that are not in order yet
	users := map[*Object][]*Object{}
	depth := map[*Object]int{}
	for _, o := range objects {
		if o == nil || !o.IsStruct {
			continue
		}
		missing[o] = 0
		for _, f := range o.Fields {
			if f != nil && f.Type.Object != nil && f.Type.Object.IsStruct {
				missing[o]++
				users[f.Type.Object] = append(users[f.Type.Object], o)
			}
		}
		if missing[o] == 0 {
			order = append(order, o)
			depth[o] = 1
		}
	}
	for i := 0; i < len(order); i++ {
		part := order[i]
		for _, user := range users[part] {
			depth[user] = max(depth[user], depth[part]+1)
			if missing[user]--; missing[user] == 0 {
				order = append(order, user)
				if depth[user] > MaxStructDepth {
					return nil, fmt.Errorf("the struct %s holds structs in structs more than %d deep", user.Name, MaxStructDepth)
				}
			}
		}
	}
	for _, o := range objects {
		if missing[o] != 0 {
			return nil, fmt.Errorf("the struct %s contains itself, or a struct that does", o.Name)
		}
	}
	return order, nil
}

// LayoutAll lays out all structs of the objects, whatever their sizes and
// offsets said before. Their alignments are kept where they are more than the
// fields need: that is how a .bfbs shows force_align.
func LayoutAll(objects []*Object) error {
	order, err := structsInOrder(objects)
	if err != nil {
		return err
	}
	for _, o := range order {
		natural := 1
		for _, f := range o.Fields {
			natural = max(natural, f.Type.Align())
		}
		if err := o.Layout(max(o.MinAlign, natural)); err != nil {
			return err
		}
	}
	return nil
}
