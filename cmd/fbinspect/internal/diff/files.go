package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
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
	parts map[string]container.Part
	order []string
	data  map[string]container.Region
	names []string // of data
}

func (f *Files) open(src *input.Source, o *Outcome) (*side, error) {
	file, err := src.OpenAs(f.Types, f.Format, &f.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	s := &side{src: src, file: file, parts: map[string]container.Part{}, data: map[string]container.Region{}}
	for p, err := range file.Parts() {
		if err != nil {
			f.Warn("%s: %v", src.Name, err)
			o.Faulty++
			continue
		}
		s.parts[p.Name] = p
		s.order = append(s.order, p.Name)
	}
	for r := range file.Regions() {
		if r.Kind == container.Data || r.Kind == container.Index {
			s.data[r.Name] = r
			s.names = append(s.names, r.Name)
		}
	}
	return s, nil
}

// Run compares the files part by part.
func (f *Files) Run(ctx context.Context, before, after *input.Source) (Outcome, error) {
	var o Outcome
	a, err := f.open(before, &o)
	if err != nil {
		return o, err
	}
	b, err := f.open(after, &o)
	if err != nil {
		return o, err
	}
	if a.file.Format() != b.file.Format() && (a.file.Format().KnowsTypes() || b.file.Format().KnowsTypes()) {
		return o, fmt.Errorf("%s is of format %s and %s of format %s: there is nothing to compare", before.Name, a.file.Format(), after.Name, b.file.Format())
	}
	for _, name := range a.order {
		if err := ctx.Err(); err != nil {
			return o, err
		}
		q, ok := b.parts[name]
		if !ok {
			o.Differences++
			if !f.Say(Removed, name, "the part "+name) {
				return o, nil
			}
			continue
		}
		if done, err := f.part(&o, a, b, a.parts[name], q); done || err != nil {
			return o, err
		}
	}
	for _, name := range b.order {
		if _, ok := a.parts[name]; !ok {
			o.Differences++
			if !f.Say(Added, name, "the part "+name) {
				return o, nil
			}
		}
	}
	return o, f.regions(&o, a, b)
}

// part compares a part that both files have, and reports whether to stop.
func (f *Files) part(o *Outcome, a, b *side, p, q container.Part) (bool, error) {
	v, err := f.message(a, p)
	if err == nil {
		var w dynamic.Message
		if w, err = f.message(b, q); err == nil {
			if v.Root().Object().Name() != w.Root().Object().Name() {
				o.Differences++
				return !f.Say(Changed, p.Name, fmt.Sprintf("the type of %s: it was %s and is %s", p.Name, v.Root().Object().Name(), w.Root().Object().Name())), nil
			}
			stop := false
			Compare(v, w, f.Compare, func(c Change) bool {
				o.Differences++
				stop = !f.Change(p.Name, c)
				return !stop
			})
			return stop, nil
		}
	}
	var fault *fbverify.Error
	if errors.As(err, &fault) {
		o.Faulty++
		f.Warn("%s is not sound and not compared: %v", p.Name, err)
		return false, nil
	}
	return false, err
}

func (f *Files) message(s *side, p container.Part) (dynamic.Message, error) {
	typ, err := f.Types.Of(p)
	if err != nil {
		return dynamic.Message{}, fmt.Errorf("%s: %s, but %w", s.src.Name, s.file.Detection().Reason, err)
	}
	b, err := p.Bytes()
	if err != nil {
		return dynamic.Message{}, err
	}
	open := dynamic.Root
	if p.SizePrefixed {
		open = dynamic.SizePrefixedRoot
	}
	m, err := open(typ, b, f.Types.Options(p, &f.Options))
	if err != nil {
		return m, fmt.Errorf("%s: %w", s.src.Name, err)
	}
	return m, nil
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
