package fbverify_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
	"github.com/fbverify/go/internal/walk"
	"github.com/fbverify/go/schema/fbs"
)

// exceptionsSchema has each exception that a schema can make beside a field without it.
const exceptionsSchema = `
attribute "may_be_binary";
attribute "may_align";
struct Pair { a:long; b:long; }
table Pages { page:[ubyte] (nested_flatbuffer: "R"); }
table R {
  text:string;                          // 0
  any:string (may_be_binary);           // 1
  pairs:[Pair];                         // 2
  loose:[Pair] (may_align: "4");        // 3
  numbers:[double] (may_align: "2");    // 4
  bytes:[ubyte] (may_align: "8");       // 5: its type asks for less anyway
  again:[R];                            // 6
}
root_type R;
`

func exceptionsType(t *testing.T) *fbverify.Type {
	t.Helper()
	s, err := fbs.Parse("exceptions.fbs", []byte(exceptionsSchema))
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, "R")
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// oneOffset is a buffer whose root has one field, an offset to target.
func oneOffset(id int, target ...Part) []byte {
	slots := make([]uint16, 3+id)
	slots[0], slots[1], slots[2+id] = uint16(2*len(slots)), 8, 4
	return Build(append([]Part{Offset("root"), Label("vt"), U16(slots...), Align(8), Label("root"), VTable("vt"), Offset("target")}, target...)...)
}

// loosely is a vector of words whose first element is at a multiple of four, and not of eight.
func loosely(count uint32, words ...uint64) []Part {
	return []Part{Align(8), Label("target"), U32(count), U64(words...)}
}

// TestTheSchemaSaysFieldByFieldWhatItsReadersLetPass holds each exception against the
// field beside it that has none, against the options that want the letter, and against the
// reference walk.
func TestTheSchemaSaysFieldByFieldWhatItsReadersLetPass(t *testing.T) {
	typ := exceptionsType(t)
	if !typ.Excepts() {
		t.Fatal("the schema is said to have no exceptions")
	}
	binary := []Part{Align(4), Label("target"), U32(3), Bytes('a', 0xff, 'b', 0)}
	never := []Part{Align(4), Label("target"), U32(3), Bytes('a', 0xff, 'b', 1)}
	long := []Part{Align(4), Label("target"), U32(40), Bytes('a', 0xff, 'b', 0)}
	for _, c := range []struct {
		name   string
		buf    []byte
		exempt fbverify.Kind // the fault but for the exception; 0 = none
		kind   fbverify.Kind // the fault in spite of it; 0 = none
	}{
		{"text of any bytes", oneOffset(0, binary...), fbverify.ErrInvalidUTF8, fbverify.ErrInvalidUTF8},
		{"bytes", oneOffset(1, binary...), fbverify.ErrInvalidUTF8, 0},
		{"bytes without an end", oneOffset(1, never...), fbverify.ErrNotTerminated, fbverify.ErrNotTerminated},
		{"bytes past the end", oneOffset(1, long...), fbverify.ErrOutOfBounds, fbverify.ErrOutOfBounds},
		{"text where bytes may be", oneOffset(1, Align(4), Label("target"), U32(1), Bytes('a', 0)), 0, 0},
		{"pairs at 4", oneOffset(2, loosely(1, 1, 2)...), fbverify.ErrMisaligned, fbverify.ErrMisaligned},
		{"loose pairs at 4", oneOffset(3, loosely(1, 1, 2)...), fbverify.ErrMisaligned, 0},
		{"loose pairs past the end", oneOffset(3, loosely(2, 1, 2)...), fbverify.ErrOutOfBounds, fbverify.ErrOutOfBounds},
		{"numbers at 4", oneOffset(4, loosely(2, 1, 2)...), fbverify.ErrMisaligned, 0},
		{"bytes in a vector", oneOffset(5, loosely(8, 1)...), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, run := range []struct {
				name string
				opts *fbverify.Options
				want fbverify.Kind
			}{
				{"nil", nil, c.kind}, {"zero", &fbverify.Options{}, c.kind}, {"parallel", &fbverify.Options{Parallel: 2}, c.kind},
				{"letter", &fbverify.Options{NoExceptions: true}, c.exempt}, {"strict", &fbverify.Options{Strict: true}, c.exempt},
			} {
				err := typ.Verify(c.buf, run.opts)
				if run.want == 0 && err != nil || run.want != 0 && !errors.Is(err, run.want) {
					t.Errorf("%s: %v, want %v", run.name, err, run.want)
				}
				every := typ.Explain(c.buf, run.opts)
				if (len(every) > 0) != (run.want != 0) || len(every) > 0 && !errors.Is(every[0], run.want) {
					t.Errorf("%s: explained as %v, want %v", run.name, every, run.want)
				}
			}
			if err := walk.Message(typ.Schema(), typ.Root(), c.buf, &walk.Options{Rules: true}); (err == nil) != (c.kind == 0) {
				t.Errorf("the reference walk says %v, want %v", err, c.kind)
			}
		})
	}
}

// TestExceptionsHoldBehindASizePrefixToo: whichever base alignments count from, one of the two
// vectors is not aligned. That is right for the loose one alone.
func TestExceptionsHoldBehindASizePrefixToo(t *testing.T) {
	typ := exceptionsType(t)
	both := func(first, second int) []byte {
		slots := make([]uint16, 9)
		slots[0], slots[1], slots[2+first], slots[2+second] = uint16(2*len(slots)), 12, 4, 8
		buf := Build(Offset("root"), Label("vt"), U16(slots...), Align(8), Label("root"), VTable("vt"), Offset("even"), Offset("odd"),
			Align(8), U32(0), Label("even"), U32(1), U64(1, 2), Label("odd"), U32(1), U64(1, 2))
		return append([]byte{byte(len(buf)), 0, 0, 0}, buf...)
	}
	opts := &fbverify.Options{Framing: fbverify.SizePrefixed}
	for _, c := range []struct {
		first, second int
		kind          fbverify.Kind
	}{{2, 3, 0}, {3, 2, 0}, {3, 4, 0}, {2, 6, fbverify.ErrOutOfBounds}} {
		err := typ.Verify(both(c.first, c.second), opts)
		if c.kind == 0 && err != nil || c.kind != 0 && err == nil {
			t.Errorf("fields %d and %d: %v, want %v", c.first, c.second, err, c.kind)
		}
		if err := typ.Verify(both(c.first, c.second), &fbverify.Options{Framing: fbverify.SizePrefixed, NoExceptions: true}); err == nil {
			t.Errorf("fields %d and %d: accepted to the letter", c.first, c.second)
		}
	}
}

// TestAnExceptionOnAFieldThatItIsNotForIsRefused: else a schema would promise what nobody keeps.
func TestAnExceptionOnAFieldThatItIsNotForIsRefused(t *testing.T) {
	for _, field := range []string{
		`f:[string] (may_be_binary)`, `f:[ubyte] (may_be_binary)`, `f:int (may_be_binary)`,
		`f:string (may_align: "4")`, `f:long (may_align: "4")`, `f:[R] (may_align: "4")`,
		`f:[long] (may_align: "3")`, `f:[long] (may_align: "0")`, `f:[long] (may_align)`, `f:[long] (may_align: "x")`,
	} {
		s, err := fbs.Parse("t.fbs", []byte(`attribute "may_be_binary"; attribute "may_align"; table R { `+field+`; } root_type R;`))
		if err != nil {
			t.Fatalf("%s: %v", field, err)
		}
		if _, err := fbverify.Compile(s, ""); err == nil || !strings.Contains(err.Error(), "R.f") {
			t.Errorf("%s: compiled, or not told where: %v", field, err)
		}
	}
}
