package sense

import "github.com/fbverify/go/schema"

// A buffer that shares tables is walked once more, with a memory. What was asked of a table
// stays true for as long as each slot that it depends on has a value for which it holds.
// Nearly all of what is asked is a comparison with a slot, so that these values are an
// interval: from the largest index on, up to the least length that would be too much. What is
// no comparison holds for the one value that the slot had.

// key is a position and what it was asked as.
type key struct {
	pos  uint64
	tags uint64 // of a vector of unions, where their types are
	as   uint32
}

// interval is the values of a slot for which something holds.
type interval struct{ least, most schema.Integer }

var (
	lowest  = schema.Integer{High: -1 << 63}
	highest = schema.Integer{High: 1<<63 - 1, Low: ^uint64(0)}
	all     = interval{lowest, highest}
)

// outcome is what is remembered.
type outcome struct {
	faulty bool // and reported
	first  int  // of the intervals, in the order of the slots that it depends on
}

type memo struct {
	outcomes  map[key]outcome
	intervals []interval
	needs     []interval // by slot: of what is walked at the moment
	saved     []interval
}

// overlap is how many times longer than its bytes a buffer may take where results are
// remembered. Without parts that overlap, and with values of slots that agree, it is once
// for each type that its bytes are read as.
const overlap = 8

// remember makes the walker start again, with a memory.
func (w *walker) remember() {
	w.memo = &memo{outcomes: map[key]outcome{}, needs: make([]interval, len(w.slots))}
	for i := range w.memo.needs {
		w.memo.needs[i] = all
	}
	w.work, w.budget = 0, overlap*w.p.times*uint64(len(w.b))+1<<12
	*w.found, w.stop, w.restart, w.paths = nil, false, false, 0
}

// visit is a part of the buffer that is being asked, where verdicts are remembered.
type visit struct {
	key
	free   []int // the slots that the verdict depends on
	first  int   // of what is saved
	faults int
}

// enter reports whether a part is to be asked; leave is to be called after that. Where its
// verdict is known, it stands for the asking.
func (w *walker) enter(k key, free []int) (visit, bool) {
	m := w.memo
	if o, ok := m.outcomes[k]; ok && (o.faulty || w.inside(m.intervals[o.first:], free)) {
		if !o.faulty {
			for i, s := range free {
				m.narrow(s, m.intervals[o.first+i])
			}
		}
		return visit{}, false
	}
	v := visit{key: k, free: free, first: len(m.saved), faults: len(*w.found)}
	for _, s := range free {
		m.saved = append(m.saved, m.needs[s])
		m.needs[s] = all
	}
	return v, true
}

// leave remembers the verdict on a part.
func (w *walker) leave(v *visit) {
	m := w.memo
	o := outcome{faulty: len(*w.found) > v.faults, first: len(m.intervals)}
	for _, s := range v.free {
		m.intervals = append(m.intervals, m.needs[s])
	}
	m.outcomes[v.key] = o
	for i, s := range v.free {
		m.narrow(s, m.saved[v.first+i])
	}
	m.saved = m.saved[:v.first]
}

// inside reports whether each slot has a value that the interval for it holds.
func (w *walker) inside(list []interval, free []int) bool {
	for i, s := range free {
		v := &w.slots[s]
		if list[i] == all {
			continue // it was not used
		}
		if !v.known || v.n.Compare(list[i].least) < 0 || v.n.Compare(list[i].most) > 0 {
			return false
		}
	}
	return true
}

// narrow notes that a slot has to be in an interval.
func (m *memo) narrow(slot int, v interval) {
	n := &m.needs[slot]
	n.least, n.most = larger(n.least, v.least), smaller(n.most, v.most)
}

// exactly notes that what is walked depends on the very value of a slot.
func (w *walker) exactly(slot int) {
	if w.memo != nil {
		n := w.slots[slot].n
		w.memo.narrow(slot, interval{n, n})
	}
}

// need notes that what is walked holds for values of a slot that are not below least.
func (w *walker) need(slot int, least schema.Integer) {
	if w.memo != nil {
		w.memo.narrow(slot, interval{least, highest})
	}
}

// needFor notes for which values of a slot n is in the same relation to it, if it is.
func (w *walker) needFor(r schema.Relation, slot int, n schema.Integer) {
	v := all
	switch r {
	case schema.EqualTo:
		v = interval{n, n}
	case schema.LessThan:
		v.least = n.Add(schema.Signed(1))
	case schema.AtMost:
		v.least = n
	case schema.GreaterThan:
		v.most = n.Add(schema.Signed(-1))
	case schema.AtLeast:
		v.most = n
	default:
		w.exactly(slot)
		return
	}
	w.memo.narrow(slot, v)
}

// hide and show keep what is needed of slots that a table fills for itself from what is
// around it.
func (m *memo) hide(slots []int) {
	for _, s := range slots {
		m.saved = append(m.saved, m.needs[s])
	}
}

func (m *memo) show(slots []int) {
	first := len(m.saved) - len(slots)
	for i, s := range slots {
		m.needs[s] = m.saved[first+i]
	}
	m.saved = m.saved[:first]
}
