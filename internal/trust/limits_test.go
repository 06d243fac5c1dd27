package trust_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/trust/trusttest"
)

// isLimit reports whether an error is about how much there is, and not about bytes.
func isLimit(err error) bool {
	return errors.Is(err, fbverify.ErrTableLimit) || errors.Is(err, fbverify.ErrSizeLimit) ||
		errors.Is(err, fbverify.ErrDepthLimit) || errors.Is(err, fbverify.ErrOverlap)
}

// agreeOn holds what is documented of limits: Explain's first fault is what Verify
// returns, and goroutines change nothing but, of a limit, where it was met, and which
// of several that are exceeded it was. It returns how many of them with more goroutines
// were others, and the error.
func agreeOn(t *testing.T, s *subject, buf []byte, o fbverify.Options, limits int) (others int, err error) {
	t.Helper()
	counts, err := s.measure(buf, &o)
	faults := s.explain(buf, &o)
	switch {
	case err == nil && len(faults) > 0, err != nil && len(faults) == 0:
		t.Fatalf("%s, %+v: Verify says %v, Explain %v\n%s", s.name, o, err, faults, trusttest.Dump(buf))
	case err != nil && *err.(*fbverify.Error) != *faults[0]:
		t.Fatalf("%s, %+v: Verify says %v, Explain first %v\n%s", s.name, o, err, faults[0], trusttest.Dump(buf))
	}
	for i, f := range faults {
		if isLimit(f) && !errors.Is(f, fbverify.ErrDepthLimit) && i != len(faults)-1 {
			t.Fatalf("%s, %+v: faults after %v\n%s", s.name, o, f, trusttest.Dump(buf))
		}
	}
	for o.Parallel = 1; o.Parallel <= 4; o.Parallel++ {
		again, e := s.measure(buf, &o)
		same := (e == nil) == (err == nil) && (err != nil || again == counts)
		switch {
		case err == nil || !same:
		case fmt.Sprint(e) == fmt.Sprint(err):
		case !isLimit(err):
			same = false
		default:
			same = isLimit(e) && o.Parallel > 1 && (limits > 1 || errors.Is(e, err.(*fbverify.Error).Kind))
			others++
		}
		if !same {
			t.Fatalf("%s, %+v: %+v, %v; alone %+v, %v\n%s", s.name, o, again, e, counts, err, trusttest.Dump(buf))
		}
	}
	return others, err
}

// TestLimitsAreTheSameForAllWhoAsk, on random buffers with shared parts, sound and
// damaged, under one limit or several that they meet.
func TestLimitsAreTheSameForAllWhoAsk(t *testing.T) {
	met, others, fine := map[fbverify.Kind]int{}, 0, 0
	for seed, end := trusttest.Seeds(300); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		_, sch := fbrand.Schema(r, fbrand.SchemaOptions{})
		s := &subject{typ: trusttest.Compile(t, sch), prefix: 4 * (r.IntN(4) / 3)}
		b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Wide: r.IntN(2) == 0, Objects: 10 + r.IntN(200), Prefix: s.prefix})
		whole, err := s.measure(b.Bytes, high(fbverify.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			s.name = fmt.Sprintf("seed %d, %d", seed, i)
			buf, o, limits := b.Bytes, *high(trusttest.Exceptions(r)), 0
			if i > 6 {
				buf = fbrand.Damage(r, b).Bytes
			}
			set := 1 + r.IntN(7)
			if set&1 != 0 {
				o.MaxTables = 1 + r.IntN(whole.Tables+1)
				limits++
			}
			if set&2 != 0 {
				o.MaxApparentSize = 1 + r.Int64N(whole.Bytes+1)
				limits++
			}
			if set&4 != 0 {
				o.MaxDepth = 1 + r.IntN(8)
				limits++
			}
			n, err := agreeOn(t, s, buf, o, limits)
			others += n
			if e, ok := err.(*fbverify.Error); ok {
				met[e.Kind]++
			} else {
				fine++
			}
		}
	}
	t.Logf("%d accepted; of those refused %d by MaxTables, %d by MaxApparentSize, %d by MaxDepth; goroutines met %d limits elsewhere",
		fine, met[fbverify.ErrTableLimit], met[fbverify.ErrSizeLimit], met[fbverify.ErrDepthLimit], others)
	if fine == 0 || met[fbverify.ErrTableLimit] == 0 || met[fbverify.ErrSizeLimit] == 0 || met[fbverify.ErrDepthLimit] == 0 {
		t.Error("one of them was never met")
	}
}

// TestTooMuchOverlapIsTheSameForAllWhoAsk: strings that start a word after each other
// and end far behind, more and more of them until they are too many, and half as many
// again. What is remembered from when on decides how many that is.
func TestTooMuchOverlapIsTheSameForAllWhoAsk(t *testing.T) {
	s := &subject{typ: trusttest.Compile(t, trusttest.ParseText(t, "table T { words:[string]; } root_type T;"))}
	for _, length := range []int{256, 1024, 4096} {
		first := 0
		for n := 1; first == 0 || n < first+first/2; n++ {
			if n > length {
				t.Fatalf("%d strings of %d bytes do not overlap too much", n, length)
			}
			buf := trusttest.WideRoot(n, 24+8*n+length+64)
			run := 24 + 4*n
			for at := run; at+4 <= len(buf); at += 4 {
				binary.LittleEndian.PutUint32(buf[at:], uint32(length))
			}
			for i := range n {
				binary.LittleEndian.PutUint32(buf[24+4*i:], uint32(run-24))
			}
			s.name = fmt.Sprintf("%d strings of %d bytes", n, length)
			_, err := agreeOn(t, s, buf, fbverify.Options{}, 0)
			if err != nil && !errors.Is(err, fbverify.ErrOverlap) {
				t.Fatalf("%s: %v", s.name, err)
			}
			if err != nil && first == 0 {
				first = n
			}
		}
		t.Logf("%d strings of %d bytes overlap too much", first, length)
	}
}
