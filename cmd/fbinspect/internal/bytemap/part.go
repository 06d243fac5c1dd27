package bytemap

import (
	"context"
	"slices"
	"sort"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/traverse"
)

// Selection says what of a buffer is mapped where that is not all of it.
type Selection struct {
	Elements int   // of each list of objects, the first
	Spans    int   // at most, about
	Asked    []int // positions: what is there, and around it
}

// around is how many elements before and behind one that was asked for are mapped.
const around = 20

// Part maps a part of a buffer: its first objects, and those that were asked for with all
// that leads to them. The rest is LeftOut.
func Part(ctx context.Context, t *fbverify.Type, buf []byte, framing fbverify.Framing, faults []*fbverify.Error, sel Selection) (*Map, error) {
	m := &Map{Buf: buf, Type: t}
	m.Faults = append(m.Faults, faults...)
	sort.SliceStable(m.Faults, func(i, j int) bool { return m.Faults[i].Offset < m.Faults[j].Offset })
	wanted, err := leading(ctx, t, buf, framing, sel.Asked)
	if err != nil {
		return nil, err
	}
	for _, pos := range wanted {
		m.asked = append(m.asked, pos+min(framing.Prefix(), len(buf)))
	}
	ids := map[int]int{}     // by Placed.ID
	at := map[int]int{}      // by where they start, not of vtables and buffers
	vtables := map[int]int{} // by where they start
	var targets, offsets []int
	var o *order
	tell := func(s *Told) error {
		span := s.Span
		span.Object, span.Target = -1, -1
		if s.Of != nil {
			i, ok := ids[s.Of.ID]
			if !ok {
				i = len(m.Objects)
				ids[s.Of.ID] = i
				obj := s.Of.Object
				obj.Parent = -1
				switch obj.Kind {
				case VTable:
					vtables[obj.Pos] = i
				case Buffer:
					if i > 0 {
						obj.Parent = i - 1 // the vector that was told before
					}
				default:
					at[obj.Pos] = i
				}
				m.Objects = append(m.Objects, obj)
				offsets = append(offsets, o.b.at(s.Of.at))
			}
			span.Object = i
		}
		m.Spans = append(m.Spans, span)
		targets = append(targets, s.Target)
		return nil
	}
	o = newOrder(ctx, t, buf, framing, tell)
	o.want = func(e *traverse.Event) bool {
		i := sort.SearchInts(wanted, e.At-4*around)
		if i < len(wanted) && wanted[i] <= e.At+4*around {
			return true
		}
		return e.Index < sel.Elements && len(m.Spans) < sel.Spans
	}
	if err := o.run(tell); err != nil {
		return nil, err
	}
	for i, target := range targets {
		if target < 0 {
			continue
		}
		s := &m.Spans[i]
		known, ok := at[target]
		if s.Kind == VTableOffset {
			known, ok = vtables[target]
		}
		if s.Target = Unmapped; ok {
			s.Target = known
		}
	}
	// What has the bytes of an offset is what the offset's target is in.
	for i := range m.Objects {
		if obj := &m.Objects[i]; obj.Parent < 0 && i > 0 && obj.Kind != VTable {
			if s := m.SpanAt(offsets[i]); s >= 0 {
				obj.Parent = m.Spans[s].Object
			}
		}
	}
	for i := range m.Spans {
		if s := &m.Spans[i]; s.Kind == VTableOffset && s.Target >= 0 && m.Objects[s.Target].Parent < 0 {
			m.Objects[s.Target].Parent = s.Object
		}
	}
	return m, nil
}

// LeadingIn returns the positions in a span of the offsets that lead to what was asked for,
// in order.
func (m *Map) LeadingIn(s *Span) []int {
	from, to := sort.SearchInts(m.asked, s.Pos), sort.SearchInts(m.asked, s.End())
	return m.asked[from:to]
}

// Unmapped is the target of an offset that leads to something that is left out.
const Unmapped = -2

// leading returns the places of all offsets, in order, that lead to what is at some
// positions.
func leading(ctx context.Context, t *fbverify.Type, buf []byte, framing fbverify.Framing, asked []int) ([]int, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	o := newOrder(ctx, t, buf, framing, nil)
	o.start()
	last := slices.Max(asked) - o.b.shift
	for o.ahead <= last && ctx.Err() == nil && o.discover() {
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var offsets []int
	for _, pos := range asked {
		p, ok := o.places.before(min(max(pos-o.b.shift, 0)+1, o.b.end-o.b.shift))
		for range 2 * mostSteps {
			if !ok {
				break
			}
			offsets = append(offsets, p.at)
			if p.vtable {
				p, ok = o.places.next(p.at)
				continue
			}
			owner, _, _ := o.owner(p)
			if owner == nil || p.pos == o.root {
				break
			}
			p = *owner
		}
	}
	slices.Sort(offsets)
	return slices.Compact(offsets), nil
}
