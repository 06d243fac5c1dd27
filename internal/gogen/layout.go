package gogen

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// layout is a vtable that generated code knows, so that reads of a table that
// has it go to constant offsets.
type layout struct {
	vtable  []byte         // whole, sizes included
	offsets map[*field]int // of present fields, from the start of the table
	origin  string         // for the comment: where the vtable comes from

	// children are the layouts of the fields that are tables and returned as
	// fixed views.
	children map[*field]*layout

	goName   string // LayoutFixed
	method   string // Fixed
	variable string // vtableLayout
	all      string // AllLayoutFixed
}

func (l *layout) hasFixedChildren() bool { return len(l.children) > 0 }

// canonical returns the layout that the Create functions of C++ and Rust write
// when every field is set to something other than its default, and so does
// Pack. It is nil for a table without fields, and for one too long for a vtable.
func canonical(o *object) *layout {
	order := createOrder(o)
	if len(order) == 0 {
		return nil
	}
	// A builder grows from the end of the buffer: at counts bytes from there.
	at, ends := 0, map[*field]int{}
	place := func(size, align int) int {
		at += size
		at += -at & (align - 1)
		return at
	}
	for _, f := range order {
		size, align := f.Type.InlineSize(), f.Type.Align()
		if wideOffset(f.Field) {
			size, align = 8, 8
		}
		ends[f] = place(size, align)
	}
	start := place(4, 4)
	if start > math.MaxUint16 {
		return nil // a vtable has no room for such offsets
	}
	offsets := map[*field]int{}
	for f, end := range ends {
		offsets[f] = start - end
	}
	return newLayout(o, offsets, start, "the vtable that the Create functions of C++ and Rust, and Pack, write with every field set")
}

// createOrder returns the fields of a table in the order in which Create
// functions add them: the widest first, each width from the last field to the
// first; all from the last to the first for tables with original_order. A struct
// counts as four bytes wide, as an offset does.
func createOrder(o *object) []*field {
	var order []*field
	if _, ok := o.Attribute("original_order"); ok {
		order = slices.Clone(o.fields)
		slices.Reverse(order)
		return order
	}
	for _, width := range []int{8, 4, 2, 1} {
		for _, f := range slices.Backward(o.fields) {
			w := f.Type.Base.Size()
			if wideOffset(f.Field) {
				w = 8
			}
			if w == width {
				order = append(order, f)
			}
		}
	}
	return order
}

// newLayout makes a layout of the offsets of present fields.
func newLayout(o *object, offsets map[*field]int, tableSize int, origin string) *layout {
	last := -1
	for f := range offsets {
		last = max(last, f.ID)
	}
	vtable := make([]byte, 4+2*(last+1))
	binary.LittleEndian.PutUint16(vtable, uint16(len(vtable)))
	binary.LittleEndian.PutUint16(vtable[2:], uint16(tableSize))
	for f, off := range offsets {
		binary.LittleEndian.PutUint16(vtable[4+2*f.ID:], uint16(off))
	}
	return &layout{vtable: vtable, offsets: offsets, origin: origin}
}

// addLayouts gives every table its known layouts: those that samples showed to
// be common, or the canonical one.
func (m *model) addLayouts(p *profile) {
	for _, o := range m.tables {
		_, asked := o.Attribute("fixed_view")
		if found := p.layouts(o); len(found) > 0 {
			o.layouts = found
		} else if l := canonical(o); l != nil && (asked || m.opts.Fixed) {
			o.layouts = []*layout{l}
		}
	}
	cycles := m.cycles()
	for _, o := range m.tables {
		for _, l := range o.layouts {
			l.children = map[*field]*layout{}
			for f := range l.offsets {
				if !f.Type.IsTable() {
					continue
				}
				// A child is looked at together with its parent, so it must not
				// lead back there; and it must have one likely layout.
				child := m.objects[f.Type.Object]
				if len(child.layouts) == 1 && cycles[child] != cycles[o] {
					l.children[f] = child.layouts[0]
				}
			}
		}
	}
	for _, o := range m.tables {
		for i, l := range o.layouts {
			suffix := "Fixed"
			if i > 0 {
				suffix += strconv.Itoa(i + 1)
			}
			l.goName = m.derive(nil, o.Name, o.goName, suffix)
			l.method = suffix // no field has it, see methods
			l.all = m.derive(nil, o.Name, "All", l.goName)
			l.variable = m.names.take("vtable" + o.goName + suffix[len("Fixed"):])
		}
	}
}

// cycles numbers the tables so that two have one number if, and only if, each leads to the
// other through fields that are tables: the strongly connected components, by Tarjan's
// algorithm, with a stack of its own since a schema may nest as deep as it likes.
func (m *model) cycles() map[*object]int {
	type visit struct {
		o    *object
		next int // field to look at
	}
	order, low := map[*object]int{}, map[*object]int{} // order counts from 1
	component := map[*object]int{}
	var open []*object // visited, and in no component yet
	for _, start := range m.tables {
		if order[start] != 0 {
			continue
		}
		for visits := []visit{{o: start}}; len(visits) > 0; {
			v := &visits[len(visits)-1]
			if order[v.o] == 0 {
				order[v.o] = len(order) + 1
				low[v.o] = order[v.o]
				open = append(open, v.o)
			}
			var child *object
			for ; child == nil && v.next < len(v.o.fields); v.next++ {
				if f := v.o.fields[v.next]; f.Type.IsTable() {
					child = m.objects[f.Type.Object]
				}
			}
			switch {
			case child == nil: // all fields were looked at
				if low[v.o] == order[v.o] {
					for done := false; !done; {
						last := open[len(open)-1]
						open = open[:len(open)-1]
						component[last] = order[v.o]
						done = last == v.o
					}
				}
				if done := *v; len(visits) > 1 {
					parent := visits[len(visits)-2].o
					low[parent] = min(low[parent], low[done.o])
				}
				visits = visits[:len(visits)-1]
			case order[child] == 0:
				visits = append(visits, visit{o: child})
			case component[child] == 0:
				low[v.o] = min(low[v.o], order[child])
			}
		}
	}
	return component
}

// profile counts the vtables of tables in sample files.
type profile struct {
	tables map[string]map[string]int // full table name, vtable without its table size
}

// count adds n tables with that vtable, as countedVTable has it.
func (p *profile) count(table, vtable string, n int) {
	if p.tables == nil {
		p.tables = map[string]map[string]int{}
	}
	if p.tables[table] == nil {
		p.tables[table] = map[string]int{}
	}
	p.tables[table][vtable] += n
}

// countedVTable is a vtable without the table's size, which varies with padding.
func countedVTable(vtable []byte) string {
	key := slices.Clone(vtable)
	key[2], key[3] = 0, 0
	return string(key)
}

// maxLayouts and minShare bound what a profile adds: a layout that one table in
// eight does not have is not worth asking for.
const (
	maxLayouts = 3
	minShare   = 8
)

// layouts returns the common layouts of a table, the most common first; none
// when no sample has the table.
func (p *profile) layouts(o *object) []*layout {
	if p == nil {
		return nil
	}
	type counted struct {
		vtable string
		n      int
	}
	total := 0
	var all []counted
	for vtable, n := range p.tables[o.Name] {
		all = append(all, counted{vtable, n})
		total += n
	}
	slices.SortFunc(all, func(a, b counted) int {
		if a.n != b.n {
			return b.n - a.n
		}
		if a.vtable < b.vtable {
			return -1
		}
		return 1
	})
	var found []*layout
	for _, c := range all {
		if len(found) == maxLayouts || c.n*minShare < total {
			break
		}
		offsets, end := map[*field]int{}, 4
		for _, f := range o.fields {
			if slot := f.Offset; slot+2 <= len(c.vtable) {
				if off := int(binary.LittleEndian.Uint16([]byte(c.vtable[slot:]))); off != 0 {
					offsets[f] = off
					end = max(end, off+f.Type.InlineSize())
				}
			}
		}
		if len(offsets) == 0 {
			continue
		}
		l := newLayout(o, offsets, end, fmt.Sprintf("a vtable that %d%% of the %d tables of this type in the samples have", 100*c.n/total, total))
		// As written, so that it also matches where the writer knew more fields.
		l.vtable = []byte(c.vtable)
		binary.LittleEndian.PutUint16(l.vtable[2:], uint16(end))
		found = append(found, l)
	}
	return found
}
