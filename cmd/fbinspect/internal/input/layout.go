package input

import (
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
)

// Options returns the limits for a part. An identifier that the user asks for is that of
// a file that is one FlatBuffer, not of every FlatBuffer in a container.
func (t *Types) Options(p container.Part, opts *fbverify.Options) *fbverify.Options {
	o := *opts
	if p.Root != "" && p.Preset.Identifier == "" && t.root == nil {
		o.Identifier = ""
	}
	return p.Options(&o)
}

// Otherwise tries a lone FlatBuffer, whose layout was guessed, in the others: without a
// size prefix, and with either. It reports true where it is sound in one of these only.
func (t *Types) Otherwise(f *container.File, p container.Part, opts *fbverify.Options) (*container.File, container.Part, bool) {
	no := func() (*container.File, container.Part, bool) { return nil, container.Part{}, false }
	if f.Format().KnowsTypes() || f.Format().Several() {
		return no()
	}
	typ, err := t.Of(p)
	if err != nil {
		return no()
	}
	b, err := p.Bytes()
	if err != nil || typ.Verify(b, t.Options(p, opts)) == nil {
		return no()
	}
	for _, other := range []container.Format{container.Raw, container.SizePrefixed, container.LongSizePrefixed} {
		if other == f.Format() {
			continue
		}
		g, err := container.OpenBytes(b, &container.Options{Format: other, Type: typ})
		if err != nil {
			return no()
		}
		for q, err := range g.Parts() {
			// A prefix that leaves bytes over is no sign of a size-prefixed file.
			if err == nil && q.Length == p.Length && typ.Verify(b, t.Options(q, opts)) == nil {
				return g, q, true
			}
			break
		}
	}
	return no()
}

// OpenAs opens the source as what it is. A lone FlatBuffer whose layout can only be
// guessed is taken in the one in which it is sound.
func (s *Source) OpenAs(t *Types, format container.Format, opts *fbverify.Options) (*container.File, error) {
	f, err := s.Container(t, format)
	if err != nil || format != container.Unknown || f.Detection().Confidence >= container.Certain {
		return f, err
	}
	for p, err := range f.Parts() {
		if err != nil {
			break
		}
		if other, _, ok := t.Otherwise(f, p, opts); ok {
			return other, nil
		}
		break
	}
	return f, nil
}
