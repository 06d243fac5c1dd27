package rule

import "encoding/binary"

// Framing says what stands before the root offset of a message: nothing, or the
// message's length in 32 or in 64 bits, which does not count itself. Positions
// and alignment count from the first byte of the length.
type Framing uint8

// The framings. Each is the number of four-byte words before the root offset.
const (
	Unframed Framing = iota
	SizePrefixed
	LongSizePrefixed

	NumFramings
)

// Prefix is how many bytes the length takes.
func (f Framing) Prefix() uint64 { return uint64(f) * OffsetSize }

// Message says where a message lies among bytes.
type Message struct {
	Start    uint64 // of the root offset: the prefix lies before it
	Promised uint64 // bytes from Start on, by the size prefix; all that there are without one
	End      uint64 // of the message: Start + Promised

	// Fault is TooShort where there are fewer bytes than the size prefix takes, and
	// SizePrefix where it promises more than follow it; End is then where the bytes end.
	Fault Kind
}

// Message finds the message that n bytes start with. head holds at least as many
// of them as the prefix takes, or all where there are fewer. Nobody else turns
// bytes and a framing into a message.
func (f Framing) Message(head []byte, n uint64) Message {
	m := Message{Start: f.Prefix(), Promised: n, End: n}
	if f == Unframed {
		return m
	}
	if n < m.Start || uint64(len(head)) < m.Start {
		m.Promised, m.Fault = 0, TooShort
		return m
	}
	if f == SizePrefixed {
		m.Promised = uint64(binary.LittleEndian.Uint32(head))
	} else {
		m.Promised = binary.LittleEndian.Uint64(head)
	}
	if m.Promised > n-m.Start {
		m.Fault = SizePrefix
		return m
	}
	m.End = m.Start + m.Promised
	return m
}
