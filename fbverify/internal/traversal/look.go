package traversal

import (
	"slices"
	"sort"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/fbverify/traverse"
)

// Traversal is a walk for listeners.
type Traversal struct {
	w     *walker
	nodes []reading // by what a place is read as
	nests []nest    // in the order of their starts; the larger first
}

// reading is what a place can be read as: one of them.
type reading struct {
	table  *program.Table
	field  *program.Field // whose offset leads to a vector
	owner  *program.Table // of the field
	member *program.Member
}

// nest is a nested buffer that was met.
type nest struct {
	span
	root *program.Table
}

// New returns a traversal of a buffer. cfg has no listener.
func New(p *program.Program, buf []byte, cfg *Config) *Traversal {
	w := newWalker(p, buf, cfg)
	w.seen = new(traverse.Seen)
	return &Traversal{w: w}
}

// Seen returns the places that were met.
func (t *Traversal) Seen() *traverse.Seen { return t.w.seen }

// Run walks the buffer, and returns the fault that ended the walk, nil where none did.
// told is called with each fault, up to as many as the configuration says; it may be
// nil.
func (t *Traversal) Run(l traverse.Listener, told func(*Fault)) *Fault {
	t.w.listener, t.w.told = l, told
	t.w.header()
	return t.w.end
}

// Look tells l of the one object at a place, of a table also of its vtable and its
// fields, and of what its offsets lead to. The walk has come to an end.
func (t *Traversal) Look(p traverse.Place, l traverse.Listener) {
	t.prepare()
	w := t.w
	w.listener, w.told, w.shallow, w.stop, w.stopped, w.walked, w.tables, w.bytes = l, nil, true, false, false, 0, 0, 0
	w.path, w.events = w.path[:0], w.events[:0]
	w.memberDef = nil
	whole := *w
	t.enclose(p)
	switch pos := uint64(p.Pos) - w.origin; {
	case p.Pos == 0 && p.As == w.nestedAs(w.p.Root):
		if w.meetBuffer(w.whole, w.p.Root, 0) {
			w.met()
		}
	case uint64(p.Pos) >= w.origin && pos < w.n:
		t.look(p, pos)
	}
	w.b, w.n, w.origin, w.first, w.buffer = whole.b, whole.n, whole.origin, whole.first, whole.buffer
}

func (t *Traversal) look(p traverse.Place, pos uint64) {
	w, n := t.w, t.w.p.Nodes
	switch as := p.As; {
	case as >= 2*n && as-2*n < n && t.nodes[as-2*n].table != nil:
		t.lookAtVTable(pos, t.nodes[as-2*n].table)
	case as >= 2*n:
	case as >= n:
		if i := t.nestAt(p); i >= 0 {
			s := t.nests[i]
			w.b, w.n, w.origin, w.first, w.buffer = w.b[pos:pos+s.size], s.size, s.start, 0, 1
			if w.meetBuffer(0, s.root, 0) {
				w.met()
			}
		}
	case as == program.StringNode || as == program.BinaryNode:
		if rule.Fits(pos, rule.OffsetSize, w.n) {
			size := uint64(w.u32(pos))
			sound := rule.Fits(pos+rule.OffsetSize, size, w.n)
			if !sound {
				size = 0
			}
			if w.meetString(0, pos, size, as, sound) {
				w.met()
			}
		}
	case t.nodes[as].table != nil:
		if rule.Fits(pos, rule.OffsetSize, w.n) {
			w.owner = t.nodes[as].table
			w.meetTable(pos, w.owner, 0)
		}
	case t.nodes[as].field != nil:
		t.lookAtVector(pos, t.nodes[as].field)
	case t.nodes[as].member != nil:
		if m := t.nodes[as].member; rule.Fits(pos, uint64(m.Size), w.n) && w.meetStruct(0, pos, m) {
			w.met()
		}
	}
}

func (t *Traversal) lookAtVTable(pos uint64, table *program.Table) {
	w := t.w
	if !rule.Fits(pos, rule.VTableHeader, w.n) {
		return
	}
	if size := uint64(w.u16(pos)); rule.Fits(pos, size, w.n) {
		w.tellVTable(&vtable{pos: pos, size: size}, table)
	}
}

func (t *Traversal) lookAtVector(pos uint64, f *program.Field) {
	w, head := t.w, headSize(f)
	if !rule.Fits(pos, head, w.n) {
		return
	}
	count := uint64(w.u32(pos))
	if f.Long {
		count = w.u64(pos)
	}
	sound := rule.VectorFits(pos+head, count, uint64(f.ElemSize), w.n)
	if !sound {
		count = 0
	}
	w.owner = t.nodes[f.Node].owner
	w.path = append(w.path, segment{field: f.Def})
	if w.meetVector(0, pos, head, count, uint64(f.ElemSize), f, traverse.None, sound) {
		switch {
		case f.Op == program.UnionVector || f.Op == program.UnionTagVector: // the table has what says more
		case f.Op != program.NestedBuffer:
			w.inside(pos+head, count, f, 0)
		case w.cfg.Flags&program.SkipNested == 0:
			w.into(pos+head, count, f.Table, 0)
		}
		w.met()
	}
}

// prepare says what places are read as, and puts nested buffers in order. Looks meet more
// of those, mostly in that order.
func (t *Traversal) prepare() {
	for _, n := range t.w.newNests {
		i := len(t.nests)
		for i > 0 && (t.nests[i-1].start > n.start || t.nests[i-1].start == n.start && t.nests[i-1].size < n.size) {
			i--
		}
		t.nests = slices.Insert(t.nests, i, n)
	}
	t.w.newNests = t.w.newNests[:0]
	if t.nodes != nil {
		return
	}
	t.nodes = make([]reading, t.w.p.Nodes)
	for _, table := range t.w.p.Tables {
		t.nodes[table.Node].table = table
		for i := range table.Fields {
			f := &table.Fields[i]
			switch f.Op {
			case program.ScalarVector, program.StringVector, program.TableVector, program.UnionVector, program.UnionTagVector, program.NestedBuffer:
				t.nodes[f.Node] = reading{field: f, owner: table}
			}
			if f.Union == nil {
				continue
			}
			for _, v := range f.Union.Enum.Values {
				if m := f.Union.Member(v.Value); m != nil && m.Op == program.Inline {
					t.nodes[m.Node].member = m
				}
			}
		}
	}
}

// mostNests is how many nested buffers that start before a place are looked at for
// the one it is in.
const mostNests = 64

// enclose makes the innermost buffer that a place is in the current one.
func (t *Traversal) enclose(p traverse.Place) {
	pos := uint64(p.Pos)
	end := sort.Search(len(t.nests), func(i int) bool { return t.nests[i].start > pos })
	for i := end - 1; i >= max(0, end-mostNests); i-- {
		s := &t.nests[i]
		inside := pos-s.start < s.size && !(pos == s.start && p.As >= t.w.p.Nodes && p.As < 2*t.w.p.Nodes) // a nested buffer is in another
		if inside {
			w := t.w
			from := s.start - w.origin
			w.b, w.n, w.origin, w.first, w.buffer = w.b[from:from+s.size], s.size, s.start, 0, 1
			return
		}
	}
}

// nestAt returns the index of the nested buffer at a place, -1 when there is none.
func (t *Traversal) nestAt(p traverse.Place) int {
	pos := uint64(p.Pos)
	for i := sort.Search(len(t.nests), func(i int) bool { return t.nests[i].start >= pos }); i < len(t.nests) && t.nests[i].start == pos; i++ {
		if s := &t.nests[i]; t.w.nestedAs(s.root) == p.As && s.start >= t.w.origin && s.start-t.w.origin+s.size <= t.w.n {
			return i
		}
	}
	return -1
}
