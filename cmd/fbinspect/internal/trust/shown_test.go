package trust_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	dumper "github.com/fbverify/go/cmd/fbinspect/internal/dump"
	"github.com/fbverify/go/cmd/fbinspect/internal/htmlpage"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/stats"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
)

// looker is what fbinspect does with a buffer of one type.
type looker struct {
	types  *input.Types
	format container.Format
	opts   fbverify.Options
}

// newLooker names the schema as a user does, by a file.
func newLooker(t testing.TB, s *schema.Schema, root string, prefix int, o *fbverify.Options) *looker {
	t.Helper()
	b, err := bfbs.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "s.bfbs")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	types, err := input.LoadTypes(file, nil, root)
	if err != nil {
		t.Fatal(err)
	}
	l := &looker{types: types, format: container.Raw, opts: *o}
	if prefix > 0 {
		l.format = container.SizePrefixed
	}
	return l
}

// looks are the ways of looking at a buffer. Each is given the bytes as they lie in
// memory, and reports what it said of them.
var looks = []struct {
	name string
	look func(l *looker, buf []byte, w io.Writer) error
}{
	{"annotate", (*looker).annotate},
	{"stats", func(l *looker, buf []byte, w io.Writer) error {
		r, err := stats.Of(context.Background(), l.annotator(), input.FromBytes("b", buf))
		if err == nil {
			r.Write(w, ui.Style{}, true)
		}
		return err
	}},
	{"html", func(l *looker, buf []byte, w io.Writer) error {
		_, err := htmlpage.Write(context.Background(), w, l.annotator(), input.FromBytes("b", buf), htmlpage.Options{DataLimit: htmlpage.DataLimit})
		return err
	}},
	{"dump", func(l *looker, buf []byte, w io.Writer) error { return l.dump(buf, w, false, "") }},
	{"dump json", func(l *looker, buf []byte, w io.Writer) error { return l.dump(buf, w, true, "") }},
	{"dump path", func(l *looker, buf []byte, w io.Writer) error { return l.dump(buf, w, true, "*") }},
}

func (l *looker) annotator() *annotate.Annotator {
	return &annotate.Annotator{Types: l.types, Format: l.format, Options: l.opts}
}

// annotate also checks that each byte is in exactly one row.
func (l *looker) annotate(buf []byte, w io.Writer) error {
	text, at := &annotate.Text{W: w}, int64(0)
	_, err := l.annotator().Rows(context.Background(), input.FromBytes("b", buf), func(r *annotate.Row) error {
		if r.Offset != at || r.Length <= 0 {
			return fmt.Errorf("a row of %d bytes at %d, after byte %d", r.Length, r.Offset, at)
		}
		at += r.Length
		return text.Write(r)
	})
	if err == nil && at != int64(len(buf)) {
		err = fmt.Errorf("the rows end at %d of %d", at, len(buf))
	}
	return err
}

func (l *looker) dump(buf []byte, w io.Writer, asJSON bool, path string) error {
	d := &dumper.Dumper{
		Types: l.types, Format: l.format, Options: l.opts, Partial: true, AsJSON: asJSON,
		JSON: dynamic.JSONOptions{NonUTF8: dynamic.NonUTF8Escape, FlexBytes: true, MaxBytes: 64 << 20}, Warn: func(string, ...any) {},
	}
	if path != "" {
		var err error
		if d.Path, err = dynamic.ParsePath(path); err != nil {
			return err
		}
	}
	_, err := d.File(context.Background(), w, input.FromBytes("b", buf))
	return err
}

// TestWhatIsShownOfABufferIsInIt: what fbinspect annotates, counts, dumps and puts on a
// page, of sound buffers and of damaged ones, is read from the buffer's own bytes and
// from no other, wherever in memory they are.
func TestWhatIsShownOfABufferIsInIt(t *testing.T) {
	sound, refused := 0, 0
	for seed, end := trusttest.Seeds(60); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		_, sch := fbrand.Schema(r, fbrand.SchemaOptions{})
		typ := trusttest.Compile(t, sch)
		prefix := 4 * r.IntN(2)
		b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Objects: 1 + r.IntN(40), Loose: r.IntN(2) == 0, Prefix: prefix})
		for i := range 16 {
			buf, how := b.Bytes, "as written"
			if i > 0 {
				d := fbrand.Damage(r, b)
				buf, how = d.Bytes, d.How
			}
			o := trusttest.Exceptions(r)
			o.MaxTables, o.MaxApparentSize = 20_000, 1<<20 // what is printed of shared parts
			if typ.Verify(buf, trusttest.Framed(prefix, &o)) == nil {
				sound++
			} else {
				refused++
			}
			l := newLooker(t, sch, "", prefix, &o)
			for _, k := range looks {
				trusttest.Placed(t, trusttest.Lengthened(buf, prefix, i), i, func(where string, buf []byte) {
					var err error
					if f := trusttest.Faulted(func() { err = k.look(l, buf, io.Discard) }); f != nil {
						t.Fatalf("seed %d, %s, %s %s: %v\n%s", seed, how, k.name, where, f, trusttest.Dump(buf))
					}
					if err != nil && !notData(err) {
						t.Fatalf("seed %d, %s, %s %s: %v\n%s", seed, how, k.name, where, err, trusttest.Dump(buf))
					}
				})
			}
		}
	}
	t.Logf("%d sound buffers and %d damaged ones shown", sound, refused)
	if sound < refused/20 || refused < sound/20 {
		t.Errorf("%d sound, %d damaged: too much of one to have shown anything", sound, refused)
	}
}

// TestWhatIsShownOfAFileIsInIt does the same with small files of all formats and with
// files made of them by overwriting some bytes, or cutting them off.
func TestWhatIsShownOfAFileIsInIt(t *testing.T) {
	survey := newLooker(t, trusttest.SurveySchema(t), "", 0, &fbverify.Options{}).types
	files := trusttest.SmallFiles(t)
	for seed, end := trusttest.Seeds(2); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			l := &looker{types: survey, opts: trusttest.Exceptions(r)}
			l.opts.MaxTables, l.opts.MaxApparentSize = 5000, 1<<20
			for i := range 16 {
				buf := files[name]
				if i > 0 && len(buf) > 0 {
					buf = slices.Clone(buf)
					for range 1 + r.IntN(4) {
						at := r.IntN(len(buf))
						for j := at; j < min(at+1+r.IntN(4), len(buf)); j++ {
							buf[j] = []byte{0, 0xff, 0x7f, 0x80, byte(r.IntN(256))}[r.IntN(5)]
						}
					}
					buf = buf[:len(buf)-r.IntN(4)/3*r.IntN(len(buf))]
				}
				way := looks[(i+int(seed))%len(looks)]
				trusttest.Placed(t, buf, i, func(where string, buf []byte) {
					var err error
					if f := trusttest.Faulted(func() { err = way.look(l, buf, io.Discard) }); f != nil {
						t.Fatalf("seed %d, %s, %s %s: %v\n%s", seed, name, way.name, where, f, trusttest.Dump(buf))
					}
					if err != nil && !notData(err) && !errors.Is(err, input.ErrNoSchema) {
						t.Fatalf("seed %d, %s, %s %s: %v\n%s", seed, name, way.name, where, err, trusttest.Dump(buf))
					}
				})
			}
		}
	}
	if len(files) < 40 {
		t.Errorf("only %d files", len(files))
	}
}

// notData reports whether an error is about the file and not about showing it: nothing
// is a FlatBuffer there, or what it stands for is longer than may be printed.
func notData(err error) bool {
	var ce *container.Error
	var long *dumper.TooLong
	return errors.As(err, &ce) || errors.As(err, &long)
}
