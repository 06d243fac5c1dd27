package fbrand

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/fbverify/go/schema"
)

// BufferOptions say what buffer to make.
type BufferOptions struct {
	// Objects is about how many tables, vectors and strings there are; 0 means 30.
	Objects int

	// Depth is how deep tables nest at most, nested buffers counted on; 0 means 6.
	Depth int

	// Loose also does what Strict refuses and a verification by default accepts:
	// unknown enum values and union tags, values behind NONE, bools of 7, false
	// table sizes, vectors that are not sorted, empty ones that are not aligned,
	// fields on top of each other.
	Loose bool

	// NoFuture leaves out the fields of a newer writer, which are rubbish to a reader
	// that takes them for its own.
	NoFuture bool

	// Wide makes some vectors of tables long: 64 to 300 elements.
	Wide bool

	// Prefix is the number of bytes of a size prefix: 0, 4 or 8. Alignment counts
	// from its first byte, or from the first byte after it with AlignAfter.
	Prefix     int
	AlignAfter bool
}

// Buffer is a random buffer, and where its parts are.
type Buffer struct {
	Bytes []byte
	Marks []Mark

	// Tables is the number of tables that an expanded walk meets, Depth how deep
	// they nest.
	Tables, Depth int
}

// MarkKind says what the bytes at a mark are.
type MarkKind uint8

// The kinds of marks.
const (
	MarkOffset MarkKind = iota // to an object
	MarkVTableOffset
	MarkVTable // its size, and the table's
	MarkSlot
	MarkLength
	MarkTag
	MarkEnd // of a string: its terminator
	MarkText
	MarkPrefix
)

// Mark is a place that matters: Size bytes at At.
type Mark struct {
	Kind     MarkKind
	At, Size int
}

// ForSchema makes a buffer with the given root table.
func ForSchema(r *rand.Rand, s *schema.Schema, root *schema.Object, opts BufferOptions) Buffer {
	if opts.Objects == 0 {
		opts.Objects = 30
	}
	if opts.Depth == 0 {
		opts.Depth = 6
	}
	w := &writer{r: r, s: s, opts: opts, budget: 1 + r.IntN(opts.Objects*2), share: pick(r, 0, 10, 40), vtables: map[string]*node{}}
	w.present = pick(r, 20, 50, 80, 100)
	top := w.table(root, opts.Depth)
	return w.place(top)
}

// node is one object that is placed as a whole.
type node struct {
	data        []byte
	align, want int // the position is want more than a multiple of align
	refs        []ref
	marks       []Mark // relative to the node

	parents        int // references to it not placed yet
	pos            int // -1 before it is placed
	tables, height int // of what it leads to, itself included
	key            any
	object         *schema.Object // of a table
}

type ref struct {
	at   int
	to   *node
	kind refKind
}

type refKind uint8

const (
	narrow refKind = iota
	wide
	toVTable // the signed offset at a table's start
)

// writer makes the nodes of a buffer.
type writer struct {
	r       *rand.Rand
	s       *schema.Schema
	opts    BufferOptions
	budget  int // objects still to make
	share   int // percent of references that go to what is there already
	present int // percent of fields that are set

	vtables map[string]*node // by their bytes
	strings []*node
	made    []*node // tables whose subtree is complete
	vectors []madeVector
}

type madeVector struct {
	field *schema.Field
	node  *node
	room  int
}

func (w *writer) chance(percent int) bool { return w.r.IntN(100) < percent }

func (w *writer) odd(percent int) bool { return w.opts.Loose && w.chance(percent) }

// adds notes that a node leads to another.
func (n *node) adds(r ref) {
	n.refs = append(n.refs, r)
	n.tables += r.to.tables
	n.height = max(n.height, r.to.height)
}

// vtable returns a node with those bytes, most often one that is there already.
func (w *writer) vtable(b []byte) *node {
	if n := w.vtables[string(b)]; n != nil && !w.chance(10) {
		return n
	}
	n := &node{data: b, align: 2, pos: -1}
	n.marks = append(n.marks, Mark{MarkVTable, 0, 2}, Mark{MarkVTable, 2, 2})
	for at := 4; at < len(b); at += 2 {
		n.marks = append(n.marks, Mark{MarkSlot, at, 2})
	}
	w.vtables[string(b)] = n
	return n
}

// place puts all nodes somewhere: what offsets lead to after what has the offsets,
// vtables anywhere.
func (w *writer) place(top *node) Buffer {
	p := &placer{r: w.r, opts: w.opts, dirty: w.chance(30), order: pick(w.r, 0, 1, 2), gaps: pick(w.r, 0, 0, 20, 50)}
	p.count(top, map[*node]bool{})
	p.b = make([]byte, w.opts.Prefix, 256)
	if w.opts.Prefix > 0 {
		p.marks = append(p.marks, Mark{MarkPrefix, 0, w.opts.Prefix})
	}
	root := &node{data: make([]byte, 4), align: 1, pos: -1, refs: []ref{{to: top}}, marks: []Mark{{MarkOffset, 0, 4}}}
	if w.s.FileIdentifier != "" && w.chance(80) {
		root.data = append(root.data, w.s.FileIdentifier...)
	}
	top.parents++
	p.ready = []*node{root}
	for len(p.ready) > 0 || len(p.vtables) > 0 {
		if len(p.vtables) > 0 && len(p.b) > w.opts.Prefix && (len(p.ready) == 0 || p.chance(30)) {
			i := p.r.IntN(len(p.vtables))
			n := p.vtables[i]
			p.vtables[i] = p.vtables[len(p.vtables)-1]
			p.vtables = p.vtables[:len(p.vtables)-1]
			p.put(n)
			continue
		}
		p.put(p.next())
	}
	for _, l := range p.late {
		l()
	}
	if w.chance(30) {
		p.pad(w.r.IntN(16))
	}
	switch n := len(p.b) - w.opts.Prefix; w.opts.Prefix {
	case 4:
		binary.LittleEndian.PutUint32(p.b, uint32(n))
	case 8:
		binary.LittleEndian.PutUint64(p.b, uint64(n))
	}
	return Buffer{p.b[:len(p.b):len(p.b)], p.marks, top.tables, top.height}
}

type placer struct {
	r       *rand.Rand
	opts    BufferOptions
	dirty   bool // padding is not zero
	order   int  // of objects: first, last or any of those that may come next
	gaps    int  // percent of objects with a gap before them
	b       []byte
	marks   []Mark
	ready   []*node
	vtables []*node
	late    []func()
}

func (p *placer) chance(percent int) bool { return p.r.IntN(100) < percent }

// count counts the references to each node, and collects the vtables.
func (p *placer) count(n *node, seen map[*node]bool) {
	for _, r := range n.refs {
		if r.kind == toVTable {
			if !seen[r.to] {
				seen[r.to] = true
				p.vtables = append(p.vtables, r.to)
			}
			continue
		}
		r.to.parents++
		if !seen[r.to] {
			seen[r.to] = true
			p.count(r.to, seen)
		}
	}
}

func (p *placer) next() *node {
	i := 0
	switch p.order {
	case 1:
		i = len(p.ready) - 1
	case 2:
		i = p.r.IntN(len(p.ready))
	}
	n := p.ready[i]
	p.ready = append(p.ready[:i], p.ready[i+1:]...)
	return n
}

func (p *placer) pad(n int) {
	for range n {
		c := byte(0)
		if p.dirty {
			c = byte(p.r.Uint32())
		}
		p.b = append(p.b, c)
	}
}

// put places a node, and fills in the offsets to it when those from it are known.
func (p *placer) put(n *node) {
	if len(p.b) > p.opts.Prefix && p.chance(p.gaps) {
		p.pad(p.r.IntN(13))
	}
	base := 0
	if p.opts.AlignAfter {
		base = p.opts.Prefix
	}
	for (len(p.b)-base-n.want)&(n.align-1) != 0 {
		p.pad(1)
	}
	n.pos = len(p.b)
	p.b = append(p.b, n.data...)
	for _, m := range n.marks {
		p.marks = append(p.marks, Mark{m.Kind, n.pos + m.At, m.Size})
	}
	for _, r := range n.refs {
		at := n.pos + r.at
		p.late = append(p.late, func() {
			switch r.kind {
			case narrow:
				binary.LittleEndian.PutUint32(p.b[at:], uint32(r.to.pos-at))
			case wide:
				binary.LittleEndian.PutUint64(p.b[at:], uint64(r.to.pos-at))
			default:
				binary.LittleEndian.PutUint32(p.b[at:], uint32(at-r.to.pos))
			}
		})
		if r.kind == toVTable {
			continue
		}
		if r.to.parents--; r.to.parents == 0 {
			p.ready = append(p.ready, r.to)
		}
	}
}
