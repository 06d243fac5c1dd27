package container

import (
	"encoding/binary"
	"slices"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"
)

func withPrefix(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// emptyTable is the smallest FlatBuffer: a root table without fields.
func emptyTable() []byte {
	b := flatbuffers.NewBuilder(0)
	b.StartObject(0)
	return slices.Clone(finish(b, b.EndObject()))
}

func fgbHeader(count uint64, nodeSize uint16) []byte {
	b := flatbuffers.NewBuilder(0)
	b.StartObject(14)
	b.PrependUint64Slot(8, count, 0)
	b.PrependUint16Slot(9, nodeSize, 16)
	b.FinishSizePrefixed(b.EndObject())
	return slices.Clone(b.FinishedBytes())
}

func TestFlatGeobufLengthsThatLieAreFaults(t *testing.T) {
	magic := []byte("fgb\x03fgb\x00")
	feature := withPrefix(emptyTable())
	two := slices.Concat(feature, feature)
	for _, c := range []struct {
		name  string
		b     []byte
		parts string
		kind  Kind
		where string
	}{
		{"no lie", slices.Concat(magic, fgbHeader(2, 0), two), "header feature[0] feature[1]", 0, ""},
		{"unknown count", slices.Concat(magic, fgbHeader(0, 16), two), "header feature[0] feature[1]", 0, ""},
		{"index", slices.Concat(magic, fgbHeader(2, 16), make([]byte, 3*40), two), "header feature[0] feature[1]", 0, ""},
		{"index of three levels", slices.Concat(magic, fgbHeader(3, 2), make([]byte, (3+2+1)*40), two, feature), "header feature[0] feature[1] feature[2]", 0, ""},
		{"node size of one counts as two", slices.Concat(magic, fgbHeader(2, 1), make([]byte, 3*40), two), "header feature[0] feature[1]", 0, ""},
		{"another patch version", slices.Concat([]byte("fgb\x03fgb\x07"), fgbHeader(2, 0), two), "header feature[0] feature[1]", 0, ""},
		{"another major version", slices.Concat([]byte("fgb\x02fgb\x00"), fgbHeader(2, 0), two), "header feature[0] feature[1]", ErrVersion, ""},
		{"more features than counted", slices.Concat(magic, fgbHeader(1, 0), two), "header feature[0]", ErrTrailing, ""},
		{"fewer features than counted", slices.Concat(magic, fgbHeader(3, 0), two), "header feature[0] feature[1]", ErrTruncated, "feature[2]"},
		{"largest count", slices.Concat(magic, fgbHeader(1<<64-1, 0), two), "header feature[0] feature[1]", ErrTruncated, "feature[2]"},
		{"largest count with an index", slices.Concat(magic, fgbHeader(1<<64-1, 16), two), "header", ErrTruncated, "index"},
		{"count whose index overflows", slices.Concat(magic, fgbHeader((1<<64-1)/40+2, 2), two), "header", ErrTruncated, "index"},
		{"feature past the end", slices.Concat(magic, fgbHeader(2, 0), feature, []byte{0xff, 0xff, 0xff, 0xff, 0, 0}), "header feature[0]", ErrTruncated, "feature[1]"},
		{"feature cut in its prefix", slices.Concat(magic, fgbHeader(2, 0), feature, []byte{8, 0}), "header feature[0]", ErrTruncated, "feature[1]"},
		{"feature of no bytes", slices.Concat(magic, fgbHeader(2, 0), make([]byte, 4), feature), "header feature[0] feature[1]", 0, ""},
		{"header past the end", slices.Concat(magic, []byte{0xff, 0xff, 0xff, 0x7f}, two), "", ErrTruncated, "header"},
		{"header that cannot be read", slices.Concat(magic, withPrefix([]byte{0xff, 0xff, 0xff, 0xff}), two), "header", ErrUnreadable, "header"},
		{"only magic", magic, "", ErrTruncated, ""},
	} {
		checkFraming(t, FlatGeobuf, c.name, c.b, c.parts, c.kind, c.where)
	}
}

func TestModelWeightsThatLieAreFaults(t *testing.T) {
	model := modelFlat([]place64{{1000, 40}, {2000, 8}})
	for _, c := range []struct {
		name    string
		weights []place64
		size    int
		kind    Kind
		where   string
		length  int64
	}{
		{"no lie", []place64{{1000, 40}, {2000, 8}}, 2008, 0, "", 1000},
		{"none", nil, 200, 0, "", 200},
		{"writer's mark", []place64{{1, 1}}, 200, 0, "", 200},
		{"past the end", []place64{{1000, 40}, {1 << 40, 8}}, 2008, ErrTruncated, "buffer[1]", 1000},
		{"largest", []place64{{1<<64 - 1, 1<<64 - 1}}, 2008, ErrTruncated, "buffer[0]", 2008},
		{"cut off", []place64{{1000, 40}, {2000, 9}}, 2008, ErrTruncated, "buffer[1]", 1000},
		{"into the model", []place64{{16, 8}, {2000, 8}}, 2008, ErrOverlap, "buffer[0]", 2000},
	} {
		b := modelFlat(c.weights)
		b = append(b, make([]byte, max(0, c.size-len(b)))...)
		checkFraming(t, TFLite, c.name, b, "model", c.kind, c.where)
		for p := range mustOpen(t, b, nil).Parts() {
			if p.Name == "model" && p.Length != c.length {
				t.Errorf("%s: the model has %d bytes, want %d", c.name, p.Length, c.length)
			}
		}
	}
	checkFraming(t, TFLite, "cut in its list", model[:len(model)-30], "model", ErrUnreadable, "model")
}

func TestFeatherLengthsThatLieAreFaults(t *testing.T) {
	feather := func(length int, columns ...[2]int64) []byte {
		b := flatbuffers.NewBuilder(0)
		var list []flatbuffers.UOffsetT
		for _, c := range columns {
			b.StartObject(6)
			b.PrependInt64Slot(2, c[0], 0)
			b.PrependInt64Slot(5, c[1], 0)
			values := b.EndObject()
			b.StartObject(5)
			b.PrependUOffsetTSlot(1, values, 0)
			list = append(list, b.EndObject())
		}
		b.StartVector(4, len(list), 4)
		for i := len(list) - 1; i >= 0; i-- {
			b.PrependUOffsetT(list[i])
		}
		v := b.EndVector(len(list))
		b.StartObject(5)
		b.PrependUOffsetTSlot(2, v, 0)
		m := finish(b, b.EndObject())
		file := slices.Concat([]byte("FEA1"), make([]byte, 60), m)
		return append(binary.LittleEndian.AppendUint32(file, uint32(len(m)+length)), "FEA1"...)
	}
	for _, c := range []struct {
		name  string
		b     []byte
		parts string
		kind  Kind
		where string
	}{
		{"no lie", feather(0, [2]int64{8, 16}, [2]int64{24, 40}), "metadata", 0, ""},
		{"column past the metadata", feather(0, [2]int64{8, 16}, [2]int64{24, 41}), "metadata", ErrLength, "column[1].values"},
		{"column at a negative offset", feather(0, [2]int64{-8, 16}), "metadata", ErrLength, "column[0].values"},
		{"column of negative length", feather(0, [2]int64{8, -1}), "metadata", ErrLength, "column[0].values"},
		{"metadata longer than the file", feather(1<<20, [2]int64{8, 16}), "", ErrLength, "metadata.length"},
		{"metadata of another length", feather(-8, [2]int64{8, 16}), "metadata", ErrUnreadable, "metadata"},
		{"cut off", feather(0)[:80], "", ErrTruncated, "metadata"},
	} {
		checkFraming(t, Feather, c.name, c.b, c.parts, c.kind, c.where)
	}
}

func TestSizePrefixesThatLieAreFaults(t *testing.T) {
	m := emptyTable()
	one := withPrefix(m)
	long := append(binary.LittleEndian.AppendUint64(nil, uint64(len(m))), m...)
	for _, c := range []struct {
		name   string
		format Format
		b      []byte
		parts  string
		kind   Kind
		where  string
	}{
		{"one", SizePrefixed, one, "root", 0, ""},
		{"one and more", SizePrefixed, append(slices.Clone(one), 0), "root", ErrTrailing, ""},
		{"prefix too large", SizePrefixed, append([]byte{255}, one[1:]...), "root", 0, ""}, // the verification tells
		{"long prefix", LongSizePrefixed, long, "root", 0, ""},
		{"long prefix, largest", LongSizePrefixed, append([]byte{255, 255, 255, 255, 255, 255, 255, 255}, m...), "root", 0, ""},
		{"stream", Stream, slices.Concat(one, one, one), "message[0] message[1] message[2]", 0, ""},
		{"stream with a cut prefix", Stream, slices.Concat(one, one[:3]), "message[0]", ErrTruncated, "message[1]"},
		{"stream with a cut message", Stream, slices.Concat(one, one[:6]), "message[0]", ErrTruncated, "message[1]"},
		{"stream of long prefixes", LongStream, slices.Concat(long, long), "message[0] message[1]", 0, ""},
		{"stream of the largest prefix", LongStream, slices.Concat(long, []byte{255, 255, 255, 255, 255, 255, 255, 255}), "message[0]", ErrTruncated, "message[1]"},
		{"empty stream", Stream, nil, "", 0, ""},
	} {
		opts := &Options{Format: c.format}
		checkFile(t, c.name, c.b, opts)
		f := mustOpen(t, c.b, opts)
		parts, faults := list(f)
		if got := partNames(parts); got != c.parts {
			t.Errorf("%s: found %q, want %q", c.name, got, c.parts)
		}
		for _, p := range parts {
			if p.Framing != c.format.Framing() || p.Options(nil).Framing != p.Framing {
				t.Errorf("%s: %s is not of the framing asked for", c.name, p.Name)
			}
		}
		checkFault(t, faults, c.kind, c.where)
	}
}

func checkFraming(t *testing.T, format Format, name string, b []byte, want string, kind Kind, where string) {
	t.Helper()
	checkFile(t, name, b, nil)
	f := mustOpen(t, b, nil)
	parts, faults := list(f)
	if got := partNames(parts); got != want || f.Format() != format {
		t.Errorf("%s: found %q in a file of format %s, want %q", name, got, f.Format(), want)
	}
	t.Run(name, func(t *testing.T) { checkFault(t, faults, kind, where) })
}
