// Package repair is the work of fbinspect repair: a file of what is sound of a damaged one.
//
// What is kept are bytes of the damaged file, in their order; new are only the words around
// them that say where they are. The result is verified, and where it is not sound, or nothing
// can be kept, there is none.
package repair

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify/container"
)

// Result is a file that was mended.
type Result struct {
	Format container.Format
	Kept   []string // what of the damaged file is in it
	Lost   []string // what is not
	Size   int64    // in bytes

	pieces [][]byte // one after the other, they are the file
	ends   []int64  // of the pieces, in the file
}

// ErrSound says that there is nothing to mend.
var ErrSound = errors.New("nothing is wrong with it")

// Of mends the file that b has the bytes of, which are not written to and must stay while the
// result is used. The error says why nothing can be saved, or is ErrSound.
func Of(ctx context.Context, src *input.Source, format container.Format) (*Result, error) {
	b, err := src.Bytes()
	if err != nil {
		return nil, err
	}
	f, err := container.OpenBytes(b, &container.Options{Format: format})
	if err != nil {
		return nil, err
	}
	mend := map[container.Format]func(context.Context, []byte) (*Result, error){
		container.ArrowFile: arrowFile, container.ArrowStream: arrowStream, container.FlatGeobuf: flatGeobuf,
	}[f.Format()]
	if mend == nil {
		return nil, fmt.Errorf("nothing of it can be saved: what is sound of a file of the format %s cannot be told from the rest; repair mends arrow, arrow-stream and flatgeobuf", f.Format())
	}
	if sound(ctx, f) == nil {
		return nil, ErrSound
	}
	r, err := mend(ctx, b)
	if err != nil {
		return nil, err
	}
	r.Format = f.Format()
	made, err := container.Open(r, r.Size, &container.Options{Format: f.Format()})
	if err == nil {
		err = sound(ctx, made)
	}
	if err != nil {
		return nil, fmt.Errorf("nothing of it can be saved: what could be put together is not sound: %w", err)
	}
	return r, ctx.Err()
}

// sound returns the first fault of a file.
func sound(ctx context.Context, f *container.File) error {
	for p, err := range f.Parts() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		if err := p.Verify(nil); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// add puts bytes at the end.
func (r *Result) add(b []byte) {
	if len(b) == 0 {
		return
	}
	r.Size += int64(len(b))
	r.pieces, r.ends = append(r.pieces, b), append(r.ends, r.Size)
}

// align puts zeros at the end, up to a multiple of eight.
func (r *Result) align() { r.add(make([]byte, -r.Size&7)) }

// ReadAt reads at a position of the file.
func (r *Result) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("a negative offset")
	}
	for i := sort.Search(len(r.ends), func(i int) bool { return r.ends[i] > off }); n < len(p) && i < len(r.pieces); i++ {
		k := copy(p[n:], r.pieces[i][off-(r.ends[i]-int64(len(r.pieces[i]))):])
		n, off = n+k, off+int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteTo writes the file.
func (r *Result) WriteTo(w io.Writer) (n int64, err error) {
	for _, b := range r.pieces {
		k, err := w.Write(b)
		n += int64(k)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// lose notes what is lost.
func (r *Result) lose(format string, args ...any) {
	const most = 20
	switch n := len(r.Lost); {
	case n < most:
		r.Lost = append(r.Lost, fmt.Sprintf(format, args...))
	case n == most:
		r.Lost = append(r.Lost, "and more")
	}
}

// keep notes what is kept.
func (r *Result) keep(n int, noun string) {
	if n > 0 {
		r.Kept = append(r.Kept, ui.Count(int64(n), noun))
	}
}
