package fbs

import (
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

// Error is one fault in the text of a schema.
type Error struct {
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
func (e *Error) Error() string {
	file := words.FileName(e.File)
	if e.Line == 0 {
		return file + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s\n    %s\n    %s", file, e.Line, e.Column, e.Message, e.Source, e.Caret)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// IncludeError is the cause of an [Error] where an included file is in none of the folders.
type IncludeError struct {
	Include string   // as the schema names it
	Tried   []string // the paths that were looked for, as those of [fs.FS]
}

// Error names the paths.
func (e *IncludeError) Error() string {
	tried := make([]string, len(e.Tried))
	for i, name := range e.Tried {
		tried[i] = words.FileName(name)
	}
	return "there is no such file; looked for " + strings.Join(tried, ", ")
}

// Unwrap returns fs.ErrNotExist.
func (e *IncludeError) Unwrap() error { return fs.ErrNotExist }

// ErrorList is what [ParseFS] returns for a faulty schema: all that is wrong, in
// the order of the text, up to a limit of [MaxErrors].
type ErrorList []*Error

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
func (r *reporter) full() bool { return len(r.list) >= schema.MaxErrors }

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
	e := &Error{File: where.src.name, Message: fmt.Sprintf(format, args...)}
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
	return fmt.Sprintf("%s:%d", words.FileName(s.src.name), line)
}

// blame records the cause of the error that was reported last.
func (r *reporter) blame(cause error) {
	if n := len(r.list); n > 0 {
		r.list[n-1].Err = cause
	}
}
