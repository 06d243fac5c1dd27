package program

import (
	"fmt"
	"strconv"

	"github.com/fbverify/go/schema"
)

// Compile compiles root, a table of s, and all that can be reached from it, with the
// exceptions that the fields' attributes ask for, or to the letter. The
// schema must be checked already.
func Compile(s *schema.Schema, root *schema.Object, exceptions bool) (*Program, error) {
	list, err := CompileAll(s, []*schema.Object{root}, exceptions)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// CompileAll compiles several roots at once, as [Compile] does each: what they reach is
// shared, so that it takes no longer than the schema is.
func CompileAll(s *schema.Schema, roots []*schema.Object, exceptions bool) ([]*Program, error) {
	c := &compiler{
		schema:     s,
		exceptions: exceptions,

		tables: map[*schema.Object]*Table{},
		unions: map[*schema.Enum]*Union{},
	}
	c.next = firstNode
	for _, o := range roots {
		c.table(o)
		// Tables are filled from a list and not as they are met: a schema may nest
		// as deep as it likes.
		for len(c.todo) > 0 {
			t := c.todo[len(c.todo)-1]
			c.todo = c.todo[:len(c.todo)-1]
			if err := c.fill(t); err != nil {
				return nil, err
			}
		}
	}
	c.spread(c.wide, func(t *Table) *bool { return &t.Wide })
	c.spread(c.excepting, func(t *Table) *bool { return &t.excepts })
	caches := new([NumFlags]cachePointer)
	list := make([]*Program, len(roots))
	for i, o := range roots {
		root := c.tables[o]
		list[i] = &Program{Schema: s, Root: root, Tables: c.all, Nodes: c.next, Excepts: root.excepts, caches: caches}
	}
	return list, nil
}

type compiler struct {
	schema     *schema.Schema
	exceptions bool

	all    []*Table // by ID
	tables map[*schema.Object]*Table
	unions map[*schema.Enum]*Union
	values map[*schema.Object]bool // of structs: hasValues
	todo   []*Table
	next   uint32 // free node

	wide, excepting []*Table // that the tables which lead to them have yet to learn of
}

// spread tells all tables that lead to one of a list, whose mark is set.
func (c *compiler) spread(list []*Table, mark func(*Table) *bool) {
	if len(list) == 0 {
		return
	}
	from := make([][]*Table, len(c.all)) // by ID: the tables that lead there
	byUnion := map[*Union][]*Table{}
	for _, t := range c.all {
		for i := range t.Fields {
			switch f := &t.Fields[i]; {
			case f.Union != nil && f.Op != UnionTag && f.Op != UnionTagVector:
				byUnion[f.Union] = append(byUnion[f.Union], t)
			case f.Table != nil:
				from[f.Table.ID] = append(from[f.Table.ID], t)
			}
		}
	}
	members := make([][]*Union, len(c.all)) // by ID: the unions that the table is a member of
	for u := range byUnion {
		for _, m := range u.members {
			if m.Table != nil {
				members[m.Table.ID] = append(members[m.Table.ID], u)
			}
		}
	}
	learn := func(tables []*Table) {
		for _, t := range tables {
			if is := mark(t); !*is {
				*is = true
				list = append(list, t)
			}
		}
	}
	for len(list) > 0 {
		id := list[len(list)-1].ID
		list = list[:len(list)-1]
		learn(from[id])
		for _, u := range members[id] {
			learn(byUnion[u])
			delete(byUnion, u) // all of them know
		}
	}
}

func (c *compiler) node() uint32 { c.next++; return c.next - 1 }

func (c *compiler) table(o *schema.Object) *Table {
	t := c.tables[o]
	if t == nil {
		t = &Table{ID: uint32(len(c.all)), Node: c.node(), Object: o}
		c.tables[o] = t
		c.all = append(c.all, t)
		c.todo = append(c.todo, t)
	}
	return t
}

func (c *compiler) union(e *schema.Enum) *Union {
	if u := c.unions[e]; u != nil {
		return u
	}
	u := &Union{Enum: e, TagSize: uint32(e.Underlying.Size()), Signed: !e.Underlying.IsUnsigned(), members: map[int64]*Member{}}
	u.Bytes = u.TagSize == 1 && !u.Signed
	c.unions[e] = u
	// Tags mostly are the numbers from 1 on. Where they are not, a schema of a few bytes
	// must not ask for a table of all that they could be.
	u.dense = make([]*Member, 0, 2*len(e.Values))
	for _, v := range e.Values {
		m := &Member{Def: v}
		switch {
		case v.Type.IsTable():
			m.Op, m.Table = SubTable, c.table(v.Type.Object)
			m.Node = m.Table.Node
		case v.Type.IsStruct():
			m.Op, m.Size, m.Align = Inline, uint32(v.Type.Object.ByteSize), uint32(v.Type.Object.MinAlign)
			m.Node = c.node()
		case v.Type.Base == schema.String:
			m.Op, m.Node = String, StringNode
		default:
			continue // NONE
		}
		u.members[v.Value] = m
		if uint64(v.Value) < uint64(cap(u.dense)) {
			u.dense = u.dense[:max(len(u.dense), int(v.Value)+1)]
			u.dense[v.Value] = m
		}
	}
	return u
}

func (c *compiler) fill(t *Table) error {
	t.Fields = make([]Field, len(t.Object.Fields))
	for id, def := range t.Object.Fields {
		f, excepts, err := c.field(t.Object, def)
		if err != nil {
			return err
		}
		if excepts && !t.excepts {
			t.excepts = true
			c.excepting = append(c.excepting, t)
		}
		t.Fields[id] = f
		if def.Required && !def.Deprecated {
			t.Required = append(t.Required, uint16(id))
		}
		if f.Wide && !t.Wide {
			t.Wide = true
			c.wide = append(c.wide, t)
		}
	}
	// A union that is deprecated takes its tag with it, and the other way round.
	for id := 1; id < len(t.Fields); id++ {
		tag, value := &t.Fields[id-1], &t.Fields[id]
		isUnion := value.Def.Type.Base == schema.Union || value.Def.Type.Element == schema.Union
		if isUnion && (tag.Op == Skipped || value.Op == Skipped) {
			tag.Op, value.Op = Skipped, Skipped
		}
	}
	return nil
}

// field compiles a field, and says whether it has exceptions.
func (c *compiler) field(o *schema.Object, def *schema.Field) (f Field, excepts bool, err error) {
	f = Field{Def: def, Node: c.node()}
	if def.Deprecated {
		return f, false, nil
	}
	t := def.Type
	f.Wide = def.Offset64 || t.Base == schema.Vector64
	f.Long = t.Base == schema.Vector64
	f.Size, f.Align = 4, 4
	if f.Wide {
		f.Size, f.Align = 8, 8
	}
	switch {
	case t.IsScalar():
		f.Op = Inline
		f.Size, f.Align = uint32(t.InlineSize()), uint32(t.Align())
		if t.Enum != nil && t.Enum.IsUnion {
			f.Op, f.Union = UnionTag, c.union(t.Enum)
		}
		f.Values = c.hasValues(t)
	case t.IsStruct():
		f.Op = Inline
		f.Size, f.Align = uint32(t.Object.ByteSize), uint32(t.Object.MinAlign)
		f.Values = c.hasValues(t)
	case t.Base == schema.String:
		f.Op, f.Node = String, StringNode
	case t.IsTable():
		f.Op, f.Table = SubTable, c.table(t.Object)
		f.Node = f.Table.Node
	case t.Base == schema.Union:
		f.Op, f.Union = UnionValue, c.union(t.Enum)
	case t.IsVector():
		if err := c.vector(&f, o, def, t.ElementType()); err != nil {
			return f, false, err
		}
	default:
		return f, false, fmt.Errorf("field %s.%s: a %v has no place in a table", o.Name, def.Name, t.Base)
	}
	excepts, err = c.except(&f, o, def)
	return f, excepts, err
}

// except makes the exceptions that a field's attributes ask for, and says whether there are any. A field that they are not
// for is a mistake of whoever wrote the schema.
func (c *compiler) except(f *Field, o *schema.Object, def *schema.Field) (excepts bool, err error) {
	if _, ok := def.Attribute(schema.MayBeBinary); ok {
		if f.Op != String || f.Wide {
			return false, fmt.Errorf("field %s.%s: the attribute %s is for strings, and its type is %s", o.Name, def.Name, schema.MayBeBinary, def.Type)
		}
		excepts = true
		if c.exceptions {
			f.Op, f.Node = Binary, BinaryNode
		}
	}
	if text, ok := def.Attribute(schema.MayAlign); ok {
		least, err := strconv.ParseUint(text, 0, 32)
		switch {
		case f.Op != ScalarVector:
			return false, fmt.Errorf("field %s.%s: the attribute %s is for vectors of numbers and structs, and its type is %s", o.Name, def.Name, schema.MayAlign, def.Type)
		case err != nil || least == 0 || least&(least-1) != 0:
			return false, fmt.Errorf("field %s.%s: the attribute %s is %q, and has to be a power of two", o.Name, def.Name, schema.MayAlign, text)
		}
		excepts = true
		if c.exceptions {
			f.ElemAlign = min(f.ElemAlign, uint32(least))
		}
	}
	return excepts, nil
}

func (c *compiler) vector(f *Field, o *schema.Object, def *schema.Field, elem schema.Type) error {
	f.ElemSize, f.ElemAlign = 4, 4
	switch {
	case elem.IsScalar():
		f.Op = ScalarVector
		f.ElemSize, f.ElemAlign = uint32(elem.InlineSize()), uint32(elem.Align())
		if elem.Enum != nil && elem.Enum.IsUnion {
			f.Op, f.Union = UnionTagVector, c.union(elem.Enum)
		}
		f.Values = c.hasValues(elem)
		// force_align on a vector of scalars raises the alignment that
		// builders give it; no read depends on it, so nothing is asked here.
	case elem.IsStruct():
		f.Op = ScalarVector
		f.ElemSize, f.ElemAlign = uint32(elem.Object.ByteSize), uint32(elem.Object.MinAlign)
		f.SortedBy = elem.Object.Key()
		f.Values = c.hasValues(elem)
	case elem.Base == schema.String:
		f.Op = StringVector
	case elem.IsTable():
		f.Op, f.Table = TableVector, c.table(elem.Object)
		f.SortedBy = elem.Object.Key()
	case elem.Base == schema.Union:
		f.Op, f.Union = UnionVector, c.union(elem.Enum)
	default:
		return fmt.Errorf("field %s.%s: no vector can hold a %v", o.Name, def.Name, elem.Base)
	}
	nested, err := c.schema.NestedRoot(o, def)
	if err != nil {
		return err
	}
	if nested != nil {
		if f.Op != ScalarVector || f.ElemSize != 1 {
			return fmt.Errorf("field %s.%s: nested_flatbuffer is for vectors of ubyte", o.Name, def.Name)
		}
		f.Op, f.Table = NestedBuffer, c.table(nested)
	}
	return nil
}

// hasValues reports whether t is a bool or an enum, or a struct with one in it. Each struct
// is looked into once: one of 16 lines may hold another 65,536 times.
func (c *compiler) hasValues(t schema.Type) bool {
	switch {
	case t.Base == schema.Bool:
		return true
	case t.IsInteger():
		return t.Enum != nil && !t.Enum.IsUnion
	case t.IsStruct():
		has, known := c.values[t.Object]
		if known {
			return has
		}
		for _, f := range t.Object.Fields {
			if has = c.hasValues(f.Type); has {
				break
			}
		}
		if c.values == nil {
			c.values = map[*schema.Object]bool{}
		}
		c.values[t.Object] = has
		return has
	case t.Base == schema.Array:
		return c.hasValues(t.ElementType())
	}
	return false
}
