package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
)

// Files compares two files.
type Files struct {
	Types   *input.Types
	Format  container.Format
	Options fbverify.Options
	Compare Options

	// Change is told of each difference in a part that both files have; it returns false
	// to end the comparison.
	Change func(part string, c Change) bool

	// Say is told of differences that are none between values: parts that one of the files
	// does not have, and data around the FlatBuffers.
	Say func(op Op, part, what string) bool

	// Warn is told what could not be compared.
	Warn func(format string, args ...any)
}

// Outcome says how a comparison went.
type Outcome struct {
	Differences int
	Faulty      int // parts that were not compared, being not sound in one of the files
}

// side is one of the files.
type side struct {
	src   *input.Source
	file  *container.File
	data  map[string]container.Region
	names []string // of data
}

func (f *Files) open(src *input.Source) (*side, error) {
	file, err := src.OpenAs(f.Types, f.Format, &f.Options)
	if err != nil {
		return nil, &ui.FileError{Name: src.Name, Err: err}
	}
	s := &side{src: src, file: file, data: map[string]container.Region{}}
	for r := range file.Regions() {
		if r.Kind == container.Data || r.Kind == container.Index {
			s.data[r.Name] = r
			s.names = append(s.names, r.Name)
		}
	}
	return s, nil
}

// parts are the parts of a side, one after the other; those that cannot be read are told of.
func (f *Files) parts(s *side, o *Outcome) iter.Seq[container.Part] {
	return func(yield func(container.Part) bool) {
		for p, err := range s.file.Parts() {
			if err != nil {
				f.Warn("%s: %v", s.src.Name, err)
				o.Faulty++
				continue
			}
			if !yield(p) {
				return
			}
		}
	}
}

// Run compares the files part by part.
func (f *Files) Run(ctx context.Context, before, after *input.Source) (Outcome, error) {
	var o Outcome
	a, err := f.open(before)
	if err != nil {
		return o, err
	}
	b, err := f.open(after)
	if err != nil {
		return o, err
	}
	if a.file.Format() != b.file.Format() && (a.file.Format().KnowsTypes() || b.file.Format().KnowsTypes()) {
		return o, fmt.Errorf("%s is of format %s and %s of format %s: there is nothing to compare", before.Name, a.file.Format(), after.Name, b.file.Format())
	}
	if done, err := f.pairs(ctx, &o, a, b); done || err != nil {
		return o, err
	}
	return o, f.regions(&o, a, b)
}

// pairs compares the parts of the same names. As long as both files have them in the same
// order none is kept; what comes after that is found by its name.
func (f *Files) pairs(ctx context.Context, o *Outcome, a, b *side) (done bool, err error) {
	nextA, stopA := iter.Pull(f.parts(a, o))
	defer stopA()
	nextB, stopB := iter.Pull(f.parts(b, o))
	defer stopB()
	p, okA := nextA()
	q, okB := nextB()
	for okA && okB && p.Name == q.Name {
		if done, err := f.part(ctx, o, a, b, p, q); done || err != nil {
			return done, err
		}
		p, okA = nextA()
		q, okB = nextB()
	}
	others, names := map[string]container.Part{}, []string{}
	for ; okB; q, okB = nextB() {
		others[q.Name] = q
		names = append(names, q.Name)
	}
	for ; okA; p, okA = nextA() {
		q, ok := others[p.Name]
		if !ok {
			o.Differences++
			if !f.Say(Removed, p.Name, "the part "+p.Name) {
				return true, nil
			}
			continue
		}
		delete(others, p.Name)
		if done, err := f.part(ctx, o, a, b, p, q); done || err != nil {
			return done, err
		}
	}
	for _, name := range names {
		if _, ok := others[name]; ok {
			o.Differences++
			if !f.Say(Added, name, "the part "+name) {
				return true, nil
			}
		}
	}
	return false, nil
}

// part compares a part that both files have, and reports whether to stop.
func (f *Files) part(ctx context.Context, o *Outcome, a, b *side, p, q container.Part) (bool, error) {
	if err := ctx.Err(); err != nil {
		return true, err
	}
	v, w, err := f.messages(a, b, p, q)
	if err != nil {
		var fault *fbverify.Error
		if errors.As(err, &fault) {
			o.Faulty++
			f.Warn("%s is not sound and not compared: %v", p.Name, err)
			return false, nil
		}
		return false, err
	}
	if v.Root().Object().Name() != w.Root().Object().Name() {
		o.Differences++
		return !f.Say(Changed, p.Name, fmt.Sprintf("the type of %s: it was %s and is %s", p.Name, v.Root().Object().Name(), w.Root().Object().Name())), nil
	}
	stop := false
	err = Compare(ctx, v, w, f.Compare, func(c Change) bool {
		o.Differences++
		stop = !f.Change(p.Name, c)
		return !stop
	})
	if err == ErrOverlap {
		err = fmt.Errorf("%s: %w", p.Name, err)
	}
	return stop, err
}

// messages opens a part that both files have, with the fields that are deprecated, where
// these are sound in both.
func (f *Files) messages(a, b *side, p, q container.Part) (v, w dynamic.Message, err error) {
	open := func(s *side, p container.Part, whole bool) (dynamic.Message, bool, error) {
		typ, err := f.Types.Of(p)
		if err != nil {
			return dynamic.Message{}, false, &ui.FileError{Name: s.src.Name, Err: input.Untyped(s.file, p, err)}
		}
		bytes, err := p.Bytes()
		if err != nil {
			return dynamic.Message{}, false, err
		}
		shown := typ
		if whole {
			shown = f.Types.Whole(typ)
		}
		m, err := dynamic.Root(shown, bytes, f.Types.Options(p, &f.Options))
		if err != nil {
			if note := f.Types.IdentifierNote(p, bytes, false); note != "" && !whole {
				err = fmt.Errorf("%s: %w", note, err)
			}
			err = &ui.FileError{Name: s.src.Name, Err: err}
		}
		return m, shown != typ, err
	}
	both := func(whole bool) (more bool, err error) {
		var m, n bool
		if v, m, err = open(a, p, whole); err == nil {
			w, n, err = open(b, q, whole)
		}
		return m || n, err
	}
	more, err := both(true)
	if err == nil || !more {
		return v, w, err
	}
	left := err
	if _, err = both(false); err == nil {
		f.Warn("the deprecated fields of %s are not compared, since they are not sound: %v", p.Name, left)
	}
	return v, w, err
}

// regions compares the data between the FlatBuffers, by name.
func (f *Files) regions(o *Outcome, a, b *side) error {
	whole := func(s *side) ([]byte, error) { return s.src.Bytes() }
	x, err := whole(a)
	if err != nil {
		return err
	}
	y, err := whole(b)
	if err != nil {
		return err
	}
	for _, name := range a.names {
		r := a.data[name]
		s, ok := b.data[name]
		v := x[r.Offset : r.Offset+r.Length]
		what := fmt.Sprintf("the %s %s", r.Kind, name)
		switch {
		case !ok:
			o.Differences++
			if !f.Say(Removed, name, fmt.Sprintf("%s, %d bytes", what, r.Length)) {
				return nil
			}
		default:
			w := y[s.Offset : s.Offset+s.Length]
			if bytes.Equal(v, w) {
				continue
			}
			o.Differences++
			at := 0
			for at < min(len(v), len(w)) && v[at] == w[at] {
				at++
			}
			if !f.Say(Changed, name, fmt.Sprintf("%s: %d bytes and %d, different from byte %d on", what, len(v), len(w), at)) {
				return nil
			}
		}
	}
	for _, name := range b.names {
		if _, ok := a.data[name]; !ok {
			o.Differences++
			if !f.Say(Added, name, fmt.Sprintf("the %s %s, %d bytes", b.data[name].Kind, name, b.data[name].Length)) {
				return nil
			}
		}
	}
	return nil
}
