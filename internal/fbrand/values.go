package fbrand

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/fbverify/go/schema"
)

// inline is what a table holds for one field.
type inline struct {
	id, size, align int
	data            []byte
	to              *node // nil for scalars and structs
	tag             bool
}

// table makes a table, which nests at most room tables deep, itself included.
func (w *writer) table(o *schema.Object, room int) *node {
	if w.chance(w.share) {
		for range 4 {
			if len(w.made) == 0 {
				break
			}
			if n := w.made[w.r.IntN(len(w.made))]; n.object == o && n.height <= room && n.tables <= 40 {
				return n
			}
		}
	}
	w.budget--
	t := &tableWriter{w: w, o: o, room: room - 1, n: &node{pos: -1, object: o}}
	for _, f := range o.Fields {
		t.field(f)
	}
	n := t.finish()
	n.tables++
	n.height++
	w.made = append(w.made, n)
	return n
}

type tableWriter struct {
	w     *writer
	o     *schema.Object
	room  int // for tables below
	n     *node
	items []inline
}

// wanted decides whether an optional field is there.
func (t *tableWriter) wanted(descends bool) bool {
	if t.w.budget <= 0 || descends && t.room <= 0 {
		return false
	}
	return t.w.chance(t.w.present)
}

func (t *tableWriter) scalar(f *schema.Field, data []byte, tag bool) {
	t.items = append(t.items, inline{f.ID, len(data), min(len(data), 8), data, nil, tag})
}

func (t *tableWriter) offset(f *schema.Field, to *node) {
	size := 4
	if f.Offset64 {
		size = 8
	}
	t.items = append(t.items, inline{f.ID, size, size, make([]byte, size), to, false})
}

// garbage is an offset that nobody may follow.
func (t *tableWriter) garbage(f *schema.Field) {
	t.offset(f, nil)
	binary.LittleEndian.PutUint32(t.items[len(t.items)-1].data, t.w.r.Uint32())
}

func (t *tableWriter) field(f *schema.Field) {
	w := t.w
	typ := f.Type
	switch {
	case typ.Base == schema.UType || typ.Enum != nil && typ.Enum.IsUnion && (typ.IsScalar() || typ.Element != schema.Union && typ.IsVector()):
		return // with the value
	case f.Deprecated:
		if w.chance(20) && !typ.IsStruct() {
			t.garbage(f)
		}
	case typ.IsScalar():
		if !f.Required && !t.wanted(false) {
			if f.Key {
				t.n.key = defaultKey(f)
			}
			return
		}
		data := make([]byte, typ.Base.Size())
		w.fill(data, typ, f.Key)
		t.scalar(f, data, false)
		if f.Key {
			t.n.key = keyOf(data, typ.Base)
		}
	case typ.IsStruct():
		data := make([]byte, typ.Object.ByteSize)
		if f.Key {
			t.n.key = parts(nil, typ, data)
		}
		if f.Required || t.wanted(false) {
			w.fill(data, typ, false)
			if f.Key {
				t.n.key = parts(nil, typ, data)
			}
			t.items = append(t.items, inline{f.ID, len(data), typ.Object.MinAlign, data, nil, false})
		}
	case typ.Base == schema.String:
		if f.Required || f.Key || t.wanted(false) {
			s := w.str()
			t.offset(f, s)
			if f.Key {
				t.n.key = string(s.data[4 : len(s.data)-1])
			}
		}
	case typ.IsTable():
		if f.Required || t.wanted(true) {
			t.offset(f, w.table(typ.Object, t.room))
		}
	case typ.Base == schema.Union:
		t.union(f)
	case typ.Element == schema.Union:
		t.unions(f)
	default:
		if f.Required || t.wanted(false) {
			t.offset(f, w.vector(t.o, f, t.room))
		}
	}
}

// member picks a member of a union that the room allows, nil for NONE.
func (t *tableWriter) member(e *schema.Enum, must bool) *schema.EnumValue {
	w := t.w
	m := e.Values[w.r.IntN(len(e.Values))]
	if (!m.Type.IsTable() || t.room > 0 && w.budget > 0) && (!must || m.Type.Base != schema.None) {
		return m
	}
	if !must {
		return e.Values[0]
	}
	for _, m := range e.Values {
		if m.Type.IsStruct() || m.Type.Base == schema.String {
			return m
		}
	}
	for _, m := range e.Values {
		if m.Type.IsTable() {
			return m
		}
	}
	return e.Values[0]
}

// value makes what a member of a union stands for; nil for NONE.
func (t *tableWriter) value(m *schema.EnumValue) *node {
	switch {
	case m.Type.IsTable():
		return t.w.table(m.Type.Object, t.room)
	case m.Type.IsStruct():
		o := m.Type.Object
		n := &node{data: make([]byte, o.ByteSize), align: max(4, o.MinAlign), pos: -1}
		if t.w.chance(50) {
			n.align = o.MinAlign // 1 or 2 will do for small ones
		}
		t.w.fill(n.data, m.Type, false)
		return n
	case m.Type.Base == schema.String:
		return t.w.str()
	}
	return nil
}

func tagBytes(e *schema.Enum, tag int64) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(tag))
	return b[:e.Underlying.Size()]
}

// unknownTag returns a tag that names no member, 0 when none is found.
func (w *writer) unknownTag(e *schema.Enum) int64 {
	b := tagBytes(e, int64(w.r.Uint64()))
	v := int64(0)
	switch e.Underlying {
	case schema.Byte:
		v = int64(int8(b[0]))
	case schema.Short:
		v = int64(int16(binary.LittleEndian.Uint16(b)))
	case schema.Int:
		v = int64(int32(binary.LittleEndian.Uint32(b)))
	default:
		var all [8]byte
		copy(all[:], b)
		v = int64(binary.LittleEndian.Uint64(all[:]))
	}
	if e.ByValue(v) != nil {
		return 0
	}
	return v
}

func (t *tableWriter) union(f *schema.Field) {
	w, e := t.w, f.Type.Enum
	tagField := t.o.Fields[f.ID-1]
	if tagField.Deprecated || !f.Required && !t.wanted(false) {
		return
	}
	tag := func(v int64) { t.scalar(tagField, tagBytes(e, v), true) }
	switch {
	case w.odd(8):
		tag(w.unknownTag(e))
		if f.Required || w.chance(50) {
			t.garbage(f)
		}
	case w.odd(5):
		t.garbage(f) // no tag
	case w.odd(5):
		tag(0)
		t.garbage(f)
	default:
		m := t.member(e, f.Required)
		tag(m.Value)
		if v := t.value(m); v != nil {
			t.offset(f, v)
		}
	}
}

func (t *tableWriter) unions(f *schema.Field) {
	w, e := t.w, f.Type.Enum
	tagField := t.o.Fields[f.ID-1]
	if tagField.Deprecated || !f.Required && !t.wanted(false) {
		return
	}
	count := w.count(6)
	size := e.Underlying.Size()
	tags, values := vectorNode(4, count*size, size), vectorNode(4, count*4, 4)
	w.unaligned(tags, count)
	binary.LittleEndian.PutUint32(tags.data, uint32(count))
	binary.LittleEndian.PutUint32(values.data, uint32(count))
	for i := range count {
		at := 4 + 4*i
		m := t.member(e, false)
		v := m.Value
		switch {
		case w.odd(8):
			v = w.unknownTag(e)
			binary.LittleEndian.PutUint32(values.data[at:], w.r.Uint32())
		default:
			if to := t.value(m); to != nil {
				values.adds(ref{at, to, narrow})
			}
		}
		copy(tags.data[4+i*size:], tagBytes(e, v))
		tags.marks = append(tags.marks, Mark{MarkTag, 4 + i*size, size})
		values.marks = append(values.marks, Mark{MarkOffset, at, 4})
	}
	t.offset(tagField, tags)
	t.offset(f, values)
}

// vectorNode is a vector of so many bytes.
func vectorNode(head, size, elemAlign int) *node {
	align := max(head, elemAlign)
	return &node{
		data: make([]byte, head+size), align: align, want: -head & (align - 1), pos: -1,
		marks: []Mark{{MarkLength, 0, head}},
	}
}

// unaligned lets an empty vector stand where its elements could not.
func (w *writer) unaligned(n *node, count int) {
	if count == 0 && w.odd(50) {
		n.align, n.want = n.marks[0].Size, 0
	}
}

// count picks a number of elements.
func (w *writer) count(most int) int {
	switch w.r.IntN(12) {
	case 0, 1:
		return 0
	case 2, 3, 4:
		return 1
	case 5:
		if w.budget > 0 {
			return w.r.IntN(10 * most)
		}
	}
	return w.r.IntN(most + 1)
}

// vector makes a vector of anything but unions.
func (w *writer) vector(o *schema.Object, f *schema.Field, room int) *node {
	if w.chance(w.share) {
		for range 4 {
			if len(w.vectors) == 0 {
				break
			}
			if v := w.vectors[w.r.IntN(len(w.vectors))]; v.field == f && v.node.height <= room && v.node.tables <= 40 {
				return v.node
			}
		}
	}
	w.budget--
	n := w.newVector(o, f, room)
	w.vectors = append(w.vectors, madeVector{f, n, room})
	return n
}

func (w *writer) newVector(o *schema.Object, f *schema.Field, room int) *node {
	head := 4
	if f.Type.Base == schema.Vector64 {
		head = 8
	}
	elem := f.Type.ElementType()
	if root, _ := w.s.NestedRoot(o, f); root != nil {
		return w.nested(root, head, room)
	}
	var n *node
	count := 0
	switch {
	case elem.IsScalar() || elem.IsStruct():
		count = w.count(8)
		if w.chance(2) {
			count = w.r.IntN(1500)
		}
		size, align := elem.InlineSize(), elem.Align()
		n = vectorNode(head, count*size, align)
		w.unaligned(n, count)
		for i := range count {
			w.fill(n.data[head+i*size:][:size], elem, false)
		}
		if elem.IsStruct() && elem.Object.Key() != nil && !w.odd(50) {
			sortStructs(n.data[head:], size, elem.Object.Key())
		}
	case elem.Base == schema.String:
		count = w.count(5)
		n = vectorNode(head, count*4, 4)
		for i := range count {
			n.adds(ref{head + 4*i, w.str(), narrow})
			n.marks = append(n.marks, Mark{MarkOffset, head + 4*i, 4})
		}
	default: // tables
		if room > 0 && w.budget > 0 {
			count = w.count(5)
			if w.opts.Wide && w.chance(30) {
				count = 64 + w.r.IntN(237)
			}
		}
		n = vectorNode(head, count*4, 4)
		tables := make([]*node, count)
		for i := range tables {
			tables[i] = w.table(elem.Object, room)
		}
		if elem.Object.Key() != nil && !w.odd(50) {
			slices.SortStableFunc(tables, func(a, b *node) int { return compareKeys(a.key, b.key) })
		}
		for i, to := range tables {
			n.adds(ref{head + 4*i, to, narrow})
			n.marks = append(n.marks, Mark{MarkOffset, head + 4*i, 4})
		}
	}
	n.setLength(head, count)
	return n
}

func (n *node) setLength(head, count int) {
	if head == 8 {
		binary.LittleEndian.PutUint64(n.data, uint64(count))
	} else {
		binary.LittleEndian.PutUint32(n.data, uint32(count))
	}
}

// nested makes a vector of bytes that are a buffer. It stands at an alignment of
// its own or at none: what is in it counts from its own first byte.
func (w *writer) nested(root *schema.Object, head, room int) *node {
	inner := &writer{
		r: w.r, s: w.s, opts: BufferOptions{Loose: w.opts.Loose, NoFuture: w.opts.NoFuture}, budget: min(w.budget, 10), share: w.share, present: w.present,
		vtables: map[string]*node{},
	}
	b := inner.place(inner.table(root, max(room, 1)))
	n := vectorNode(head, len(b.Bytes), 1)
	if w.chance(60) {
		n = vectorNode(head, len(b.Bytes), pick(w.r, 4, 8, 16))
	}
	copy(n.data[head:], b.Bytes)
	n.setLength(head, len(b.Bytes))
	for _, m := range b.Marks {
		n.marks = append(n.marks, Mark{m.Kind, head + m.At, m.Size})
	}
	n.tables, n.height = b.Tables, b.Depth
	w.budget -= 10
	return n
}

var texts = []string{"", "a", "name", "naïve", "日本語", "🜁🜂", "a longer text with words in it", "\u0000?"[1:], "\U0010ffff", "zz"}

// str makes a string.
func (w *writer) str() *node {
	if len(w.strings) > 0 && w.chance(w.share) {
		return w.strings[w.r.IntN(len(w.strings))]
	}
	w.budget--
	var text []byte
	for range 1 + w.r.IntN(2) {
		text = append(text, texts[w.r.IntN(len(texts))]...)
	}
	if w.chance(3) {
		text = bytes.Repeat(append(text, "né"...), w.r.IntN(300))
	}
	n := vectorNode(4, len(text)+1, 1)
	copy(n.data[4:], text)
	n.setLength(4, len(text))
	n.marks = append(n.marks, Mark{MarkEnd, 4 + len(text), 1})
	if len(text) > 0 {
		n.marks = append(n.marks, Mark{MarkText, 4 + w.r.IntN(len(text)), 1})
	}
	w.strings = append(w.strings, n)
	return n
}

// fill writes a random value of a scalar or struct. Padding is random at times.
func (w *writer) fill(b []byte, t schema.Type, isKey bool) {
	switch {
	case t.Base == schema.Array:
		elem := t.ElementType()
		size := elem.InlineSize()
		for i := range t.FixedLength {
			w.fill(b[i*size:][:size], elem, isKey)
		}
	case t.IsStruct():
		if w.chance(20) {
			for i := range b {
				b[i] = byte(w.r.Uint32())
			}
		}
		for _, f := range t.Object.Fields {
			w.fill(b[f.Offset:][:f.Type.InlineSize()], f.Type, f.Key)
		}
	case t.Base == schema.Bool:
		b[0] = byte(w.r.IntN(2))
		if w.odd(20) {
			b[0] = 7
		}
	case t.Enum != nil && !w.odd(20):
		put(b, w.enumValue(t.Enum))
	case t.Base == schema.Float:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(w.float(isKey))))
	case t.Base == schema.Double:
		binary.LittleEndian.PutUint64(b, math.Float64bits(w.float(isKey)))
	default:
		put(b, pick(w.r, 0, 1, ^uint64(0), 100, 1<<7, 1<<15, 1<<31, 1<<63, w.r.Uint64(), w.r.Uint64()))
	}
}

func put(b []byte, v uint64) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], v)
	copy(b, all[:])
}

func (w *writer) float(isKey bool) float64 {
	if !isKey && w.chance(10) { // keys must have an order
		return pick(w.r, math.NaN(), math.Inf(1), math.Inf(-1))
	}
	return pick(w.r, 0, 1, -1.5, 0.1, 1e30, w.r.NormFloat64())
}

func (w *writer) enumValue(e *schema.Enum) uint64 {
	if !e.BitFlags {
		return uint64(e.Values[w.r.IntN(len(e.Values))].Value)
	}
	v := uint64(0)
	for _, flag := range e.Values {
		if w.chance(50) {
			v |= uint64(flag.Value)
		}
	}
	return v
}

// keyOf returns a key as a number or string, for compareKeys.
func keyOf(b []byte, base schema.BaseType) any {
	u := uint64(0)
	for i, c := range b {
		u |= uint64(c) << (8 * i)
	}
	shift := 64 - 8*len(b)
	switch {
	case base == schema.Float:
		return float64(math.Float32frombits(uint32(u)))
	case base == schema.Double:
		return math.Float64frombits(u)
	case base.IsUnsigned() || base == schema.Bool:
		return u
	}
	return int64(u<<shift) >> shift
}

func defaultKey(f *schema.Field) any {
	switch {
	case f.Type.IsFloat():
		return f.DefaultReal
	case f.Type.Base.IsUnsigned() || f.Type.Base == schema.Bool:
		return uint64(f.DefaultInteger)
	}
	return f.DefaultInteger
}

func compareKeys(a, b any) int {
	switch a := a.(type) {
	case string:
		return cmp.Compare(a, b.(string))
	case float64:
		return cmp.Compare(a, b.(float64))
	case uint64:
		return cmp.Compare(a, b.(uint64))
	case int64:
		return cmp.Compare(a, b.(int64))
	case []any:
		return slices.CompareFunc(a, b.([]any), compareKeys)
	}
	return 0
}

// parts appends the numbers that a key is made of: of a struct or an array all of
// them, in order.
func parts(list []any, t schema.Type, b []byte) []any {
	switch {
	case t.Base == schema.Array:
		e := t.ElementType()
		for i := range t.FixedLength {
			list = parts(list, e, b[i*e.InlineSize():])
		}
	case t.IsStruct():
		for _, f := range t.Object.Fields {
			list = parts(list, f.Type, b[f.Offset:])
		}
	case t.Base == schema.Bool:
		list = append(list, keyOf([]byte{min(b[0], 1)}, t.Base)) // any other byte is true, too
	default:
		list = append(list, keyOf(b[:t.Base.Size()], t.Base))
	}
	return list
}

// sortStructs sorts structs by their key.
func sortStructs(b []byte, size int, key *schema.Field) {
	var all [][]byte
	for i := 0; i < len(b); i += size {
		all = append(all, bytes.Clone(b[i:i+size]))
	}
	k := func(e []byte) any { return parts(nil, key.Type, e[key.Offset:]) }
	slices.SortStableFunc(all, func(a, b []byte) int { return compareKeys(k(a), k(b)) })
	for i, e := range all {
		copy(b[i*size:], e)
	}
}

// finish lays the table's fields out.
func (t *tableWriter) finish() *node {
	w, n := t.w, t.n
	if !w.chance(40) {
		w.r.Shuffle(len(t.items), func(i, j int) { t.items[i], t.items[j] = t.items[j], t.items[i] })
	} else {
		slices.SortStableFunc(t.items, func(a, b inline) int { return cmp.Compare(b.align, a.align) })
	}
	n.align = 4
	last := -1
	for _, item := range t.items {
		n.align = max(n.align, item.align)
		last = max(last, item.id)
	}
	n.want = 4 * w.r.IntN(n.align/4)
	if w.chance(50) {
		last = len(t.o.Fields) - 1
	}
	slots := make([]uint16, last+1)
	n.data = make([]byte, 4)
	n.marks = []Mark{{MarkVTableOffset, 0, 4}}
	for _, item := range t.items {
		if item.to == nil && !item.tag && item.size <= 8 && w.odd(3) && len(n.data) >= 16 {
			// On top of what is there, which no reader minds.
			if at := 8 + (-(8 + n.want))&(item.align-1); at+item.size <= len(n.data) {
				slots[item.id] = uint16(at)
				n.marks = append(n.marks, Mark{MarkSlot, at, item.size})
				continue
			}
		}
		if w.chance(10) {
			n.data = append(n.data, make([]byte, w.r.IntN(9))...)
		}
		for (len(n.data)+n.want)&(item.align-1) != 0 {
			n.data = append(n.data, 0)
		}
		at := len(n.data)
		slots[item.id] = uint16(at)
		n.data = append(n.data, item.data...)
		kind := narrow
		if item.size == 8 {
			kind = wide
		}
		if item.to != nil {
			n.adds(ref{at, item.to, kind})
			n.marks = append(n.marks, Mark{MarkOffset, at, item.size})
		} else if item.tag {
			n.marks = append(n.marks, Mark{MarkTag, at, item.size})
		}
	}
	size := len(n.data)
	if w.odd(10) {
		size = w.r.IntN(1 << 16)
	}
	if w.chance(5) && !w.opts.NoFuture { // a newer writer's fields
		slots = append(slots, make([]uint16, len(t.o.Fields)-len(slots))...)
		for range 1 + w.r.IntN(3) {
			slots = append(slots, uint16(w.r.IntN(1<<16)))
		}
	}
	vt := binary.LittleEndian.AppendUint16(nil, uint16(4+2*len(slots)))
	vt = binary.LittleEndian.AppendUint16(vt, uint16(size))
	for _, s := range slots {
		vt = binary.LittleEndian.AppendUint16(vt, s)
	}
	n.adds(ref{0, w.vtable(vt), toVTable})
	return n
}
