package trust_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/internal/walk"
)

// high are limits that no buffer of these tests meets.
func high(o fbverify.Options) *fbverify.Options {
	o.MaxDepth, o.MaxTables = 1<<16, 1<<30
	return &o
}

func walkOptions(o *fbverify.Options, rules bool) *walk.Options {
	return &walk.Options{
		Rules: rules, SkipUTF8: o.SkipUTF8, SkipAlignment: o.SkipAlignment, SkipNullTerminator: o.SkipNullTerminator, SkipNested: o.NestedUnchecked,
	}
}

// subject is one buffer to be judged.
type subject struct {
	typ    *fbverify.Type
	prefix int // 0 or 4
	name   string
}

func (s *subject) verify(buf []byte, o *fbverify.Options) error {
	return s.typ.Verify(buf, trusttest.Framed(s.prefix, o))
}

func (s *subject) measure(buf []byte, o *fbverify.Options) (fbverify.Counts, error) {
	return s.typ.Measure(buf, trusttest.Framed(s.prefix, o))
}

func (s *subject) explain(buf []byte, o *fbverify.Options) []*fbverify.Error {
	return s.typ.Explain(buf, trusttest.Framed(s.prefix, o))
}

func (s *subject) walk(buf []byte, o *walk.Options) error {
	if s.prefix > 0 {
		return walk.SizePrefixed(s.typ.Schema(), s.typ.Root(), buf, o)
	}
	return walk.Message(s.typ.Schema(), s.typ.Root(), buf, o)
}

// judge holds all that this project says of a buffer together, and reads all of it
// when it is accepted.
func (s *subject) judge(t *testing.T, buf []byte, o *fbverify.Options, shift int) (accepted bool) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s, %+v: %s\nbuffer %s", s.name, *o, fmt.Sprintf(format, args...), trusttest.Dump(buf))
	}
	counts, err := fbverify.Counts{}, error(nil)
	if f := trusttest.Faulted(func() { counts, err = s.measure(trusttest.BeforeGuard(t, buf), o) }); f != nil {
		fail("Measure: %v", f)
	}
	if f := trusttest.Faulted(func() {
		if again := s.verify(trusttest.AfterGuard(t, buf), o); (again == nil) != (err == nil) {
			fail("Verify says %v elsewhere, %v here", again, err)
		}
	}); f != nil {
		fail("Verify: %v", f)
	}
	if errors.Is(err, fbverify.ErrInternal) {
		fail("refused without a reason")
	}
	faults := s.explain(buf, o)
	switch {
	case err == nil && len(faults) > 0:
		fail("accepted, and Explain says %v", faults[0])
	case err != nil && len(faults) == 0:
		fail("Explain has no fault for %v", err)
	case err != nil && *faults[0] != *err.(*fbverify.Error):
		fail("Verify says %v, Explain first %v", err, faults[0])
	}
	strict := *o
	strict.Strict = true
	exact, strictErr := s.measure(buf, &strict)
	switch {
	case strictErr == nil && err != nil:
		fail("Strict accepts what is refused: %v", err)
	case strictErr == nil && exact != counts:
		fail("counted %+v fast and %+v slowly", counts, exact)
	}
	if !errors.Is(err, fbverify.ErrOverlap) {
		if walked := s.walk(buf, walkOptions(o, true)); (walked == nil) != (err == nil) {
			fail("Verify says %v, the reference walk %v", err, walked)
		}
	}
	if err != nil {
		return false
	}
	if walked := s.walk(buf, walkOptions(o, false)); walked != nil {
		fail("accepted, and a read cannot be done: %v", walked)
	}
	trusttest.Placed(t, buf, shift, func(where string, buf []byte) {
		var err error
		if f := trusttest.Faulted(func() { _, err = readAll(s.typ, buf, o, s.prefix) }); f != nil {
			fail("reading %s: %v", where, f)
		}
		if err != nil {
			fail("reading %s: %v", where, err)
		}
	})
	return true
}

// TestWhatIsAcceptedCanBeRead is the promise of the package, for random schemas,
// buffers and damage: what Verify accepts, the checked reference walk and every
// read of package dynamic get through, wherever in memory the buffer is; what it
// refuses, the walk refuses too, and Explain names the fault.
func TestWhatIsAcceptedCanBeRead(t *testing.T) {
	accepted, refused := 0, 0
	for seed, end := trusttest.Seeds(500); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		text, sch := fbrand.Schema(r, fbrand.SchemaOptions{})
		s := &subject{typ: trusttest.Compile(t, sch)}
		if r.IntN(4) == 0 {
			s.prefix = 4
		}
		for range 3 {
			loose := r.IntN(2) == 0
			b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{
				Objects: 1 + r.IntN(60), Loose: loose, Prefix: s.prefix, AlignAfter: s.prefix > 0 && loose && r.IntN(2) == 0,
			})
			s.name = fmt.Sprintf("seed %d, valid", seed)
			if !s.judge(t, b.Bytes, high(fbverify.Options{}), r.IntN(16)) {
				t.Fatalf("%s: refused\n%s\n%s", s.name, text, trusttest.Dump(b.Bytes))
			}
			if err := s.verify(b.Bytes, &fbverify.Options{Strict: true}); err != nil && !loose {
				t.Fatalf("%s: Strict refuses what keeps to all rules: %v\n%s\n%s", s.name, err, text, trusttest.Dump(b.Bytes))
			}
			for range 12 {
				d := fbrand.Damage(r, b)
				s.name = fmt.Sprintf("seed %d, %s", seed, d.How)
				if s.judge(t, d.Bytes, high(trusttest.Exceptions(r)), r.IntN(16)) {
					accepted++
				} else {
					refused++
				}
			}
		}
	}
	t.Logf("damaged buffers: %d accepted and read, %d refused", accepted, refused)
	if accepted < refused/10 || refused < accepted/10 {
		t.Errorf("%d accepted, %d refused: too much of one to have shown anything", accepted, refused)
	}
}

// TestEveryAlignmentReadsAlike places accepted buffers at each address modulo 16,
// where what is read in place elsewhere has to be copied.
func TestEveryAlignmentReadsAlike(t *testing.T) {
	for seed, end := trusttest.Seeds(60); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		_, sch := fbrand.Schema(r, fbrand.SchemaOptions{})
		s := &subject{typ: trusttest.Compile(t, sch), name: fmt.Sprintf("seed %d", seed)}
		b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Loose: true})
		want := -1
		for shift := range 16 {
			trusttest.Placed(t, trusttest.Lengthened(b.Bytes, 0, shift), shift, func(where string, buf []byte) {
				got, err := readAll(s.typ, buf, nil, 0)
				if want < 0 {
					want = got
				}
				if err != nil || got != want {
					t.Fatalf("%s, %s: %d values, %d elsewhere, %v", s.name, where, got, want, err)
				}
			})
		}
	}
}

// TestParallelIsTheSame: verdict and counts do not depend on the number of
// goroutines.
func TestParallelIsTheSame(t *testing.T) {
	wide, refused := 0, 0
	for seed, end := trusttest.Seeds(120); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		_, sch := fbrand.Schema(r, fbrand.SchemaOptions{})
		typ := trusttest.Compile(t, sch)
		b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Wide: true, Objects: 400})
		if b.Tables > 200 {
			wide++
		}
		for i := range 8 {
			buf := b.Bytes
			if i > 0 {
				buf = fbrand.Damage(r, b).Bytes
			}
			o := trusttest.Exceptions(r)
			if r.IntN(4) == 0 {
				o.MaxTables = 1 + r.IntN(b.Tables)
			}
			if r.IntN(4) == 0 {
				o.MaxApparentSize = 1 + r.Int64N(int64(len(b.Bytes)))
			}
			counts, err := typ.Measure(buf, &o)
			if err != nil {
				refused++
			}
			for o.Parallel = 2; o.Parallel <= 4; o.Parallel++ {
				again, e := typ.Measure(buf, &o)
				// What was met before a fault depends on what was remembered by then.
				same := fmt.Sprint(err) == fmt.Sprint(e) && (err != nil || again == counts)
				if errors.Is(err, fbverify.ErrTableLimit) || errors.Is(err, fbverify.ErrSizeLimit) {
					// A limit may be met at another place: what is shared is counted
					// at once where it is known already.
					same = errors.Is(e, err.(*fbverify.Error).Kind)
				}
				if !same {
					t.Fatalf("seed %d, %+v: %+v, %v; alone %+v, %v\n%s", seed, o, again, e, counts, err, trusttest.Dump(buf))
				}
			}
		}
	}
	if wide == 0 || refused == 0 {
		t.Errorf("%d wide buffers, %d refused", wide, refused)
	}
}
