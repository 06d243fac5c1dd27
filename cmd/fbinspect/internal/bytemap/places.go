package bytemap

import (
	"slices"
	"sort"

	"github.com/fbverify/go/schema"
)

// places are where objects start, in order, and how the first offset in the file leads to each:
// eight bytes for an object, in pages. Where two objects start at one position the one that
// was met first is there.
type places struct {
	pages [][]entry
	ways  []way
	ids   map[way]uint16
	last  uint16      // the way that was added last
	more  map[int]int // offsets that lead to a place, where they are several
}

// entry is a place in a page.
type entry struct {
	at  uint32 // a quarter of the position of the offset that leads there; of a vtable, of its first table
	low uint16 // of its own position, and above that the low bits of the other one
	way uint16 // index of places.ways
}

// way is what an object is read as, and what led to it.
type way struct {
	as      uint32        // see traverse.Event
	field   *schema.Field // nil for the root of a buffer
	element bool          // of a vector
	vtable  bool          // that of a table which is read as that
	leaf    bool          // it leads nowhere, of whatever it is
}

// place is where an object starts.
type place struct {
	way
	pos, at int
}

const (
	pageBits = 12
	mostWays = 1<<16 - 1 // more ways to read a buffer are not followed
)

func newPlaces(size int) places {
	return places{pages: make([][]entry, size>>pageBits+1), ids: map[way]uint16{}, more: map[int]int{}}
}

// find returns the index of the first entry of a page at or behind a position in it.
func find(page []entry, low uint16) int {
	if n := len(page); n == 0 || page[n-1].position() < low {
		return n
	}
	return sort.Search(len(page), func(i int) bool { return page[i].position() >= low })
}

func (e entry) position() uint16 { return e.low & (1<<pageBits - 1) }

// add adds a place, and reports whether it is new. Positions are below 16 GiB.
func (p *places) add(pl place) bool {
	id := p.last
	if int(id) >= len(p.ways) || p.ways[id] != pl.way {
		var ok bool
		if id, ok = p.ids[pl.way]; !ok {
			if len(p.ways) == mostWays {
				return false
			}
			id = uint16(len(p.ways))
			p.ids[pl.way] = id
			p.ways = append(p.ways, pl.way)
		}
		p.last = id
	}
	page, low := &p.pages[pl.pos>>pageBits], uint16(pl.pos&(1<<pageBits-1))
	i := find(*page, low)
	if i < len(*page) && (*page)[i].position() == low {
		if w := p.ways[(*page)[i].way]; w.as == pl.as && w.vtable == pl.vtable && !w.vtable {
			p.more[pl.pos] = max(p.more[pl.pos], 1) + 1
		}
		return false
	}
	if len(*page) == cap(*page) { // by a quarter: most of a large buffer's pages hold as many
		grown := make([]entry, len(*page), len(*page)+max(8, len(*page)/4))
		copy(grown, *page)
		*page = grown
	}
	*page = slices.Insert(*page, i, entry{uint32(pl.at >> 2), low | uint16(pl.at&3)<<pageBits, id})
	return true
}

func (p *places) place(page, i int) place {
	e := p.pages[page][i]
	return place{p.ways[e.way], page<<pageBits | int(e.position()), int(e.at)<<2 | int(e.low>>pageBits&3)}
}

// next returns the first place at or behind a position.
func (p *places) next(pos int) (place, bool) {
	low := uint16(pos & (1<<pageBits - 1))
	for page := pos >> pageBits; page < len(p.pages); page++ {
		if i := find(p.pages[page], low); i < len(p.pages[page]) {
			return p.place(page, i), true
		}
		low = 0
	}
	return place{}, false
}

// before returns the last place before a position.
func (p *places) before(pos int) (place, bool) {
	i := find(p.pages[pos>>pageBits], uint16(pos&(1<<pageBits-1)))
	for page := pos >> pageBits; ; {
		if i > 0 {
			return p.place(page, i-1), true
		}
		if page--; page < 0 {
			return place{}, false
		}
		i = len(p.pages[page])
	}
}

// refs is how many offsets lead to a place, as far as they were met.
func (p *places) refs(pos int) int { return max(1, p.more[pos]) }
