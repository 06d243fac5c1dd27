package fbverify_test

import (
	"encoding/binary"
	"strconv"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
)

// TestFaultsSayTheirNumbersAsData: what the sentences say of a fault are fields too, and are
// what stands in the buffer.
func TestFaultsSayTheirNumbersAsData(t *testing.T) {
	met := map[fbverify.Kind]int{}
	things := map[fbverify.Thing]int{}
	for seed := range uint64(400) {
		r := fbrand.NewRand(seed)
		text, s := fbrand.Schema(r, fbrand.SchemaOptions{})
		typ, err := fbverify.Compile(s, "")
		if err != nil {
			t.Fatal(err)
		}
		o := fbverify.Options{Strict: seed%2 == 0}
		opts := fbrand.BufferOptions{Objects: 30}
		if seed%3 == 0 {
			o.Framing, opts.Prefix = fbverify.SizePrefixed, fbverify.SizePrefixed.Prefix()
		}
		b := fbrand.ForSchema(r, s, s.Root, opts)
		for range 20 {
			d := fbrand.Damage(r, b)
			switch r.IntN(8) {
			case 0:
				o.MaxTables = 1 + r.IntN(b.Tables)
			case 1:
				o.MaxDepth = 1 + r.IntN(b.Depth)
			case 2:
				o.MaxApparentSize = 1 + r.Int64N(int64(len(b.Bytes)))
			default:
				o.MaxTables, o.MaxDepth, o.MaxApparentSize = 0, 0, 0
			}
			for _, f := range typ.Explain(d.Bytes, &o) {
				if what := wrongData(d.Bytes, f); what != "" {
					t.Fatalf("seed %d: %+v: %s\n%s", seed, f, what, text)
				}
				met[f.Kind]++
				things[f.Thing]++
			}
		}
	}
	for _, k := range []fbverify.Kind{
		fbverify.ErrSizePrefix, fbverify.ErrOutOfBounds, fbverify.ErrMisaligned, fbverify.ErrBadOffset, fbverify.ErrBadVTable, fbverify.ErrNotTerminated,
		fbverify.ErrInvalidUTF8, fbverify.ErrUnionTagUnknown, fbverify.ErrDepthLimit, fbverify.ErrTableLimit, fbverify.ErrSizeLimit,
	} {
		if met[k] == 0 {
			t.Errorf("no fault was %v", k)
		}
	}
	for _, thing := range []fbverify.Thing{fbverify.ThingOffset, fbverify.ThingVTableOffset, fbverify.ThingVTable, fbverify.ThingVector, fbverify.ThingString, fbverify.ThingField} {
		if things[thing] == 0 {
			t.Errorf("no fault was of a %v", thing)
		}
	}
}

// wrongData says what is not so of a fault's data; "" where all is.
func wrongData(buf []byte, f *fbverify.Error) string {
	const most = 1<<63 - 1 // stands for all that is beyond it
	says := func(n int64) bool { return n == most || strings.Contains(f.Detail, strconv.FormatInt(n, 10)) }
	number := func() int64 {
		switch f.Size {
		case 1:
			return int64(buf[f.Offset])
		case 2:
			return int64(binary.LittleEndian.Uint16(buf[f.Offset:]))
		case 8:
			return int64(min(binary.LittleEndian.Uint64(buf[f.Offset:]), most))
		}
		return int64(binary.LittleEndian.Uint32(buf[f.Offset:]))
	}
	switch {
	case f.Thing.String() == "":
		return "it does not say of what"
	case f.Thing == fbverify.ThingOffset && f.Kind != fbverify.ErrTooShort:
		switch {
		case f.Leads.String() == "":
			return "it does not say what the offset is for"
		case f.Found != number():
			return "another offset stands there"
		case f.Target != int64(f.Offset)+f.Found && f.Target >= 0 && f.Target != most:
			return "the offset leads elsewhere"
		case f.Kind == fbverify.ErrBadOffset && f.Found != 0 || f.Kind != fbverify.ErrBadOffset && (!says(f.Found) || !says(f.Target)):
			return "the sentence says something else"
		}
	case f.Thing == fbverify.ThingVTableOffset:
		if f.Found != int64(int32(number())) || f.Target != int64(f.Offset)-f.Found || !says(f.Found) || f.Leads != fbverify.ThingVTable {
			return "the vtable's offset is another"
		}
	case f.Leads != 0 || f.Target != 0:
		return "what is no offset leads somewhere"
	}
	switch f.Kind {
	case fbverify.ErrOutOfBounds:
		if f.Thing == fbverify.ThingVector || f.Thing == fbverify.ThingString || f.Thing == fbverify.ThingVTable {
			if f.Found != number() || f.Found <= f.Allowed || !says(f.Found) {
				return "its length is another"
			}
		}
	case fbverify.ErrBadBool, fbverify.ErrInvalidUTF8:
		if f.Found != number() {
			return "another byte stands there"
		}
	case fbverify.ErrDepthLimit, fbverify.ErrTableLimit, fbverify.ErrSizeLimit, fbverify.ErrSizePrefix, fbverify.ErrTooLarge, fbverify.ErrOverlap, fbverify.ErrTrailing:
		if f.Found <= f.Allowed {
			return "what was found is allowed"
		}
	case fbverify.ErrTooShort:
		if f.Found >= f.Allowed {
			return "what was found is enough"
		}
	}
	return ""
}
