package verdict

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
)

// Checker judges files. It is safe for concurrent use.
type Checker struct {
	Types   *input.Types
	Format  container.Format // Unknown = to be found out
	Options fbverify.Options

	All       bool // list every fault, not only the first of each part
	KeepParts bool // list the sound parts too
	FewFaults int  // faults to list of one file, unless All; 0 = no limit
}

// Scratch is memory that the checks of one goroutine share.
type Scratch struct{ file, part []byte }

// small is the size up to which a file is read at once.
const small = 1 << 20

// Check judges one file. A file found in a folder may be of any kind: when it is of
// none that is known, it is passed over, unless its name or the user says that it
// should hold FlatBuffers.
func (c *Checker) Check(ctx context.Context, name string, inFolder bool, scratch *Scratch) Result {
	r := Result{File: input.Shown(name), Format: container.Unknown.String(), Parts: []Part{}, Kinds: map[string]int{}}
	src, err := open(ctx, name, scratch)
	if err != nil {
		r.Error = err.Error()
		if of := (*ui.FileError)(nil); errors.As(err, &of) && of.Name == name {
			r.Error = of.Err.Error()
		}
		return r
	}
	defer src.Close()
	src.InFolder = inFolder
	r.Size = src.Size
	if err := src.Guard(func() error { c.judge(ctx, src, name, inFolder, scratch, &r); return nil }); err != nil {
		r.Error = err.Error()
	}
	r.settle()
	return r
}

// judge judges a file that is open.
func (c *Checker) judge(ctx context.Context, src *input.Source, name string, inFolder bool, scratch *Scratch, r *Result) {
	f, err := src.Container(c.Types, c.Format)
	var ce *container.Error
	switch {
	case err == nil:
		c.parts(ctx, src, f, r, scratch)
	case errors.As(err, &ce) && ce.Kind == container.ErrUnknownFormat:
		if inFolder && c.Types.Root() == nil && !expected(name) {
			r.Skipped = ce.Detail
			return
		}
		c.framing(src, r, ce)
	default:
		r.Error = err.Error()
	}
	if r.Faults > 0 && r.Error == "" {
		c.look(ctx, src, r)
	}
	if r.untyped && inFolder && !expected(name) {
		r.Skipped, r.Error = r.Error, ""
	}
}

// look looks for what befell the whole of a file that is not sound.
func (c *Checker) look(ctx context.Context, src *input.Source, r *Result) {
	if c.Format != container.Unknown && src.InMemory() {
		found := *c
		found.Format, found.All, found.KeepParts, found.FewFaults = container.Unknown, false, false, 1
		var other Result
		other.Kinds = map[string]int{}
		found.judge(ctx, src, r.File, src.InFolder, new(Scratch), &other)
		if other.Error == "" && other.Skipped == "" && other.Faults == 0 && other.Format != r.Format {
			r.Notes = append([]Note{{Message: fmt.Sprintf("as %s it is valid: --format %s is not what the file is", other.Format, r.Format)}}, r.Notes...)
			return
		}
	}
	if end := src.ZeroEnd(); end != "" && r.Kinds[container.ErrUnknownFormat.Name()] == 0 { // else it is said already
		r.Notes = append([]Note{{Message: end}}, r.Notes...)
	}
}

// open opens a file. A small one is read into memory that the next check uses again.
func open(ctx context.Context, name string, scratch *Scratch) (*input.Source, error) {
	if name == input.Stdin {
		return input.Open(ctx, name)
	}
	// A pipe can be opened only once, and a folder is for input to say so.
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > small {
		return input.OpenMappable(ctx, name)
	}
	f, err := os.Open(name)
	if err != nil {
		return input.Open(ctx, name) // for its words
	}
	defer f.Close()
	if cap(scratch.file) < int(info.Size())+1 {
		scratch.file = make([]byte, max(64<<10, int(info.Size())+1))
	}
	// One byte more than there should be, to notice a file that grew meanwhile.
	b, n := scratch.file[:info.Size()+1], 0
	for n < len(b) {
		k, err := f.Read(b[n:])
		n += k
		if err != nil || k == 0 {
			break
		}
	}
	if n != int(info.Size()) {
		return input.Open(ctx, name)
	}
	return input.FromBytes(name, b[:n:n]), nil
}

// expected reports whether files of that name usually hold FlatBuffers.
func expected(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".vortex", ".vtx", ".arrow", ".arrows", ".feather", ".ipc", ".tflite", ".fgb", ".bfbs", ".mon":
		return true
	}
	return false
}

// parts judges each FlatBuffer of a file, and what lies between them.
func (c *Checker) parts(ctx context.Context, src *input.Source, f *container.File, r *Result, scratch *Scratch) {
	r.Format = f.Format().String()
	alone := c.Format == container.Unknown && f.Detection().Confidence < container.Certain
	for p, err := range f.Findings() {
		if ctx.Err() != nil {
			r.Error = "interrupted"
			return
		}
		if err != nil {
			var ce *container.Error
			if !errors.As(err, &ce) {
				r.Error = err.Error()
				return
			}
			switch {
			case ce.Severity == container.Fault || ce.Severity == container.Deviation && c.Options.Strict:
				c.framing(src, r, ce)
			case ce.Severity == container.Deviation:
				c.deviation(r, Note{Kind: ce.Kind.Name(), Part: ce.Part, Offset: &ce.Offset, Message: sentence(ce), Readers: ce.Readers})
			default:
				c.note(r, Note{Kind: ce.Kind.Name(), Part: ce.Part, Offset: &ce.Offset, Message: sentence(ce)})
			}
			if ce.Kind == container.ErrRead {
				r.Error = ce.Error()
				return
			}
			continue
		}
		if alone {
			if other, q, ok := c.Types.Otherwise(f, p, &c.Options); ok {
				r.Format, p = other.Format().String(), q
			}
		}
		if err := c.part(src, f, p, r, scratch); err != nil {
			r.Error = err.Error()
			return
		}
	}
}

// part judges one FlatBuffer. An error means that it cannot be judged.
func (c *Checker) part(src *input.Source, f *container.File, p container.Part, r *Result, scratch *Scratch) error {
	typ, err := c.Types.Of(p)
	if err != nil {
		if errors.Is(err, input.ErrNoSchema) {
			r.untyped = true
			return input.Untyped(f, p, err)
		}
		return err
	}
	b, err := p.AppendTo(scratch.part)
	var fe *fbverify.Error
	if errors.As(err, &fe) { // too large for one FlatBuffer: it was not read
		r.Total++
		c.faults(src, f, p, typ, nil, []*fbverify.Error{fe}, fbverify.Counts{}, r)
		return nil
	}
	if err != nil {
		return err
	}
	if !src.InMemory() {
		scratch.part = b[:0]
	}
	opts := c.Types.Options(p, &c.Options)
	j, err := container.Judge(typ, b, opts)
	counts := j.Counts
	r.Total++
	if r.Total == 1 && opts.Identifier == "" {
		if note := c.Types.IdentifierNote(p, b, err == nil && j.Fault == nil); note != "" {
			r.Notes = append(r.Notes, Note{Message: note})
		}
	}
	if err != nil {
		return err
	}
	if j.Fault == nil {
		r.Tables += int64(counts.Tables)
		c.lesser(p, &j, r)
		if c.KeepParts {
			part := newPart(p, typ, true, counts)
			part.Verdict = j.Verdict.String()
			r.Parts = append(r.Parts, part)
		}
		return nil
	}
	faults := []*fbverify.Error{j.Fault}
	if c.All {
		if every := typ.Explain(b, opts); len(every) > 0 {
			faults = every
		}
	}
	c.faults(src, f, p, typ, b, faults, counts, r)
	return nil
}

// lesser records how a sound part deviates, and what of it was not looked at.
func (c *Checker) lesser(p container.Part, j *container.Judgement, r *Result) {
	for _, fe := range j.Deviations {
		at := p.Offset + int64(fe.Offset)
		c.deviation(r, Note{Kind: fe.Kind.Name(), Part: p.Name, Path: fe.Path, Offset: &at, Message: fe.Detail, Readers: p.Readers()})
	}
	for _, u := range j.Unknown {
		at := p.Offset + int64(max(u.Offset, 0))
		c.note(r, Note{Kind: container.ErrNotLooked.Name(), Part: p.Name, Path: u.Path, Offset: &at, Message: u.Seen(p.Offset)})
	}
}

// fewNotes is how many notes and how many deviations are listed of a file, unless all are asked
// for. Beyond mostNotes they are only counted, whoever asks.
const (
	fewNotes  = 5
	mostNotes = 10_000
)

func (c *Checker) deviation(r *Result, n Note) {
	r.Deviates++
	if len(r.Deviations) < c.notes() {
		r.Deviations = append(r.Deviations, n)
	}
}

func (c *Checker) note(r *Result, n Note) {
	r.Noted++
	if r.Noted <= c.notes() {
		r.Notes = append(r.Notes, n)
	}
}

func (c *Checker) notes() int {
	if c.All || c.FewFaults == 0 {
		return mostNotes
	}
	return fewNotes
}

func newPart(p container.Part, typ *fbverify.Type, valid bool, counts fbverify.Counts) Part {
	return Part{Name: p.Name, Type: typ.String(), Offset: p.Offset, Length: p.Length, Valid: valid, Verdict: container.Damaged.String(), Tables: counts.Tables, Errors: []Fault{}}
}

// faults records the faults of one FlatBuffer. b is nil where it was not read.
func (c *Checker) faults(src *input.Source, f *container.File, p container.Part, typ *fbverify.Type, b []byte, faults []*fbverify.Error, counts fbverify.Counts, r *Result) {
	r.Faulty++
	part := newPart(p, typ, false, counts)
	for _, fe := range faults {
		r.Faults++
		r.Kinds[fe.Kind.Name()]++
		if !c.room(r) {
			part.NotShown++
			continue
		}
		at := p.Offset + int64(fe.Offset)
		fault := Fault{
			Kind: fe.Kind.Name(), Type: fe.Type, Path: fe.Path, Offset: at, Message: fe.Detail,
			Part: p.Name, Width: fe.Size, Hint: Hint(fe, f.Format(), typ, b, c.Options.Identifier != ""),
		}
		fault.excerpt(src, p.Offset, p.Offset+p.Length)
		part.Errors = append(part.Errors, fault)
	}
	if c.KeepParts || len(part.Errors) > 0 {
		r.Parts = append(r.Parts, part)
	}
}

// room reports whether another fault is to be listed.
func (c *Checker) room(r *Result) bool {
	return c.All || c.FewFaults == 0 || r.Faults <= c.FewFaults
}

// sentence says what a finding is, what was found and what is allowed.
func sentence(ce *container.Error) string {
	message := ce.Detail
	if ce.Found != "" {
		message += ": found " + ce.Found
		if ce.Allowed != "" {
			message += ", allowed is " + ce.Allowed
		}
	}
	if ce.Err != nil && !errors.Is(ce.Err, fs.ErrClosed) {
		message += ": " + ce.Err.Error()
	}
	return message
}

// framing records a fault of the file around its FlatBuffers.
func (c *Checker) framing(src *input.Source, r *Result, ce *container.Error) {
	r.Faults++
	r.Kinds[ce.Kind.Name()]++
	if !c.room(r) {
		return
	}
	fault := Fault{Kind: ce.Kind.Name(), Offset: ce.Offset, Message: sentence(ce), Around: ce.Part, Part: ce.Part, Width: ce.Size, Hint: FramingHint(src, ce)}
	if ce.Kind != container.ErrUnreadable { // its offset is where the part starts: no bytes to look at
		fault.excerpt(src, 0, src.Size)
	}
	r.Errors = append(r.Errors, fault)
}

// excerpt keeps the row of bytes that has the fault, and one before and after.
func (f *Fault) excerpt(src *input.Source, from, to int64) {
	start := max(f.Offset/ui.HexRow*ui.HexRow-ui.HexRow, from/ui.HexRow*ui.HexRow, 0)
	if f.Offset >= to && to > from { // past the end: show the last rows
		start = max((to-1)/ui.HexRow*ui.HexRow-ui.HexRow, 0)
	}
	f.Start, f.Excerpt = start, src.Around(start, 3*ui.HexRow)
}
