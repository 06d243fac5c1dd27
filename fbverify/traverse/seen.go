package traverse

import (
	"cmp"
	"iter"
	"slices"
)

// Place is a position in a buffer, and a number for what it is read as. Which
// number stands for what is for those who make them.
type Place struct {
	Pos int
	As  uint32
}

// Seen is a set of places. It takes two bits for each byte of the pages of a
// buffer in which there are any, four where they lie as close as every fourth
// byte, and more only where one position is read as several things, or where
// positions are closer than that.
//
// The zero Seen is empty. It is not safe for concurrent use.
type Seen struct {
	// A page has a code for each of its granules: the number of what is read
	// there, and the last three bits of the position.
	pages   [][]uint16
	numbers []*[numbersPage]uint16 // by Place.As, in pages: small numbers, from 1 on, in the order in which they are met
	as      []uint32               // by those
	count   int

	rest   map[Place]struct{} // what has no room in a page
	sorted []Place            // the same in order; nil when it is not known
}

const (
	pageBytes   = 4096
	coarse      = pageBytes / 8 // codes of a page with a granule of eight bytes
	fine        = pageBytes / 4
	low         = 7         // bits of a code for the position
	mostAs      = 1<<13 - 1 // numbers that a code has room for
	numbersPage = 256
	directAs    = 1 << 20 // what is read as a number from here on is not kept in a page
)

// Len returns how many places there are.
func (s *Seen) Len() int { return s.count }

// code returns the code of a place, 0 when there is none for it.
func (s *Seen) code(p Place, add bool) uint16 {
	if p.As >= directAs {
		return 0
	}
	at := int(p.As) / numbersPage
	if at >= len(s.numbers) {
		if !add {
			return 0
		}
		s.numbers = append(s.numbers, make([]*[numbersPage]uint16, at+1-len(s.numbers))...)
	}
	page := s.numbers[at]
	if page == nil {
		if !add {
			return 0
		}
		page = new([numbersPage]uint16)
		s.numbers[at] = page
	}
	n := page[int(p.As)%numbersPage]
	if n == 0 {
		if !add || len(s.as) == mostAs {
			return 0
		}
		s.as = append(s.as, p.As)
		n = uint16(len(s.as))
		page[int(p.As)%numbersPage] = n
	}
	return n<<3 | uint16(p.Pos)&low
}

// Add adds a place, and reports whether it is new. The position is not negative.
func (s *Seen) Add(p Place) bool {
	code := s.code(p, true)
	if code == 0 {
		return s.addRest(p)
	}
	at := p.Pos / pageBytes
	if at >= len(s.pages) {
		s.pages = append(s.pages, make([][]uint16, at+1-len(s.pages))...)
	}
	page := s.pages[at]
	if page == nil {
		page = make([]uint16, coarse)
		s.pages[at] = page
	}
	i := granule(page, p.Pos)
	old := page[i]
	if old != 0 && old != code && len(page) == coarse && (old^code)&4 != 0 {
		page = refine(page)
		s.pages[at] = page
		i = granule(page, p.Pos)
		old = page[i]
	}
	switch old {
	case code:
		return false
	case 0:
		page[i] = code
		s.count++
		return true
	}
	return s.addRest(p)
}

func (s *Seen) addRest(p Place) bool {
	if _, ok := s.rest[p]; ok {
		return false
	}
	if s.rest == nil {
		s.rest = map[Place]struct{}{}
	}
	s.rest[p] = struct{}{}
	s.sorted = nil
	s.count++
	return true
}

// Has reports whether a place was added.
func (s *Seen) Has(p Place) bool {
	if code := s.code(p, false); code != 0 {
		if at := p.Pos / pageBytes; at < len(s.pages) && s.pages[at] != nil {
			if page := s.pages[at]; page[granule(page, p.Pos)] == code {
				return true
			}
		}
	}
	_, ok := s.rest[p]
	return ok
}

// granule returns the index of the code of a position.
func granule(page []uint16, pos int) int { return pos % pageBytes * len(page) / pageBytes }

// refine returns a page with a granule of four bytes for one of eight.
func refine(page []uint16) []uint16 {
	refined := make([]uint16, fine)
	for i, code := range page {
		if code != 0 {
			refined[2*i+int(code&4)/4] = code
		}
	}
	return refined
}

// From returns the places at a position and behind it, in the order of positions.
// Of several at one position, the one that was added first comes first. No place
// may be added meanwhile.
func (s *Seen) From(pos int) iter.Seq[Place] {
	return func(yield func(Place) bool) {
		if s.sorted == nil {
			for p := range s.rest {
				s.sorted = append(s.sorted, p)
			}
			slices.SortFunc(s.sorted, func(a, b Place) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.As, b.As)) })
		}
		rest := s.sorted
		for len(rest) > 0 && rest[0].Pos < pos {
			rest = rest[1:]
		}
		for at := max(pos, 0) / pageBytes; at < len(s.pages); at++ {
			page := s.pages[at]
			if page == nil {
				continue
			}
			size := pageBytes / len(page)
			for i := max(pos-at*pageBytes, 0) / size; i < len(page); i++ {
				code := page[i]
				if code == 0 {
					continue
				}
				p := Place{at*pageBytes + i*size&^low | int(code&low), s.as[code>>3-1]}
				if p.Pos < pos {
					continue
				}
				for len(rest) > 0 && rest[0].Pos < p.Pos {
					if !yield(rest[0]) {
						return
					}
					rest = rest[1:]
				}
				if !yield(p) {
					return
				}
			}
		}
		for _, p := range rest {
			if !yield(p) {
				return
			}
		}
	}
}
