package walk_test

import (
	"encoding/binary"
	"errors"
	"runtime/debug"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/internal/walk"
	"github.com/fbverify/go/internal/wire"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

const text = `
struct P { a: int16; b: uint32; c: [uint16:2]; }
union U { T, P, s: string }
table T {
  number: int64;           // 0
  text: string;            // 1
  point: P;                // 2
  u: U;                    // 3, 4
  us: [U];                 // 5, 6
  nested: [uint8] (nested_flatbuffer: "T"); // 7
  child: T;                // 8
  children: [T];           // 9
  texts: [string];         // 10
  points: [P];             // 11
  numbers: [uint64];       // 12
  old: string (deprecated);// 13
}
table R { text: string (required); }
root_type T;
`

// Ids of the fields of T.
const (
	number, txt, point, uType, u, usType, us           = 0, 1, 2, 3, 4, 5, 6
	nested, child, children, texts, points, nums, dead = 7, 8, 9, 10, 11, 12, 13
	fieldsOfT                                          = 14
)

func parse(t testing.TB) *schema.Schema {
	t.Helper()
	s, err := fbs.Parse("t.fbs", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type builder struct{ *flatbuffers.Builder }

func newBuilder() builder { return builder{flatbuffers.NewBuilder(256)} }

// table writes a T whose fields are offsets.
func (b builder) table(fields map[int]flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartObject(fieldsOfT)
	for id, to := range fields {
		b.PrependUOffsetTSlot(id, to, 0)
	}
	return b.EndObject()
}

func (b builder) vector(offsets ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(offsets), 4)
	for i := len(offsets) - 1; i >= 0; i-- {
		b.PrependUOffsetT(offsets[i])
	}
	return b.EndVector(len(offsets))
}

func (b builder) finish(root flatbuffers.UOffsetT) []byte {
	b.Finish(root)
	return b.FinishedBytes()
}

// unionTable writes a T with a tag and, unless it is 0, a value.
func (b builder) unionTable(tag byte, value flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartObject(fieldsOfT)
	b.PrependUOffsetTSlot(u, value, 0)
	b.PrependByteSlot(uType, tag, 255)
	return b.EndObject()
}

func (b builder) point() flatbuffers.UOffsetT {
	b.Prep(4, 12)
	b.Pad(12)
	return b.Offset()
}

// raw is a buffer of 16-bit words, for what no builder writes.
func raw(words ...uint16) (b []byte) {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint16(b, w)
	}
	return b
}

func TestWhatAWalkAcceptsAndRefuses(t *testing.T) {
	s := parse(t)
	const fine = ""
	rules := walk.Options{Rules: true}
	for name, c := range map[string]struct {
		root  string
		build func(b builder) []byte
		opts  walk.Options
		want  string // a part of the error
	}{
		"an empty table": {"T", func(b builder) []byte { return b.finish(b.table(nil)) }, rules, fine},
		"no bytes":       {"T", func(b builder) []byte { return nil }, rules, "the offset of the root table"},
		"three bytes":    {"T", func(b builder) []byte { return []byte{4, 0, 0} }, rules, "the offset of the root table"},
		"a root offset of zero": {"T", func(b builder) []byte {
			return raw(0, 0, 0, 0)
		}, rules, "is zero"},
		"a root offset past the end": {"T", func(b builder) []byte {
			return raw(8, 0, 0, 0)
		}, rules, "leads out of"},
		"a vtable before the buffer": {"T", func(b builder) []byte {
			return raw(4, 0, 100, 0)
		}, rules, "before the buffer"},
		"a vtable past the buffer": {"T", func(b builder) []byte {
			return raw(4, 0, 0xfff8, 0xffff)
		}, rules, "the size of a vtable"},
		"a vtable of two bytes":           {"T", func(b builder) []byte { return raw(8, 0, 2, 0, 4, 0) }, walk.Options{}, fine},
		"a vtable of two bytes, by rule":  {"T", func(b builder) []byte { return raw(8, 0, 2, 0, 4, 0) }, rules, "even number"},
		"a vtable of five bytes, by rule": {"T", func(b builder) []byte { return raw(8, 0, 5, 0, 4, 0) }, rules, "even number"},
		"a vtable cut short":              {"T", func(b builder) []byte { return raw(4, 0, 0xfffc, 0xffff, 40, 4) }, walk.Options{}, "entry in a vtable"},
		"a vtable longer than the schema's": {"T", func(b builder) []byte {
			b.StartObject(fieldsOfT + 5)
			b.PrependInt64Slot(fieldsOfT+3, 1, 0)
			return b.finish(b.EndObject())
		}, rules, fine},
		"a number past the end": {"T", func(b builder) []byte {
			return raw(12, 0, 6, 8, 4, 0, 8, 0, 0, 0)
		}, walk.Options{}, "a number"},
		"a misaligned number": {"T", func(b builder) []byte {
			return raw(12, 0, 6, 12, 4, 0, 8, 0, 1, 2, 3, 4)
		}, walk.Options{}, fine},
		"an aligned number, by rule": {"T", func(b builder) []byte {
			return raw(16, 0, 0, 0, 6, 12, 8, 0, 8, 0, 1, 2, 3, 4, 0, 0)
		}, walk.Options{Rules: true}, fine},
		"a number at four of eight, by rule": {"T", func(b builder) []byte {
			return raw(12, 0, 6, 16, 8, 0, 8, 0, 0, 0, 1, 2, 3, 4, 0, 0)
		}, rules, "multiple of 8"},
		"alignment skipped": {"T", func(b builder) []byte {
			return raw(12, 0, 6, 16, 8, 0, 8, 0, 0, 0, 1, 2, 3, 4, 0, 0)
		}, walk.Options{Rules: true, SkipAlignment: true}, fine},

		"a string": {"T", func(b builder) []byte {
			return b.finish(b.table(map[int]flatbuffers.UOffsetT{txt: b.CreateString("é")}))
		}, rules, fine},
		"a string that is no UTF-8": {"T", func(b builder) []byte {
			return b.finish(b.table(map[int]flatbuffers.UOffsetT{txt: b.CreateString("\xff")}))
		}, walk.Options{}, "not UTF-8"},
		"UTF-8 skipped": {"T", func(b builder) []byte {
			return b.finish(b.table(map[int]flatbuffers.UOffsetT{txt: b.CreateString("\xff")}))
		}, walk.Options{SkipUTF8: true}, fine},
		"a string with another byte after it": {"T", func(b builder) []byte {
			buf := b.finish(b.table(map[int]flatbuffers.UOffsetT{txt: b.CreateString("abc")}))
			buf[len(buf)-1] = 'd'
			return buf
		}, walk.Options{}, "no NUL"},
		"a string that ends the buffer": {"T", func(b builder) []byte {
			buf := b.finish(b.table(map[int]flatbuffers.UOffsetT{txt: b.CreateString("abc")}))
			return buf[:len(buf)-1]
		}, walk.Options{}, "the NUL after"},
		"the NUL skipped": {"T", func(b builder) []byte {
			buf := b.finish(b.table(map[int]flatbuffers.UOffsetT{txt: b.CreateString("abc")}))
			return buf[:len(buf)-1]
		}, walk.Options{SkipNullTerminator: true}, fine},
		"a required string missing": {"R", func(b builder) []byte {
			return b.finish(b.table(nil))
		}, walk.Options{}, "required"},

		"a union without a tag":        {"T", func(b builder) []byte { return b.finish(b.table(nil)) }, rules, fine},
		"NONE without a value":         {"T", func(b builder) []byte { return b.finish(b.unionTable(0, 0)) }, rules, fine},
		"NONE with a value":            {"T", func(b builder) []byte { return b.finish(b.unionTable(0, b.CreateString("\xff"))) }, rules, fine},
		"an unknown tag":               {"T", func(b builder) []byte { return b.finish(b.unionTable(9, b.CreateString("\xff"))) }, rules, fine},
		"an unknown tag, no value":     {"T", func(b builder) []byte { return b.finish(b.unionTable(9, 0)) }, rules, fine},
		"a tag without its value":      {"T", func(b builder) []byte { return b.finish(b.unionTable(1, 0)) }, walk.Options{}, "there is no value"},
		"a table in a union":           {"T", func(b builder) []byte { return b.finish(b.unionTable(1, b.table(nil))) }, rules, fine},
		"a struct in a union":          {"T", func(b builder) []byte { return b.finish(b.unionTable(2, b.point())) }, rules, fine},
		"a string in a union":          {"T", func(b builder) []byte { return b.finish(b.unionTable(3, b.CreateString("s"))) }, rules, fine},
		"a bad string in a union":      {"T", func(b builder) []byte { return b.finish(b.unionTable(3, b.CreateString("\xff"))) }, walk.Options{}, "not UTF-8"},
		"a string called a table":      {"T", func(b builder) []byte { return b.finish(b.unionTable(1, b.CreateString(strings.Repeat("x", 500)))) }, walk.Options{}, "before the buffer"},
		"a vector of unions":           {"T", unions([]byte{1, 3, 0}, 3), rules, fine},
		"a tag for which no value is":  {"T", unions([]byte{1, 3, 1}, 2), walk.Options{}, "there is no value"},
		"a NONE more than values":      {"T", unions([]byte{1, 3, 0}, 2), walk.Options{}, fine},
		"a NONE more, by rule":         {"T", unions([]byte{1, 3, 0}, 2), rules, "3 tags"},
		"a value more than tags":       {"T", unions([]byte{1}, 2), walk.Options{}, fine},
		"a value more, by rule":        {"T", unions([]byte{1}, 2), rules, "1 tags"},
		"a vector of tags alone":       {"T", unions([]byte{0, 0}, -1), walk.Options{}, fine},
		"tags alone, by rule":          {"T", unions([]byte{0, 0}, -1), rules, "one of the two"},
		"tags alone that promise":      {"T", unions([]byte{3}, -1), walk.Options{}, "there is no value"},
		"values alone, by rule":        {"T", unions(nil, 2), rules, "one of the two"},
		"values alone, never followed": {"T", unions(nil, 2), walk.Options{}, fine},

		"a nested buffer":         {"T", nest(func(b builder) []byte { return b.finish(b.table(nil)) }), rules, fine},
		"an empty nested buffer":  {"T", nest(func(b builder) []byte { return nil }), walk.Options{}, "T.nested: at offset 0"},
		"a bad nested buffer":     {"T", nest(func(b builder) []byte { return []byte("nonsense") }), walk.Options{}, "T.nested: at offset 0"},
		"a bad one, not followed": {"T", nest(func(b builder) []byte { return []byte("nonsense") }), walk.Options{SkipNested: true}, fine},

		"a deprecated field that is bad": {"T", func(b builder) []byte {
			return b.finish(b.table(map[int]flatbuffers.UOffsetT{dead: b.CreateString("\xff")}))
		}, rules, fine},
		"a deprecated field, walked": {"T", func(b builder) []byte {
			return b.finish(b.table(map[int]flatbuffers.UOffsetT{dead: b.CreateString("\xff")}))
		}, walk.Options{Deprecated: true}, "T.old"},
		"a fault in a child of a child": {"T", func(b builder) []byte {
			grandchild := b.table(map[int]flatbuffers.UOffsetT{texts: b.vector(b.CreateString("\xff"))})
			parent := b.table(map[int]flatbuffers.UOffsetT{children: b.vector(grandchild)})
			return b.finish(b.table(map[int]flatbuffers.UOffsetT{child: parent}))
		}, walk.Options{}, "T.child.children.texts:"},
	} {
		t.Run(name, func(t *testing.T) {
			err := walk.Message(s, s.Object(c.root), c.build(newBuilder()), &c.opts)
			switch {
			case c.want == fine && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != fine && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want something with %q", err, c.want)
			}
			var fault *walk.Fault
			if err != nil && !errors.As(err, &fault) {
				t.Errorf("%T is no *walk.Fault", err)
			}
		})
	}
}

// unions writes a T with a vector of tags and one of values, the first an empty
// table and the second a string; no vector for nil tags or a negative count.
func unions(tags []byte, values int) func(b builder) []byte {
	return func(b builder) []byte {
		fields := map[int]flatbuffers.UOffsetT{}
		if tags != nil {
			fields[usType] = b.CreateByteVector(tags)
		}
		if values >= 0 {
			all := []flatbuffers.UOffsetT{b.table(nil), b.CreateString("x"), b.table(nil)}
			fields[us] = b.vector(all[:values]...)
		}
		return b.finish(b.table(fields))
	}
}

func nest(inner func(b builder) []byte) func(b builder) []byte {
	return func(b builder) []byte {
		return b.finish(b.table(map[int]flatbuffers.UOffsetT{nested: b.CreateByteVector(inner(newBuilder()))}))
	}
}

// TestVectorsReachTheirEnd cuts a buffer with each kind of vector at its end off
// byte by byte: nothing that is cut off can be missed.
func TestVectorsReachTheirEnd(t *testing.T) {
	s := parse(t)
	for name, c := range map[string]struct {
		id, size, align int
	}{"numbers": {nums, 8, 8}, "structs": {points, 12, 4}, "texts": {texts, 4, 4}, "tables": {children, 4, 4}} {
		b := newBuilder()
		b.StartVector(c.size, 3, c.align)
		b.Pad(3 * c.size)
		buf := b.finish(b.table(map[int]flatbuffers.UOffsetT{c.id: b.EndVector(3)}))
		if err := walk.Message(s, s.Root, buf, nil); (err == nil) != (c.size != 4) {
			t.Errorf("%s: got %v for the whole", name, err) // offsets of zero are faults
		}
		for n := len(buf) - 1; n > len(buf)-3*c.size; n-- {
			if err := walk.Message(s, s.Root, buf[:n], nil); err == nil {
				t.Errorf("%s: walked with %d of %d bytes", name, n, len(buf))
			}
		}
	}
}

// walkedInProportion walks a buffer with few steps for its size, and with a stack
// that does not grow with what it says. A stack that is too small ends the test's process.
func walkedInProportion(t *testing.T, what string, s *schema.Schema, buf []byte) {
	t.Helper()
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	steps := 0
	if err := walk.Message(s, s.Root, buf, &walk.Options{Steps: &steps}); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	t.Logf("%s: %d steps for %d bytes", what, steps, len(buf))
	if steps == 0 || steps > len(buf) {
		t.Errorf("%s: %d steps for %d bytes", what, steps, len(buf))
	}
}

func TestSharedSubtreesAreWalkedOnce(t *testing.T) {
	s := parse(t)
	b := newBuilder()
	node := b.table(nil)
	for range 2000 {
		node = b.table(map[int]flatbuffers.UOffsetT{child: node, children: b.vector(node, node, node)})
	}
	buf := b.finish(node)
	walkedInProportion(t, "3^2000 paths", s, buf)
}

func TestDeepChainsNeedNoStack(t *testing.T) {
	s := parse(t)
	b := newBuilder()
	node := b.table(nil)
	for range 300_000 {
		node = b.table(map[int]flatbuffers.UOffsetT{child: node})
	}
	buf := b.finish(node)
	walkedInProportion(t, "300,000 levels", s, buf)
}

// TestOverlappingVectorsAreWalkedOnce: every word of a long run can be read as the
// length of a vector of strings, as an offset in one, and as a string's length. Each
// of many tables has a vector that starts one word after that of the table before.
func TestOverlappingVectorsAreWalkedOnce(t *testing.T) {
	s := parse(t)
	const word = 4096 // its lowest byte is the NUL after a string
	run := make([]byte, 4*3*word)
	for i := 0; i < len(run); i += 4 {
		binary.LittleEndian.PutUint32(run[i:], word)
	}
	b := newBuilder()
	start := b.CreateByteVector(append(run, make([]byte, 2*word)...)) - 4
	var tables []flatbuffers.UOffsetT
	for i := range flatbuffers.UOffsetT(2*word - 1) {
		tables = append(tables, b.table(map[int]flatbuffers.UOffsetT{texts: start - 4*i}))
	}
	buf := b.finish(b.table(map[int]flatbuffers.UOffsetT{children: b.vector(tables...)}))
	walkedInProportion(t, "33 million elements in 200 kB", s, buf)
}

func TestSizePrefixedMessages(t *testing.T) {
	s := parse(t)
	build := func(finish func(b *flatbuffers.Builder, root flatbuffers.UOffsetT)) []byte {
		b := newBuilder()
		b.StartObject(fieldsOfT)
		b.PrependInt64Slot(number, 5, 0)
		finish(b.Builder, b.EndObject())
		return b.FinishedBytes()
	}
	fromPrefix := build((*flatbuffers.Builder).FinishSizePrefixed)
	plain := build((*flatbuffers.Builder).Finish)
	byHand := append(binary.LittleEndian.AppendUint32(nil, uint32(len(plain))), plain...)
	rules := &walk.Options{Rules: true}
	for name, buf := range map[string][]byte{"from the prefix": fromPrefix, "from after the prefix": byHand} {
		if err := walk.SizePrefixed(s, s.Root, buf, rules); err != nil {
			t.Errorf("aligned %s: %v", name, err)
		}
		if err := walk.SizePrefixed(s, s.Root, buf[:len(buf)-1], rules); err == nil {
			t.Errorf("aligned %s: the prefix promises a byte that is not there", name)
		}
	}
	if err := walk.Message(s, s.Root, fromPrefix[4:], rules); err == nil {
		t.Error("the two alignments do not differ in this test")
	}
}

func TestFaultsAreThoseOfTheReader(t *testing.T) {
	s := parse(t)
	var fault *wire.Error
	if err := walk.Message(s, s.Root, raw(8, 0), nil); !errors.As(err, &fault) || fault.Pos != 0 {
		t.Errorf("got %v", err)
	}
}
