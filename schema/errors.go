package schema

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// ParseError is one fault in the text of a schema.
type ParseError struct {
	File    string // as [ParseFS] found it
	Line    int    // from 1; 0 when the fault is the file itself
	Column  int    // in characters, from 1
	Message string // what was found and what was allowed

	// Source is the line of the file, shortened when it is long, and Caret a line
	// that marks the place in it. Both are "" when Line is 0.
	Source, Caret string

	// Err is the cause, such as the error of a file that could not be read; nil
	// for faults in the text.
	Err error
}

// Error returns "file:line:col: message" and, below it, the line and the mark.
// A file name with control characters is quoted.
func (e *ParseError) Error() string {
	file := shownName(e.File)
	if e.Line == 0 {
		return file + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s\n    %s\n    %s", file, e.Line, e.Column, e.Message, e.Source, e.Caret)
}

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

// ErrorList is what [ParseFS] returns for a faulty schema: all that is wrong, in
// the order of the text, up to a limit of [MaxErrors].
type ErrorList []*ParseError

// MaxErrors is the number of faults after which a parse gives up.
const MaxErrors = 50

// Error returns the errors, one after the other.
func (l ErrorList) Error() string {
	var b strings.Builder
	for i, e := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Unwrap makes each error known to [errors.Is] and [errors.As].
func (l ErrorList) Unwrap() []error {
	list := make([]error, len(l))
	for i, e := range l {
		list[i] = e
	}
	return list
}

// reporter gathers the errors of one parse.
type reporter struct {
	list ErrorList
	seen map[span]bool
}

// full reports whether there are so many errors that going on is no use.
func (r *reporter) full() bool { return len(r.list) >= MaxErrors }

// at reports a fault, unless one was reported at the same place before: the
// second is most often a consequence of the first.
func (r *reporter) at(where span, format string, args ...any) {
	key := span{where.src, where.start, where.start}
	if r.full() || r.seen[key] {
		return
	}
	if r.seen == nil {
		r.seen = map[span]bool{}
	}
	r.seen[key] = true
	e := &ParseError{File: where.src.name, Message: fmt.Sprintf(format, args...)}
	e.Line, e.Column, _ = where.src.position(where.start)
	e.Source, e.Caret = where.excerpt()
	r.list = append(r.list, e)
}

// err returns the errors in the order of the text of each file, nil for none.
func (r *reporter) err() error {
	if len(r.list) == 0 {
		return nil
	}
	rank := map[string]int{}
	for _, e := range r.list {
		if _, ok := rank[e.File]; !ok {
			rank[e.File] = len(rank)
		}
	}
	sort.SliceStable(r.list, func(i, j int) bool {
		a, b := r.list[i], r.list[j]
		if a.File != b.File {
			return rank[a.File] < rank[b.File]
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	return r.list
}

// place names a position in a message about another one.
func (s span) place() string {
	line, _, _ := s.src.position(s.start)
	return fmt.Sprintf("%s:%d", shownName(s.src.name), line)
}

// shownName is the name of a file as it may stand in a message: whoever named the
// file must not command the terminal that shows it.
func shownName(name string) string {
	if name == printable(name) && utf8.ValidString(name) && !strings.Contains(name, "\t") {
		return name
	}
	return fmt.Sprintf("%q", name)
}

// quote puts a name of the text into a message: shortened, so that a message
// stays readable whatever the text holds.
func quote(name string) string {
	const most = 60
	if len(name) > most {
		return fmt.Sprintf("%q", name[:runeStart(name, most)]+"…")
	}
	if name == printable(name) && utf8.ValidString(name) && !strings.ContainsAny(name, "\"\\\t") {
		return `"` + name + `"`
	}
	return fmt.Sprintf("%q", name)
}

// didYouMean returns `, did you mean "x"?` for the known name nearest to an
// unknown one, and "" when none is near.
func didYouMean(name string, known []string) string {
	// A comparison takes the product of both lengths.
	const longest, most = 60, 2000
	if len(name) > longest || len(known) > most {
		return ""
	}
	best, distance := "", 1+len(name)/3
	for _, k := range known {
		if len(k) > longest || k == name {
			continue
		}
		d := editDistance(strings.ToLower(name), strings.ToLower(k))
		if d < distance || d == distance && best != "" && k < best {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %s?", quote(best))
}

// editDistance counts the letters to insert, delete, change or swap with their
// neighbour to get from a to b.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// blame records the cause of the error that was reported last.
func (r *reporter) blame(cause error) {
	if n := len(r.list); n > 0 {
		r.list[n-1].Err = cause
	}
}
