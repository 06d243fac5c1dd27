// Package fbasm assembles FlatBuffers byte by byte, for tests that need a
// buffer no builder would write.
//
//	buf := fbasm.Build(
//		fbasm.Offset("root"),
//		fbasm.Label("vt"), fbasm.U16(6, 8, 4),
//		fbasm.Align(4), fbasm.Label("root"), fbasm.VTable("vt"), fbasm.U32(7),
//	)
package fbasm

import (
	"encoding/binary"
	"fmt"
)

// Part is a piece of a buffer.
type Part func(*state)

type state struct {
	b       []byte
	labels  map[string]int
	patches []func(*state)
}

// Build puts the parts one after the other. It panics on a label that is
// missing or there twice: that is a mistake in the test.
func Build(parts ...Part) []byte {
	b, _ := Assemble(parts...)
	return b
}

// Assemble is Build, and also says where the labels are.
func Assemble(parts ...Part) (buf []byte, labels map[string]int) {
	s := &state{labels: map[string]int{}}
	for _, p := range parts {
		p(s)
	}
	for _, p := range s.patches {
		p(s)
	}
	return s.b, s.labels
}

func (s *state) at(label string) int {
	at, ok := s.labels[label]
	if !ok {
		panic(fmt.Sprintf("fbasm: no label %q", label))
	}
	return at
}

// Label names the position that comes next.
func Label(name string) Part {
	return func(s *state) {
		if _, twice := s.labels[name]; twice {
			panic(fmt.Sprintf("fbasm: label %q twice", name))
		}
		s.labels[name] = len(s.b)
	}
}

// Bytes are bytes as they are.
func Bytes(b ...byte) Part { return func(s *state) { s.b = append(s.b, b...) } }

// Text is the bytes of a string, without length or terminator.
func Text(t string) Part { return Bytes([]byte(t)...) }

// U16 are 16-bit numbers.
func U16(v ...uint16) Part {
	return func(s *state) {
		for _, v := range v {
			s.b = binary.LittleEndian.AppendUint16(s.b, v)
		}
	}
}

// U32 are 32-bit numbers.
func U32(v ...uint32) Part {
	return func(s *state) {
		for _, v := range v {
			s.b = binary.LittleEndian.AppendUint32(s.b, v)
		}
	}
}

// U64 are 64-bit numbers.
func U64(v ...uint64) Part {
	return func(s *state) {
		for _, v := range v {
			s.b = binary.LittleEndian.AppendUint64(s.b, v)
		}
	}
}

// Align pads with zeros to a multiple of n.
func Align(n int) Part {
	return func(s *state) {
		for len(s.b)%n != 0 {
			s.b = append(s.b, 0)
		}
	}
}

// Offset is a 32-bit offset from here to the label.
func Offset(label string) Part {
	return func(s *state) {
		here := len(s.b)
		s.b = append(s.b, 0, 0, 0, 0)
		s.patches = append(s.patches, func(s *state) {
			binary.LittleEndian.PutUint32(s.b[here:], uint32(s.at(label)-here))
		})
	}
}

// Offset64 is a 64-bit offset from here to the label.
func Offset64(label string) Part {
	return func(s *state) {
		here := len(s.b)
		s.b = append(s.b, 0, 0, 0, 0, 0, 0, 0, 0)
		s.patches = append(s.patches, func(s *state) {
			binary.LittleEndian.PutUint64(s.b[here:], uint64(s.at(label)-here))
		})
	}
}

// VTable is a table's signed offset to its vtable at the label.
func VTable(label string) Part {
	return func(s *state) {
		here := len(s.b)
		s.b = append(s.b, 0, 0, 0, 0)
		s.patches = append(s.patches, func(s *state) {
			binary.LittleEndian.PutUint32(s.b[here:], uint32(here-s.at(label)))
		})
	}
}

// String is a string with length, bytes and terminator, aligned to 4.
func String(t string) Part {
	return func(s *state) {
		Align(4)(s)
		U32(uint32(len(t)))(s)
		Text(t)(s)
		Bytes(0)(s)
	}
}

// Sequence is several parts as one.
func Sequence(parts ...Part) Part {
	return func(s *state) {
		for _, p := range parts {
			p(s)
		}
	}
}
