package dynamic

import (
	"io"
	"testing"

	"github.com/fbverify/go/fbverify"
	flatbuffers "github.com/google/flatbuffers/go"
)

// flatcTable is what `flatc --go` generates for a table, as far as it is read here.
type flatcTable struct{ _tab flatbuffers.Table }

func (rcv *flatcTable) Init(buf []byte, i flatbuffers.UOffsetT) {
	rcv._tab.Bytes = buf
	rcv._tab.Pos = i
}

func (rcv *flatcTable) Hp() int16 {
	o := flatbuffers.UOffsetT(rcv._tab.Offset(8))
	if o != 0 {
		return rcv._tab.GetInt16(o + rcv._tab.Pos)
	}
	return 100
}

var sink int64

// BenchmarkScalarField holds a read by handle against flatc's accessor.
func BenchmarkScalarField(b *testing.B) {
	s := corpus(b)[0]
	m := s.root(b)
	b.Run("via=dynamic", func(b *testing.B) {
		t := m.Root()
		hp := t.Field("hp")
		for b.Loop() {
			sink += t.Int(hp)
		}
	})
	b.Run("via=flatc", func(b *testing.B) {
		var t flatcTable
		t.Init(s.buf, flatbuffers.GetUOffsetT(s.buf))
		for b.Loop() {
			sink += int64(t.Hp())
		}
	})
}

// BenchmarkRoot is opening a message and reading one scalar of it: streams open
// one a row.
func BenchmarkRoot(b *testing.B) {
	s := corpus(b)[0]
	hp := s.root(b).Root().Field("hp")
	b.Run("mode=checked", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m, err := Root(s.typ, s.buf, nil)
			if err != nil {
				b.Fatal(err)
			}
			sink += m.Root().Int(hp)
		}
	})
	b.Run("mode=unchecked", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sink += RootUnchecked(s.typ, s.buf, fbverify.Unframed).Root().Int(hp)
		}
	})
}

func BenchmarkWriteJSON(b *testing.B) {
	for _, s := range corpus(b) {
		if s.name != "tflite/person_detect.tflite" {
			continue
		}
		m := s.root(b)
		for _, indent := range []int{0, 2} {
			b.Run(map[int]string{0: "compact", 2: "indent"}[indent], func(b *testing.B) {
				b.SetBytes(int64(len(s.buf)))
				b.ReportAllocs()
				for b.Loop() {
					if err := WriteJSON(io.Discard, m, &JSONOptions{Indent: indent}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkEncodeJSON(b *testing.B) {
	for _, s := range corpus(b) {
		if s.name != "tflite/person_detect.tflite" {
			continue
		}
		text, err := AppendJSON(nil, s.root(b), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := EncodeJSON(s.typ, text, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}
