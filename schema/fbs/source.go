package fbs

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/fbverify/go/schema/internal/words"
)

// source is the text of one .fbs file. Every place in it is a byte offset;
// lines and columns are worked out only for those that appear in an error.
type source struct {
	name  string
	text  string
	lines []int // offsets of the first byte of each line, made on first use
}

// span is a stretch of a source: what an error points at.
type span struct {
	src        *source
	start, end int
}

func (s *source) span(start, end int) span { return span{s, start, end} }

// to returns the span from the start of s to the end of t, which is in the same
// source and not before s.
func (s span) to(t span) span { return span{s.src, s.start, max(t.end, s.end)} }

// position returns the line and column of an offset, both counted from 1, the
// column in characters, and the offset at which the line starts.
func (s *source) position(offset int) (line, column, start int) {
	if s.lines == nil {
		s.lines = []int{0}
		for i := range len(s.text) {
			if s.text[i] == '\n' {
				s.lines = append(s.lines, i+1)
			}
		}
	}
	line = sort.SearchInts(s.lines, offset+1)
	start = s.lines[line-1]
	return line, 1 + utf8.RuneCountInString(s.text[start:offset]), start
}

// The part of a line that an error shows, in bytes before and after the place.
const (
	shownBefore = 100
	shownAfter  = 60
)

// excerpt returns the line around the span and a line with carets under it. Long
// lines are cut, and control characters are replaced: the text is not to be
// trusted with the reader's terminal.
func (s span) excerpt() (text, carets string) {
	all := s.src.text
	_, _, start := s.src.position(s.start)
	end := len(all)
	if i := strings.IndexByte(all[s.start:], '\n'); i >= 0 {
		end = s.start + i
	}
	from, to := start, end
	var before, after string
	if s.start-from > shownBefore {
		from, before = words.RuneStart(all, s.start-shownBefore), "…"
	}
	if to-s.start > shownAfter+shownBefore {
		to, after = words.RuneStart(all, s.start+shownAfter+shownBefore), "…"
	}
	// Tabs stay tabs under the text as well, so the carets stand where they should
	// at any tab width.
	pad := func(r rune) rune {
		if r == '\t' {
			return '\t'
		}
		return ' '
	}
	width := utf8.RuneCountInString(all[s.start:max(s.start, min(s.end, to))])
	text = before + words.Printable(strings.TrimRight(all[from:to], " \t\r")) + after
	carets = strings.Map(pad, before+words.Printable(all[from:s.start])) + strings.Repeat("^", max(width, 1))
	return text, carets
}
