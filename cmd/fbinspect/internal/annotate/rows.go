// Package annotate is the work of fbinspect annotate: a line for every few bytes of a file
// that says what they are for. Each byte is in exactly one line, whatever state the file
// is in.
package annotate

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"
	"sync/atomic"

	"github.com/fbverify/go/cmd/fbinspect/internal/bytemap"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
)

// Row is some bytes of a file with one meaning. Its JSON form is stable.
type Row struct {
	Offset int64  `json:"offset"` // in the file
	Length int64  `json:"length"`
	Kind   string `json:"kind"`
	Part   string `json:"part,omitempty"`   // the FlatBuffer, or what the bytes around them are for
	Object string `json:"object,omitempty"` // what the bytes are a part of: "table tflite.Model"
	Path   string `json:"path,omitempty"`
	Type   string `json:"type,omitempty"`
	Value  string `json:"value,omitempty"`
	Target *int64 `json:"target,omitempty"` // where in the file an offset leads
	Bytes  string `json:"bytes"`            // in hex, at most the first 64; "" unless Annotator.Hex
	Faults []Note `json:"faults,omitempty"`

	bytes  []byte
	object int // of its part; -1 for none
}

// Note is a fault at a row.
type Note struct {
	Kind    string `json:"kind"`
	Path    string `json:"path,omitempty"`
	Offset  int64  `json:"offset"` // in the file
	Size    int    `json:"size"`   // number of bytes at fault; 0 for none in particular
	Message string `json:"message"`
}

// Annotator makes rows of files.
type Annotator struct {
	Types   *input.Types
	Format  container.Format
	Options fbverify.Options
	Limit   int // rows for the elements of one vector; what is more is one row. 0 = no limit

	// Hex fills in Row.Bytes.
	Hex bool

	// Done, where it is not nil, is told how many bytes of the file are accounted for.
	Done *atomic.Int64
}

// maxShown is how many bytes of a row are shown.
const maxShown = 64

// Rows calls yield with each row of the file in order. It stops with yield's error, and
// fails where the type of a FlatBuffer is not known. The number of faults is returned.
func (a *Annotator) Rows(ctx context.Context, src *input.Source, yield func(*Row) error) (faults int, err error) {
	f, err := src.OpenAs(a.Types, a.Format, &a.Options)
	var unknown *container.Error
	if errors.As(err, &unknown) && unknown.Kind == container.ErrUnknownFormat {
		return 1, a.opaque(src, unknown, yield)
	}
	if err != nil {
		return 0, err
	}
	e := &emitter{a: a, src: src, yield: yield}
	for _, err := range f.Parts() {
		var ce *container.Error
		if errors.As(err, &ce) {
			e.framing = append(e.framing, Note{Kind: ce.Kind.Name(), Path: ce.Part, Offset: ce.Offset, Size: ce.Size, Message: framingMessage(ce)})
		}
	}
	sort.SliceStable(e.framing, func(i, j int) bool { return e.framing[i].Offset < e.framing[j].Offset })
	e.faults = len(e.framing)
	for r := range f.Regions() {
		if err := ctx.Err(); err != nil {
			return e.faults, err
		}
		if err := e.region(ctx, f, r); err != nil {
			return e.faults, err
		}
	}
	return e.faults, nil
}

func framingMessage(e *container.Error) string {
	text := e.Detail
	if e.Found != "" {
		text += ": found " + e.Found
		if e.Allowed != "" {
			text += ", allowed is " + e.Allowed
		}
	}
	return text
}

// opaque is a file of which nothing is known.
func (a *Annotator) opaque(src *input.Source, e *container.Error, yield func(*Row) error) error {
	if src.Size == 0 {
		return nil
	}
	row := &Row{Length: src.Size, Kind: "unknown", bytes: src.Around(0, maxShown), object: -1,
		Faults: []Note{{Kind: e.Kind.Name(), Message: e.Detail}}}
	if a.Hex {
		row.Bytes = hex.EncodeToString(row.bytes)
	}
	return yield(row)
}

type emitter struct {
	a       *Annotator
	src     *input.Source
	yield   func(*Row) error
	framing []Note
	faults  int
	told    int // of framing
}

// emit finishes a row and hands it on.
func (e *emitter) emit(r *Row) error {
	for e.told < len(e.framing) && (e.framing[e.told].Offset < r.Offset+r.Length || r.Offset+r.Length >= e.src.Size) {
		r.Faults = append(r.Faults, e.framing[e.told])
		e.told++
	}
	r.bytes = r.bytes[:min(len(r.bytes), maxShown)]
	if e.a.Done != nil {
		e.a.Done.Store(r.Offset + r.Length)
	}
	if e.a.Hex {
		r.Bytes = hex.EncodeToString(r.bytes)
	}
	return e.yield(r)
}

// region makes rows of one region of a file.
func (e *emitter) region(ctx context.Context, f *container.File, r container.Region) error {
	if r.Part == nil {
		return e.emit(&Row{Offset: r.Offset, Length: r.Length, Kind: r.Kind.String(), Part: r.Name, bytes: e.src.Around(r.Offset, int(min(r.Length, maxShown))), object: -1})
	}
	typ, b, faults, err := e.a.Explain(f, *r.Part)
	if err != nil {
		return err
	}
	e.faults += len(faults)
	sort.SliceStable(faults, func(i, j int) bool { return faults[i].Offset < faults[j].Offset })
	return bytemap.InOrder(ctx, typ, b, r.Part.Framing, func(s *bytemap.Told) error {
		row := Row{
			Offset: r.Offset + int64(s.Pos), Length: int64(s.Size), Kind: s.Kind.String(), Part: r.Name, Type: s.TypeName(),
			bytes: b[s.Pos:s.End()], object: -1,
		}
		if s.Of != nil {
			row.object, row.Object, row.Path = s.Of.ID, s.Of.Describe(), s.PathIn(s.Of.Path, s.Of.Kind)
		}
		// What is wrong behind the last byte is told with it.
		for len(faults) > 0 && (faults[0].Offset < s.End() || s.End() == len(b)) {
			f := faults[0]
			row.Faults = append(row.Faults, Note{Kind: f.Kind.Name(), Path: f.Path, Offset: r.Offset + int64(f.Offset), Size: f.Size, Message: f.Detail})
			faults = faults[1:]
		}
		return e.span(row, b, s, r.Offset)
	})
}

// Map maps one part of a file.
func (a *Annotator) Map(ctx context.Context, f *container.File, p container.Part) (*bytemap.Map, error) {
	typ, b, faults, err := a.Explain(f, p)
	if err != nil {
		return nil, err
	}
	return bytemap.Of(ctx, typ, b, p.Framing, faults)
}

// Explain returns the type of one part of a file, its bytes and what is wrong with them.
func (a *Annotator) Explain(f *container.File, p container.Part) (*fbverify.Type, []byte, []*fbverify.Error, error) {
	typ, err := a.Types.Of(p)
	if err != nil {
		return nil, nil, nil, input.Untyped(f, p, err)
	}
	b, err := p.Bytes()
	if err != nil {
		return nil, nil, nil, err
	}
	return typ, b, typ.Explain(b, a.Types.Options(p, &a.Options)), nil
}

func (e *emitter) span(row Row, buf []byte, s *bytemap.Told, base int64) error {
	if s.Kind == bytemap.Elements {
		return e.elements(row, buf, &s.Span)
	}
	row.Value = s.Value(buf)
	if s.Target >= 0 {
		at := base + int64(s.Target)
		row.Target = &at
	}
	return e.emit(&row)
}

// elements makes rows of a vector's or array's elements: one for each offset and struct,
// and one for as many numbers as eight bytes hold.
func (e *emitter) elements(whole Row, buf []byte, s *bytemap.Span) error {
	size := max(s.Type.InlineSize(), 1)
	n := s.Size / size
	each := 1
	if s.Type.IsScalar() {
		each = max(1, 8/size)
	}
	typ := s.Type.String()
	for i, rows := 0, 0; i < n; rows++ {
		count := min(each, n-i)
		row := whole
		row.Type = typ
		row.Path = fmt.Sprintf("%s[%d]", whole.Path, i)
		if e.a.Limit > 0 && rows == e.a.Limit && n-i > count {
			count = n - i
			row.Value = fmt.Sprintf("%s more, %s", ui.Count(int64(count), "element"), ui.Bytes(int64(count*size)))
		} else {
			for j := range count {
				if j > 0 {
					row.Value += ", "
				}
				row.Value += s.Element(buf, i+j)
			}
			if size == 1 && printable(row.bytes[i:i+count]) {
				row.Value += "  " + fmt.Sprintf("%q", row.bytes[i:i+count])
			}
		}
		if count > 1 {
			row.Path = fmt.Sprintf("%s[%d:%d]", whole.Path, i, i+count)
		}
		row.Offset = whole.Offset + int64(i*size)
		row.Length = int64(count * size)
		row.bytes = whole.bytes[i*size : (i+count)*size]
		row.Faults = nil
		for _, f := range whole.Faults {
			if f.Offset >= row.Offset && (f.Offset < row.Offset+row.Length || i+count == n) {
				row.Faults = append(row.Faults, f)
			}
		}
		if !s.Type.IsScalar() && !s.Type.IsStruct() && count == 1 {
			if at := int64(le32(row.bytes)); at > 0 && at < int64(len(buf)-s.Pos-i*size) {
				at += row.Offset
				row.Target = &at
			}
		}
		if err := e.emit(&row); err != nil {
			return err
		}
		i += count
	}
	return nil
}

func le32(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
